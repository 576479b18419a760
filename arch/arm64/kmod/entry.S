/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.S - the entry of trampolines and static tracepoints into the hit path.  See trampoline.c.
 *
 * It masks all of DAIF, so that no interrupt of any kind comes between, and goes on where site->direct leads: to the generated code
 * of the hit, or to the C path.  isb: see clock_arch.h.
 */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/assembler.h>

#include "frame.h"

/* Generated code branches to these functions directly, so they have no bti. */
.macro BEGIN name
SYM_START(\name, SYM_L_GLOBAL, SYM_A_ALIGN)
.endm

/* With PSTATE as it was in x8: what generated code has in registers (emit_hit.c). */
.macro PREPARE
	msr	daifset, #0xf
	isb
	adr_this_cpu x9, kt_cpus, x11		/* and the offset in x11 */
	mrs	x10, sp_el0			/* the current task */
.endm

/* The registers of a jump that functions may change; x8 .. x11 and x16, x17, x30 are in the frame already. */
.macro STORE_SCRATCH
	stp	x0, x1, [sp, #KT_REGS_X(0)]
	stp	x2, x3, [sp, #KT_REGS_X(2)]
	stp	x4, x5, [sp, #KT_REGS_X(4)]
	stp	x6, x7, [sp, #KT_REGS_X(6)]
	stp	x12, x13, [sp, #KT_REGS_X(12)]
	stp	x14, x15, [sp, #KT_REGS_X(14)]
	str	x18, [sp, #KT_REGS_X(18)]
	str	x29, [sp, #KT_REGS_X(29)]
	str	x8, [sp, #KT_REGS_PSTATE]
.endm

.macro STORE_PRESERVED
	stp	x19, x20, [sp, #KT_REGS_X(19)]
	stp	x21, x22, [sp, #KT_REGS_X(21)]
	stp	x23, x24, [sp, #KT_REGS_X(23)]
	stp	x25, x26, [sp, #KT_REGS_X(25)]
	stp	x27, x28, [sp, #KT_REGS_X(27)]
.endm

/* function(site in x0, the frame, descriptor in x2); or function_all(), for which the frame gets all registers. */
.macro HIT function
	mov	x1, sp
	ldrb	w3, [x2, #KT_DESC_ALL_REGS]
	cbnz	w3, 2f
	bl	\function
	b	3f
2:	STORE_PRESERVED
	bl	\function\()_all
3:
.endm

	.text
/*
 * A trampoline calls this with the site in x16 and its frame (frame.h) on the stack; the frame has the original x16,
 * x17 and x30.  It preserves all other registers.
 */
SYM_FUNC_START(kt_arm64_jump)
	stp	x8, x9, [sp, #KT_REGS_X(8)]
	stp	x10, x11, [sp, #KT_REGS_X(10)]
	str	x30, [sp, #KT_FRAME_RETURN]
	mrs	x8, daif
	mrs	x9, nzcv
	orr	x8, x8, x9
	PREPARE
	ldr	x17, [x16, #KT_SITE_DIRECT]
	br	x17
SYM_FUNC_END(kt_arm64_jump)

/* x16 = the descriptor; or the site. */
BEGIN kt_arm64_jump_again
	mov	x9, x16
	ldr	x16, [x16, #KT_DESC_CONSUMER]
	ldr	x16, [x16, #KT_CONSUMER_SITE]
	b	1f
SYM_FUNC_END(kt_arm64_jump_again)

SYM_FUNC_START(kt_arm64_jump_slow)
	ldr	x9, [x16, #KT_SITE_DESC]
1:	STORE_SCRATCH
	ldr	x3, [x16, #KT_SITE_ADDR]
	stp	x29, x3, [sp, #KT_FRAME_RECORD]
	add	x29, sp, #KT_FRAME_RECORD
	mov	x2, x9
	mov	x0, x16
	HIT kt_hit_jump
	b	kt_arm64_jump_back
SYM_FUNC_END(kt_arm64_jump_slow)

BEGIN kt_arm64_jump_wake
	STORE_SCRATCH
	mov	x0, x16
	bl	kt_wake_waiting
	b	kt_arm64_jump_back
SYM_FUNC_END(kt_arm64_jump_wake)

BEGIN kt_arm64_jump_back
	ldp	x0, x1, [sp, #KT_REGS_X(0)]
	ldp	x2, x3, [sp, #KT_REGS_X(2)]
	ldp	x4, x5, [sp, #KT_REGS_X(4)]
	ldp	x6, x7, [sp, #KT_REGS_X(6)]
	ldr	x8, [sp, #KT_REGS_PSTATE]
	ldp	x12, x13, [sp, #KT_REGS_X(12)]
	ldp	x14, x15, [sp, #KT_REGS_X(14)]
	ldr	x18, [sp, #KT_REGS_X(18)]
	ldr	x29, [sp, #KT_REGS_X(29)]
	b	kt_arm64_jump_end
SYM_FUNC_END(kt_arm64_jump_back)

/* The end of a hit by a jump: flags and interrupts as before. */
BEGIN kt_arm64_jump_end
	and	x9, x8, #KT_PSTATE_NZCV
	and	x8, x8, #KT_PSTATE_DAIF
	ldr	x30, [sp, #KT_FRAME_RETURN]
	ldp	x10, x11, [sp, #KT_REGS_X(10)]
	msr	nzcv, x9
	msr	daif, x8
	ldp	x8, x9, [sp, #KT_REGS_X(8)]
	ret
SYM_FUNC_END(kt_arm64_jump_end)

/*
 * The probe of static tracepoints.  The arguments of the static tracepoint follow the site, and still are in the
 * registers of the call, so programs capture them like the arguments of a function at its entry.
 */
SYM_FUNC_START(kt_arm64_event_probe)
	sub	sp, sp, #KT_FRAME_BYTES
	str	x30, [sp, #KT_FRAME_RETURN]
	mrs	x8, daif
	PREPARE
	ldr	x16, [x0, #KT_SITE_DIRECT]
	br	x16
SYM_FUNC_END(kt_arm64_event_probe)

/* x16 = the descriptor; or x0 = the site. */
BEGIN kt_arm64_event_again
	ldr	x0, [x16, #KT_DESC_CONSUMER]
	ldr	x0, [x0, #KT_CONSUMER_SITE]
	b	1f
SYM_FUNC_END(kt_arm64_event_again)

SYM_FUNC_START(kt_arm64_event_slow)
	ldr	x16, [x0, #KT_SITE_DESC]
1:	STORE_SCRATCH
	stp	x8, x9, [sp, #KT_REGS_X(8)]
	stp	x10, x11, [sp, #KT_REGS_X(10)]
	stp	x16, x17, [sp, #KT_REGS_X(16)]
	ldr	x30, [sp, #KT_FRAME_RETURN]
	str	x30, [sp, #KT_REGS_X(30)]
	stp	x29, x30, [sp, #KT_FRAME_RECORD]
	add	x29, sp, #KT_FRAME_RECORD
	mov	x2, x16
	HIT kt_hit_event
	b	kt_arm64_event_back
SYM_FUNC_END(kt_arm64_event_slow)

BEGIN kt_arm64_event_wake
	str	x8, [sp, #KT_REGS_PSTATE]
	str	x29, [sp, #KT_FRAME_RECORD]
	mov	x0, x16
	bl	kt_wake_waiting
	b	kt_arm64_event_back
SYM_FUNC_END(kt_arm64_event_wake)

BEGIN kt_arm64_event_back
	ldr	x8, [sp, #KT_REGS_PSTATE]
	ldr	x29, [sp, #KT_FRAME_RECORD]
	b	kt_arm64_event_end
SYM_FUNC_END(kt_arm64_event_back)

/* The end of a hit by a static tracepoint: interrupts as before. */
BEGIN kt_arm64_event_end
	ldr	x30, [sp, #KT_FRAME_RETURN]
	add	sp, sp, #KT_FRAME_BYTES
	msr	daif, x8
	ret
SYM_FUNC_END(kt_arm64_event_end)
