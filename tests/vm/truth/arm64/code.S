/* SPDX-License-Identifier: GPL-2.0-only */
/* Exactly these instructions, whatever the compiler; see truth.h. */
#include <linux/linkage.h>

	.text

/* No landing pad, which the macro of some kernels adds: the offsets must be the same everywhere. */
#define PLAIN_START(name)	SYM_START(name, SYM_L_GLOBAL, SYM_A_ALIGN)

PLAIN_START(ktruth_spin)
	mov	x9, x0
1:	subs	x9, x9, #1
	b.ne	1b
	ret
SYM_FUNC_END(ktruth_spin)

/* Begins and ends like most functions. 4 + 2 n instructions, then the return. */
SYM_FUNC_START(ktruth_run)
	add	x0, x0, #0
	add	x0, x0, #1
	sub	x0, x0, #1
	mov	x1, x0
1:	subs	x1, x1, #1
	b.ne	1b
	ret
SYM_FUNC_END(ktruth_run)

/*
 * Calls itself; x0 is the depth. At depth 0: 4 + 2 n + 2 instructions, then the return. At other depths: three
 * more, and those of the inner call and its return.
 */
SYM_FUNC_START(ktruth_nest)
	add	x0, x0, #0
	add	x0, x0, #1
	sub	x0, x0, #1
	mov	x2, x1
