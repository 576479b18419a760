/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.S - the entry of trampolines and static tracepoints into the hit path.  See trampoline.c.
 *
 * The code masks all of DAIF, so that no interrupt of any kind comes between.  isb: see clock_arch.h.
 */
#include <linux/linkage.h>

#include "frame.h"

.macro STORE_SCRATCH
	stp	x0, x1, [sp, #KT_REGS_X(0)]
	stp	x2, x3, [sp, #KT_REGS_X(2)]
	stp	x4, x5, [sp, #KT_REGS_X(4)]
	stp	x6, x7, [sp, #KT_REGS_X(6)]
	stp	x8, x9, [sp, #KT_REGS_X(8)]
	stp	x10, x11, [sp, #KT_REGS_X(10)]
	stp	x12, x13, [sp, #KT_REGS_X(12)]
	stp	x14, x15, [sp, #KT_REGS_X(14)]
	str	x18, [sp, #KT_REGS_X(18)]
	str	x29, [sp, #KT_REGS_X(29)]
	mrs	x1, daif
	mrs	x2, nzcv
	orr	x2, x2, x1
	str	x2, [sp, #KT_REGS_PSTATE]
	msr	daifset, #0xf
	isb
.endm

.macro STORE_PRESERVED
	stp	x19, x20, [sp, #KT_REGS_X(19)]
	stp	x21, x22, [sp, #KT_REGS_X(21)]
	stp	x23, x24, [sp, #KT_REGS_X(23)]
	stp	x25, x26, [sp, #KT_REGS_X(25)]
	stp	x27, x28, [sp, #KT_REGS_X(27)]
.endm

/* Restore the flags and interrupts.  Changes x1 and x2. */
.macro LOAD_PSTATE
	ldr	x2, [sp, #KT_REGS_PSTATE]
	and	x1, x2, #KT_PSTATE_NZCV
	and	x2, x2, #KT_PSTATE_DAIF
	msr	nzcv, x1
	msr	daif, x2
.endm

	.text

/*
 * A trampoline calls this with the site in x16 and its frame (frame.h) on the stack; the frame has the original x16,
 * x17 and x30.  It preserves all other registers.
 */
SYM_FUNC_START(kt_arm64_jump)
	STORE_SCRATCH
	ldr	x3, [x16, #KT_SITE_ADDR]
	str	x30, [sp, #KT_FRAME_RETURN]
	stp	x29, x3, [sp, #KT_FRAME_RECORD]
	add	x29, sp, #KT_FRAME_RECORD
	ldr	x2, [x16, #KT_SITE_DESC]
	mov	x0, x16
	mov	x1, sp
	ldrb	w3, [x2, #KT_DESC_ALL_REGS]
	cbnz	w3, 2f
	bl	kt_hit_jump
1:	LOAD_PSTATE
	ldp	x0, x1, [sp, #KT_REGS_X(0)]
	ldp	x2, x3, [sp, #KT_REGS_X(2)]
	ldp	x4, x5, [sp, #KT_REGS_X(4)]
	ldp	x6, x7, [sp, #KT_REGS_X(6)]
	ldp	x8, x9, [sp, #KT_REGS_X(8)]
	ldp	x10, x11, [sp, #KT_REGS_X(10)]
	ldp	x12, x13, [sp, #KT_REGS_X(12)]
	ldp	x14, x15, [sp, #KT_REGS_X(14)]
	ldr	x18, [sp, #KT_REGS_X(18)]
	ldr	x29, [sp, #KT_REGS_X(29)]
	ldr	x30, [sp, #KT_FRAME_RETURN]
	ret
2:	STORE_PRESERVED
	bl	kt_hit_jump_all
	b	1b
SYM_FUNC_END(kt_arm64_jump)

/*
 * The probe of static tracepoints.  The arguments of the static tracepoint follow the site, and still are in the
 * registers of the call, so programs capture them like the arguments of a function at its entry.
 */
SYM_FUNC_START(kt_arm64_event_probe)
	sub	sp, sp, #KT_FRAME_BYTES
	stp	x16, x17, [sp, #KT_REGS_X(16)]
	str	x30, [sp, #KT_REGS_X(30)]
	STORE_SCRATCH
	stp	x29, x30, [sp, #KT_FRAME_RECORD]
	add	x29, sp, #KT_FRAME_RECORD
	ldr	x2, [x0, #KT_SITE_DESC]
	mov	x1, sp
	ldrb	w3, [x2, #KT_DESC_ALL_REGS]
	cbnz	w3, 2f
	bl	kt_hit_event
1:	LOAD_PSTATE
	ldp	x29, x30, [sp, #KT_FRAME_RECORD]
	add	sp, sp, #KT_FRAME_BYTES
	ret
2:	STORE_PRESERVED
	bl	kt_hit_event_all
	b	1b
SYM_FUNC_END(kt_arm64_event_probe)
