/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions that are exactly these, whatever the compiler; see truth.h. */
#include <linux/linkage.h>

	.text

SYM_FUNC_START(ktruth_spin)
	mov	x1, x0
1:	subs	x1, x1, #1
	b.ne	1b
	ret
SYM_FUNC_END(ktruth_spin)

SYM_FUNC_START(ktruth_five)
.Lfive_1:
	mov	x8, x0
.Lfive_2:
	add	x8, x8, #1
.Lfive_3:
	lsl	x8, x8, #1
.Lfive_4:
	mov	x9, x1
.Lfive_5:
	eor	x0, x8, x9
.Lfive_return:
	ret
SYM_FUNC_END(ktruth_five)

SYM_FUNC_START(ktruth_call_register)
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x8, x0
	mov	x0, x1
SYM_INNER_LABEL(ktruth_call_register_call, SYM_L_GLOBAL)
	blr	x8
	ldp	x29, x30, [sp], #16
	ret
SYM_FUNC_END(ktruth_call_register)

/* What each step must leave behind, or its number is the result. */
.macro expect number:req, condition:req
	mov	x0, #\number
	b.\condition	.Lkinds_wrong
.endm

/* x10 = a constant of 64 bits */
.macro constant c3:req, c2:req, c1:req, c0:req
	movz	x10, #\c0
	movk	x10, #\c1, lsl #16
	movk	x10, #\c2, lsl #32
	movk	x10, #\c3, lsl #48
.endm

/* Each register by its DWARF number: the value that it has when it is traced; what sp points to. */
.macro each_register what:req
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	\what	\n
	.endr
.endm
.macro plant number:req
	movz	x\number, #7, lsl #16
	movk	x\number, #\number
.endm
.macro still number:req
	sub	x\number, x\number, #0x70, lsl #12
	cmp	x\number, #\number
	b.ne	.Lregisters_wrong
.endm

