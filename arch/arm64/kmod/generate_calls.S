/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate_calls.S - what generated code calls.  See emit_program.c for its registers.
 *
 * A load takes an address in x12 and returns the value there in x12, extended by zeros; it may change x13.  It reads the
 * direct map and the current stack, as kt_load() does (load.c), and no other memory.  The carry flag is clear if the value could
 * be read, as after a comparison that finds the lower number.
 */
#include <linux/linkage.h>
#include <asm/assembler.h>
#include <asm/memory.h>

/* Kernels have different names for the same macro. */
#ifdef _ASM_EXTABLE_UACCESS
#define EXTABLE(from, to)	_ASM_EXTABLE_UACCESS(from, to)
#else
#define EXTABLE(from, to)	_asm_extable from, to
#endif

/* Generated code calls these functions directly, so they have no bti. */
.macro BEGIN name
SYM_START(\name, SYM_L_GLOBAL, SYM_A_ALIGN)
.endm

.macro LOAD name insn
BEGIN \name
	sub	x13, x12, x16
	cmp	x13, x17
	b.hs	2f
1:	\insn
	ret
2:	mov	x13, sp
	eor	x13, x13, x12
	cmp	x13, #THREAD_SIZE
	b.lo	1b
3:	cmp	xzr, xzr			/* sets the carry flag */
	ret
	EXTABLE(1b, 3b)
SYM_FUNC_END(\name)
NOKPROBE(\name)
.endm

	.text
LOAD kt_arm64_code_load8	"ldrb w12, [x12]"
LOAD kt_arm64_code_load16	"ldrh w12, [x12]"
LOAD kt_arm64_code_load32	"ldr w12, [x12]"
LOAD kt_arm64_code_load64	"ldr x12, [x12]"

/* x3 = the registers of the current task's system call, or NULL. */
BEGIN kt_arm64_code_call
	stp	x29, x30, [sp, #-64]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x15, [sp, #32]
	stp	x16, x17, [sp, #48]
	bl	kt_syscall_regs
	mov	x3, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x15, [sp, #32]
	ldp	x16, x17, [sp, #48]
	ldp	x29, x30, [sp], #64
	ret
SYM_FUNC_END(kt_arm64_code_call)
NOKPROBE(kt_arm64_code_call)

/*
 * Emit the text at x12 with its 0, of at most x13 bytes before that, to \out, which moves behind it.  The carry flag is clear if it was
 * copied; else x12 is why not (KT_TEXT_*).  It keeps all other registers but x13.
 */
.macro TEXT name out
BEGIN \name
	stp	x29, x30, [sp, #-176]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	stp	x8, x9, [sp, #80]
	stp	x10, x11, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	str	x18, [sp, #144]
	mov	x0, \out
	mov	x1, x12
	mov	w2, w13
	add	x3, sp, #168
	bl	kt_load_text
	mov	w12, w0
	ldr	w13, [sp, #168]
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x8, x9, [sp, #80]
	ldp	x10, x11, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldr	x18, [sp, #144]
	add	\out, \out, x13
	strb	wzr, [\out], #1
	cmp	w12, #1				/* KT_TEXT_ENDS is 0 */
	ldp	x29, x30, [sp], #176
	ret
SYM_FUNC_END(\name)
NOKPROBE(\name)
.endm

TEXT kt_arm64_code_text x1
TEXT kt_arm64_hit_text x15