1:	subs	x2, x2, #1
	b.ne	1b
	cmp	x0, #0
	b.eq	2f
	stp	x29, x30, [sp, #-16]!
	sub	x0, x0, #1
	bl	ktruth_nest
	ldp	x29, x30, [sp], #16
2:	ret
SYM_FUNC_END(ktruth_nest)

/* 3 + 2 n instructions and the return. */
PLAIN_START(ktruth_half)
	add	x1, x0, #0
	add	x2, x0, #1
	nop
1:	subs	x1, x1, #1
	b.ne	1b
	ret
SYM_FUNC_END(ktruth_half)

PLAIN_START(ktruth_other_half)
	add	x1, x0, #0
	sub	x0, x1, #1
	ret
SYM_FUNC_END(ktruth_other_half)

SYM_FUNC_START(ktruth_halves)
	stp	x29, x30, [sp, #-16]!
	bl	ktruth_half
	bl	ktruth_other_half
	ldp	x29, x30, [sp], #16
	ret
SYM_FUNC_END(ktruth_halves)

PLAIN_START(ktruth_five)
.Lfive_1:
	mov	x9, x0
.Lfive_2:
	add	x9, x9, #1
.Lfive_3:
	lsl	x9, x9, #1
.Lfive_4:
	mov	x2, x1
.Lfive_5:
	eor	x0, x9, x2
.Lfive_return:
	ret
SYM_FUNC_END(ktruth_five)

PLAIN_START(ktruth_call_register)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x9, x0
	mov	x0, x1
SYM_INNER_LABEL(ktruth_call_register_call, SYM_L_GLOBAL)
	blr	x9
	ldp	x29, x30, [sp], #16
	ret
SYM_FUNC_END(ktruth_call_register)

/* Each register, by its DWARF number: its value when it is traced; for sp, the word that it points at. */
.macro each_register what:req
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
		27, 28, 29, 30
	\what	\number
	.endr
.endm
.macro plant number:req
	movz	x\number, #0x7, lsl #16
	movk	x\number, #\number
.endm
/* Compare without another register: the register minus its planted value must be 0. */
.macro still number:req
	sub	x\number, x\number, #0x70, lsl #12
	sub	x\number, x\number, #\number
	cbnz	x\number, .Lregisters_wrong
.endm

PLAIN_START(ktruth_registers)
	sub	sp, sp, #128
	stp	x29, x30, [sp, #112]
	stp	x27, x28, [sp, #96]
	stp	x25, x26, [sp, #80]
	stp	x23, x24, [sp, #64]
	stp	x21, x22, [sp, #48]
	stp	x19, x20, [sp, #32]
	str	x18, [sp, #16]
	plant	7
	add	x7, x7, #24
	str	x7, [sp]
	cmp	sp, #0
	each_register plant
	nop
SYM_INNER_LABEL(ktruth_registers_here, SYM_L_GLOBAL)
	nop
	b.cc	.Lregisters_wrong
	each_register still
	mov	x0, #0
1:	ldr	x18, [sp, #16]
	ldp	x19, x20, [sp, #32]
	ldp	x21, x22, [sp, #48]
	ldp	x23, x24, [sp, #64]
	ldp	x25, x26, [sp, #80]
	ldp	x27, x28, [sp, #96]
	ldp	x29, x30, [sp, #112]
	add	sp, sp, #128
	ret
.Lregisters_wrong:
	mov	x0, #1
	b	1b
SYM_FUNC_END(ktruth_registers)

/* The state that each step must leave; otherwise the step's number is the result. */
.macro expect number:req, condition:req
	mov	x0, #\number
	b.\condition	.Lkinds_wrong
.endm

/*
 * x0: 8 words of scratch memory. Each step sets the flags by comparing its result with the right one. Distances
 * and flags are chosen so that a wrong copy of an instruction gives a wrong result.
 */
PLAIN_START(ktruth_kinds)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	mov	x19, x0
	movz	x10, #0xcdef
	movk	x10, #0x89ab, lsl #16
	movk	x10, #0x4567, lsl #32
	movk	x10, #0x0123, lsl #48

	/* 1: address relative to the program counter */
	adr	x1, .Lconstant
	ldr	x2, [x1]
	cmp	x2, x10
	expect	1, ne

	/* 2: page relative to the program counter */
	adrp	x1, .Lconstant
	add	x1, x1, :lo12:.Lconstant
	ldr	x2, [x1]
	cmp	x2, x10
	expect	2, ne

	/* 3: literals: a double word, a word, a word with its sign; the hint of one */
	ldr	x2, .Lconstant
	cmp	x2, x10
	expect	3, ne
	ldr	w2, .Lconstant
	cmp	x2, w10, uxtw
	expect	3, ne
	ldrsw	x2, .Lconstant
	cmp	x2, w10, sxtw
	expect	3, ne
	prfm	pldl1keep, .Lconstant

	/* 4: call, which must leave the true return address */
	bl	.Lreturn_address
.Lafter_call:
	adr	x1, .Lafter_call
	cmp	x1, x2
	expect	4, ne

	/* 5: call through a register, through the link register itself, and a jump */
	adr	x1, .Lreturn_address
	blr	x1
.Lafter_register:
	adr	x1, .Lafter_register
	cmp	x1, x2
	expect	5, ne
	adr	x30, .Lreturn_address
	blr	x30
.Lafter_link:
	adr	x1, .Lafter_link
	cmp	x1, x2
	expect	5, ne
	adr	x1, 1f
	mov	x0, #5
	br	x1
	b	.Lkinds_wrong
1:

	/* 6: conditions, taken and not taken, of every pair of flags */
	mov	x0, #6
	cmp	x10, x10
	b.ne	.Lkinds_wrong
	b.cc	.Lkinds_wrong
	b.mi	.Lkinds_wrong
	b.vs	.Lkinds_wrong
	b.hi	.Lkinds_wrong
	b.lt	.Lkinds_wrong
	b.gt	.Lkinds_wrong
	b.eq	1f
	b	.Lkinds_wrong
1:	b.ge	1f
	b	.Lkinds_wrong
1:	movn	x1, #0
	cmp	x1, #1
	b.ge	.Lkinds_wrong
	b.le	1f
	b	.Lkinds_wrong
1:	b.hi	1f
	b	.Lkinds_wrong
1:

	/* 7: compare and branch, of both widths; the narrow form ignores the upper half */
	mov	x0, #7
	movz	x1, #1, lsl #32
	cbz	x1, .Lkinds_wrong
	cbnz	w1, .Lkinds_wrong
	cbnz	x1, 1f
	b	.Lkinds_wrong
1:	cbz	w1, 1f
	b	.Lkinds_wrong
1:

	/* 8: test a bit and branch */
	mov	x0, #8
	tbz	x1, #32, .Lkinds_wrong
	tbnz	x1, #31, .Lkinds_wrong
	tbnz	x1, #32, 1f
	b	.Lkinds_wrong
1:	tbz	w1, #0, 1f
	b	.Lkinds_wrong
1:

	/* 9: a return through another register */
	mov	x0, #9
	adr	x3, 1f
	ret	x3
	b	.Lkinds_wrong
1:

	/* 10: a loop of compare and branch */
	mov	x1, #5
	mov	x2, #0
1:	add	x2, x2, #3
	sub	x1, x1, #1
	cbnz	x1, 1b
	cmp	x2, #15
	expect	10, ne

	/* 11: pairs with write-back before and behind, and of signed words */
	mov	x1, x19
	stp	x10, x19, [x1, #16]!
	ldp	x2, x3, [x1], #-16
	cmp	x1, x19
	expect	11, ne
	cmp	x2, x10
	expect	11, ne
	cmp	x3, x19
	expect	11, ne
	ldpsw	x2, x3, [x1, #16]
	cmp	x2, w10, sxtw
	expect	11, ne

	/* 12: parts of words, by register and extended offsets */
	str	x10, [x19]
	mov	x1, #-1
	add	x2, x19, #8
	ldrb	w3, [x2, w1, sxtw]
	cmp	x3, #0x01
	expect	12, ne
	ldrsh	x3, [x19]
	cmp	x3, w10, sxth
	expect	12, ne
	strh	wzr, [x19, #2]
	ldr	x3, [x19]
	and	x4, x10, #0xffffffff0000ffff
	cmp	x3, x4
	expect	12, ne

	/* 13: the stack pointer: as base, changed, compared */
	mov	x1, sp
	str	x10, [sp, #-16]!
	sub	x2, x1, #16
	cmp	sp, x2
	expect	13, ne
	ldr	x3, [sp], #16
	cmp	sp, x1
	expect	13, ne
	cmp	x3, x10
	expect	13, ne

	/* 14: carries, conditional comparison and selection */
	movn	x1, #0
	adds	x2, x1, #1
	adc	x3, xzr, xzr
	cmp	x3, #1
	ccmp	x2, #0, #0, eq
	expect	14, ne
	cset	x3, eq
	csinc	x4, x3, x3, ne
	csneg	x4, x4, x4, eq
	cmp	x4, #2
	expect	14, ne

	/* 15: multiply, divide, remainder */
	movz	x1, #0x4243
	movk	x1, #0xf, lsl #16
	mov	x2, #1000
	mul	x3, x1, x2
	mov	x4, #7
	udiv	x5, x3, x4
	msub	x6, x5, x4, x3
	cmp	x6, #3
	expect	15, ne
	umulh	x3, x10, x10
	lsr	x4, x3, #40
	cmp	x4, #0x14b
	expect	15, ne

	/* 16: exclusive load and store */
	mov	x1, #5
	str	x1, [x19]
1:	ldaxr	x2, [x19]
	add	x2, x2, #3
	stlxr	w3, x2, [x19]
	cbnz	w3, 1b
	ldr	x2, [x19]
	cmp	x2, #8
	expect	16, ne

	/* 17: fields, shifts, rotations, counts */
	ubfx	x1, x10, #8, #16
	movz	x2, #0xabcd
	cmp	x1, x2
	expect	17, ne
	mov	x2, #0
	bfi	x2, x10, #4, #8
	cmp	x2, #0xef0
	expect	17, ne
	extr	x2, x10, x10, #8
	ror	x3, x10, #8
	cmp	x2, x3
	expect	17, ne
	clz	x2, x10
	cmp	x2, #7
	expect	17, ne
	rev	x2, x10
	rbit	x3, x2
	rbit	x3, x3
	rev	x3, x3
	cmp	x3, x10
	expect	17, ne

	/* 18: the flags survive the instructions in between, and are read and written as a register */
	cmp	x10, x10
	nop
	adr	x1, .Lconstant
	mrs	x2, nzcv
	cmp	x10, xzr
	msr	nzcv, x2
	expect	18, ne
	mov	x0, #18
	b.cc	.Lkinds_wrong

	/* 19: hints and barriers; sign and authenticate the return address, if the CPU can */
	mov	x1, x30
	hint	#25
	hint	#29
	cmp	x1, x30
	expect	19, ne
	hint	#34
	yield
	dmb	ish
	isb

	/* 20: system registers that are only read */
	mrs	x1, sp_el0
	mrs	x2, sp_el0
	cmp	x1, x2
	expect	20, ne
	mrs	x1, currentel
	cbz	x1, .Lkinds_wrong

	mov	x0, #0
.Lkinds_wrong:
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

.Lreturn_address:
	mov	x2, x30
	ret

	.balign 8
.Lconstant:
	.quad	0x0123456789abcdef
SYM_FUNC_END(ktruth_kinds)

	.section .rodata
SYM_DATA_START(ktruth_five_offsets)
	.byte	.Lfive_1 - ktruth_five, .Lfive_2 - ktruth_five, .Lfive_3 - ktruth_five
	.byte	.Lfive_4 - ktruth_five, .Lfive_5 - ktruth_five, .Lfive_return - ktruth_five
SYM_DATA_END(ktruth_five_offsets)