SYM_FUNC_START(ktruth_registers)
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	str	x18, [sp, #96]
	plant	0
	add	x0, x0, #31
	str	x0, [sp, #-16]!
	each_register plant
	cmp	xzr, xzr
	nop
SYM_INNER_LABEL(ktruth_registers_here, SYM_L_GLOBAL)
	nop
	b.cc	.Lregisters_wrong
	each_register still
	mov	x0, #0
1:	add	sp, sp, #16
	ldr	x18, [sp, #96]
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #112
	ret
.Lregisters_wrong:
	mov	x0, #1
	b	1b
SYM_FUNC_END(ktruth_registers)

/*
 * x0: 8 words of scratch. Each step sets the flags from the comparison of what came with what must come.
 * Displacements and literals are such that a wrongly moved instruction is found out.
 */
SYM_FUNC_START(ktruth_kinds)
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	mov	x19, x0

	/* 1: a literal of eight bytes */
	constant 0x0123, 0x4567, 0x89ab, 0xcdef
	ldr	x1, .Lliteral
	cmp	x1, x10
	expect	1, ne

	/* 2: of four, zero-extended and sign-extended */
	ldr	w1, .Lliteral
	cmp	x1, w10, uxtw
	expect	2, ne
	ldrsw	x1, .Lliteral
	cmp	x1, w10, sxtw
	expect	2, ne
	ldr	x1, .Lliteral + 4
	ror	x1, x1, #32
	ldr	w2, .Lliteral + 8
	ldr	w3, .Lliteral + 4
	orr	x2, x2, x3, lsl #32
	cmp	x1, x2
	expect	2, ne

	/* 3: addresses, of the page and of the byte */
	adr	x1, .Lliteral
	ldr	x2, [x1]
	cmp	x2, x10
	expect	3, ne
	adrp	x1, .Lconstant
	add	x1, x1, :lo12:.Lconstant
	ldr	x2, [x1]
	cmp	x2, x10
	expect	3, ne
	adr	x1, .Lodd
	ldrb	w2, [x1]
	cmp	w2, #0x5a
	expect	3, ne

	/* 4: calls, which must leave the true return address */
	bl	.Lreturn_address
.Lafter_call:
	adr	x1, .Lafter_call
	cmp	x0, x1
	expect	4, ne
	adr	x2, .Lreturn_address
	blr	x2
.Lafter_register:
	adr	x1, .Lafter_register
	cmp	x0, x1
	expect	4, ne

	/* 5: branches to registers */
	adr	x1, 1f
	mov	x0, #5
	br	x1
	b	.Lkinds_wrong
1:	adr	x1, 2f
	ret	x1
	b	.Lkinds_wrong
2:
	/* 6: conditions, taken and not taken, forward and back */
	mov	x2, #3
	mov	x3, #0
3:	add	x3, x3, #1
	subs	x2, x2, #1
	b.gt	3b
	cmp	x3, #3
	expect	6, ne
	mov	x0, #6
	cmp	x3, #4
	b.ge	.Lkinds_wrong
	b.lo	4f
	b	.Lkinds_wrong
4:	b.hi	.Lkinds_wrong
	b.eq	.Lkinds_wrong
	b.pl	.Lkinds_wrong
	b.vs	.Lkinds_wrong

	/* 7: compare with 0 and branch, of both sizes */
	mov	x0, #7
	mov	x2, #1 << 32
	cbz	x2, .Lkinds_wrong
	cbnz	w2, .Lkinds_wrong
	cbz	w2, 5f
	b	.Lkinds_wrong
5:	cbnz	x2, 6f
	b	.Lkinds_wrong
6:
	/* 8: test a bit and branch, in both halves */
	mov	x0, #8
	mov	w2, #0x80000001
	tbz	w2, #0, .Lkinds_wrong
	tbnz	x2, #32, .Lkinds_wrong
	tbz	x2, #31, .Lkinds_wrong
	tbnz	x2, #0, 7f
	b	.Lkinds_wrong
7:	tbz	x2, #63, 8f
	b	.Lkinds_wrong
8:
	/* 9: flags, and what takes them along */
	cmp	xzr, xzr
	mrs	x2, nzcv
	cmn	x2, #1
	msr	nzcv, x2
	expect	9, ne
	expect	9, cc
	mov	x3, #-1
	adds	x3, x3, #1
	adc	x4, xzr, xzr
	cmp	x4, #1
	expect	9, ne

	/* 10: interrupt masks */
	mrs	x2, daif
	msr	daifset, #2
	mrs	x3, daif
	msr	daif, x2
	orr	x4, x2, #0x80
	cmp	x3, x4
	expect	10, ne
	mrs	x3, daif
	cmp	x3, x2
	expect	10, ne

	/* 11: pairs, before and after the stack pointer moves */
	mov	x2, #77
	mov	x3, #78
	mov	x5, sp
	stp	x2, x3, [sp, #-16]!
	ldr	x4, [sp, #8]
	cmp	x4, #78
	expect	11, ne
	ldp	x3, x2, [sp], #16
	cmp	x3, #77
	expect	11, ne
	mov	x6, sp
	cmp	x5, x6
	expect	11, ne

	/* 12: exclusive sequences: an addition, and one of two words */
	mov	x2, #5
	str	x2, [x19]
9:	ldxr	x3, [x19]
	add	x3, x3, #3
	stxr	w4, x3, [x19]
	cbnz	w4, 9b
	ldr	x3, [x19]
	cmp	x3, #8
	expect	12, ne
10:	ldaxr	w3, [x19]
	cmp	w3, #8
	b.ne	11f
	stlxr	w4, w2, [x19]
	cbnz	w4, 10b
11:	ldar	x3, [x19]
	cmp	x3, #5
	expect	12, ne

	/* 13: select, multiply, divide */
	mov	x2, #1000
	mov	x3, #7
	cmp	x2, x3
	csel	x4, x2, x3, hi
	cinc	x4, x4, hi
	udiv	x5, x4, x3
	msub	x6, x5, x3, x4
	cmp	x5, #143
	expect	13, ne
	cbnz	x6, .Lkinds_wrong

	/* 14: fields, shifts, counts */
	constant 0x0123, 0x4567, 0x89ab, 0xcdef
	ubfx	x2, x10, #8, #16
	mov	x3, #0xabcd
	cmp	x2, x3
	expect	14, ne
	sbfx	x2, x10, #4, #4
	cmn	x2, #2
	expect	14, ne
	rev	x2, x10
	extr	x2, x2, x10, #8
	clz	x3, x10
	rbit	x4, x10
	cmp	x3, #7
	expect	14, ne
	tbz	x4, #63, .Lkinds_wrong

	/* 15: stores and loads of every size, and of others' addressing */
	mov	x2, #-2
	str	x2, [x19, #8]
	ldrb	w3, [x19, #8]
	ldrsh	x4, [x19, #8]
	mov	x5, #1
	ldr	x6, [x19, x5, lsl #3]
	cmp	w3, #0xfe
	expect	15, ne
	cmp	x4, x6
	expect	15, ne
	stur	w5, [x19, #9]
	ldrb	w3, [x19, #9]
	cmp	w3, #1
	expect	15, ne

	/* 16: what does nothing to be seen: hints, barriers, prefetches, signing of the return address */
	mov	x2, #16
	nop
	yield
	hint	#34		/* bti c */
	hint	#25		/* paciasp */
	hint	#29		/* autiasp */
	prfm	pldl1keep, [x19]
	prfm	pldl1keep, .Lliteral
	isb
	dmb	ish
	clrex
	cmp	x2, #16
	expect	16, ne

	mov	x0, #0
.Lkinds_wrong:
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

.Lreturn_address:
	mov	x0, x30
	ret
	.balign	8
.Lliteral:
	.quad	0x0123456789abcdef
	.word	0x600dcafe
	.byte	0
.Lodd:
	.byte	0x5a, 0, 0
SYM_FUNC_END(ktruth_kinds)

	.section .rodata
	.balign 8
.Lconstant:
	.quad	0x0123456789abcdef

SYM_DATA_START(ktruth_five_offsets)
	.byte	.Lfive_1 - ktruth_five, .Lfive_2 - ktruth_five, .Lfive_3 - ktruth_five
	.byte	.Lfive_4 - ktruth_five, .Lfive_5 - ktruth_five, .Lfive_return - ktruth_five
SYM_DATA_END(ktruth_five_offsets)
