/* SPDX-License-Identifier: GPL-2.0-only */
/* Exactly these instructions, whatever the compiler; see truth.h. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

	.text

/* No landing pad, which the macro of some kernels adds: the offsets must be the same everywhere. */
#define PLAIN_START(name)	SYM_START(name, SYM_L_GLOBAL, SYM_A_ALIGN)

/* A return of one byte, even if the kernel's own returns go through a thunk. */
.macro plain_return
	ANNOTATE_UNRET_SAFE
	ret
.endm

PLAIN_START(ktruth_spin)
	mov	%rdi, %rax
1:	sub	$1, %rdi
	jnz	1b
	plain_return
SYM_FUNC_END(ktruth_spin)

/* Begins and ends like most functions, with room for a jump. 4 + 2 n instructions, then the return. */
SYM_FUNC_START(ktruth_run)
	lea	0(%rdi), %rax
	lea	1(%rax), %rax
	lea	-1(%rax), %rax
	mov	%rax, %rcx
1:	sub	$1, %rcx
	jnz	1b
	RET
SYM_FUNC_END(ktruth_run)

/*
 * Calls itself; %rdi is the depth. At depth 0: 4 + 2 n + 2 instructions, then the return. At other depths: two
 * more, and those of the inner call and its return.
 */
SYM_FUNC_START(ktruth_nest)
	lea	0(%rdi), %rax
	lea	1(%rax), %rax
	lea	-1(%rax), %rax
	mov	%rsi, %rcx
1:	sub	$1, %rcx
	jnz	1b
	test	%rdi, %rdi
	jz	2f
	sub	$1, %rdi
	call	ktruth_nest
2:	RET
SYM_FUNC_END(ktruth_nest)

/* 3 + 2 n instructions and the return. */
PLAIN_START(ktruth_half)
	lea	0(%rdi), %rax
	lea	1(%rax), %rax
	mov	%rdi, %rcx
1:	sub	$1, %rcx
	jnz	1b
	plain_return
SYM_FUNC_END(ktruth_half)

PLAIN_START(ktruth_other_half)
	lea	0(%rdi), %rax
	lea	-1(%rax), %rax
	plain_return
SYM_FUNC_END(ktruth_other_half)

SYM_FUNC_START(ktruth_halves)
	call	ktruth_half
	call	ktruth_other_half
	plain_return
SYM_FUNC_END(ktruth_halves)

PLAIN_START(ktruth_five)
.Lfive_1:
	mov	%rdi, %rax
.Lfive_2:
	add	$1, %rax
.Lfive_3:
	shl	$1, %rax
.Lfive_4:
	mov	%rsi, %rdx
.Lfive_5:
	xor	%rdx, %rax
.Lfive_return:
	plain_return
SYM_FUNC_END(ktruth_five)

PLAIN_START(ktruth_call_register)
	mov	%rdi, %rax
	mov	%rsi, %rdi
SYM_INNER_LABEL(ktruth_call_register_call, SYM_L_GLOBAL)
	ANNOTATE_RETPOLINE_SAFE
	call	*%rax
	plain_return
SYM_FUNC_END(ktruth_call_register)

/* The state that each step must leave; otherwise the step's number is the result. */
.macro expect number:req, condition:req
	mov	$\number, %eax
	j\condition	.Lkinds_wrong
.endm

/* Each register, by its DWARF number: its value when it is traced; for rsp, the word that it points at. */
#define PLANTED(number)	(0x70000 + number)
.macro each_register what:req
	\what	0, %rax
	\what	1, %rdx
	\what	2, %rcx
	\what	3, %rbx
	\what	4, %rsi
	\what	5, %rdi
	\what	6, %rbp
	\what	8, %r8
	\what	9, %r9
	\what	10, %r10
	\what	11, %r11
	\what	12, %r12
	\what	13, %r13
	\what	14, %r14
	\what	15, %r15
.endm
.macro plant number:req, register:req
	mov	$PLANTED(\number), \register
.endm
.macro still number:req, register:req
	cmp	$PLANTED(\number), \register
	jne	.Lregisters_wrong
.endm

PLAIN_START(ktruth_registers)
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	$PLANTED(7)
	each_register plant
	stc
	nopw	0(%rax,%rax)
SYM_INNER_LABEL(ktruth_registers_here, SYM_L_GLOBAL)
	nopl	0x100(%rax)
	jnc	.Lregisters_wrong
	each_register still
	xor	%eax, %eax
1:	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	plain_return
.Lregisters_wrong:
	mov	$1, %eax
	jmp	1b
SYM_FUNC_END(ktruth_registers)

/*
 * rdi: 8 words of scratch memory. Each step sets the flags by comparing its result with the right one.
 * Displacements, relocations and flags are chosen so that a wrong copy of an instruction gives a wrong result.
 */
PLAIN_START(ktruth_kinds)
	push	%rbx
	push	%rbp
	push	%r12
	mov	%rdi, %r12

	/* 1: load relative to the instruction pointer */
	mov	.Lconstant(%rip), %rbx
	movabs	$0x0123456789abcdef, %rdx
	cmp	%rdx, %rbx
	expect	1, ne

	/* 2: compare with memory relative to the instruction pointer, an immediate behind the displacement */
	cmpl	$0x89abcdef, .Lconstant(%rip)
	expect	2, ne

	/* 3: address relative to the instruction pointer */
	lea	.Lconstant(%rip), %rbx
	cmp	%rdx, (%rbx)
	expect	3, ne

	/* 4: near call, which must push the true return address */
	call	.Lreturn_address
.Lafter_call:
	lea	.Lafter_call(%rip), %rdx
	cmp	%rdx, %rax
	expect	4, ne

	/* 5: push of an immediate and of memory, pop to memory */
	push	$-3
	pushq	(%rsp)
	popq	(%r12)
	pop	%rbx
	cmp	%rbx, (%r12)
	expect	5, ne
	cmp	$-3, %rbx
	expect	5, ne

	/* 6: push of the stack pointer pushes its old value */
	mov	%rsp, %rbx
	push	%rsp
	pop	%rdx
	cmp	%rbx, %rdx
	expect	6, ne

	/* 7: flags survive pushfq and popfq, and the instructions in between */
	stc
	pushfq
	clc
	popfq
	mov	$7, %eax
	jnc	.Lkinds_wrong

	/* 8: short branches, taken and not taken */
	xor	%ebx, %ebx
	jnz	1f
	jz	2f
1:	mov	$8, %eax
	jmp	.Lkinds_wrong
2:

	/* 9: loop, with a count of 3 and then of 1 */
	mov	$3, %ecx
	xor	%ebx, %ebx
3:	inc	%ebx
	loop	3b
	mov	$1, %ecx
4:	inc	%ebx
	loop	4b
	cmp	$4, %ebx
	expect	9, ne
	test	%rcx, %rcx
	expect	9, nz

	/* 10: jrcxz, taken */
	xor	%ecx, %ecx
	mov	$10, %eax
	jrcxz	5f
	jmp	.Lkinds_wrong
5:

	/* 11: loopne that ends by the flag */
	mov	$5, %ecx
	xor	%ebx, %ebx
6:	inc	%ebx
	cmp	$2, %ebx
	loopne	6b
	cmp	$3, %ecx
	expect	11, ne

	/* 12: string store and copy with repeat */
	lea	8(%r12), %rdi
	mov	$0x5a, %al
	mov	$8, %ecx
	cld
	rep stosb
	lea	8(%r12), %rsi
	lea	16(%r12), %rdi
	mov	$2, %ecx
	rep movsl
	mov	8(%r12), %rbx
	cmp	%rbx, 16(%r12)
	expect	12, ne
	movabs	$0x5a5a5a5a5a5a5a5a, %rdx
	cmp	%rdx, %rbx
	expect	12, ne

	/* 13: string comparison and scan with repeat */
	lea	8(%r12), %rsi
	lea	16(%r12), %rdi
	mov	$8, %ecx
	repe cmpsb
	expect	13, ne
	lea	8(%r12), %rdi
	mov	$8, %ecx
	mov	$0x5b, %al
	repne scasb
	expect	13, e

	/* 14: conditional move and set */
	xor	%ebx, %ebx
	mov	$9, %edx
	cmp	$1, %ebx
	cmovb	%edx, %ebx
	setb	%cl
	movzbl	%cl, %ecx
	lea	(%rbx,%rcx,2), %rbx
	cmp	$11, %rbx
	expect	14, ne

	/* 15: multiply and divide */
	mov	$1000003, %eax
	mov	$1000, %ecx
	mul	%ecx
	mov	$7, %ecx
	div	%ecx
	cmp	$142857571, %eax
	expect	15, ne
	cmp	$3, %edx
	expect	15, ne

	/* 16: locked exchange and add, compare and exchange */
	movq	$5, 24(%r12)
	mov	$3, %ebx
	lock xadd %rbx, 24(%r12)
	cmp	$5, %rbx
	expect	16, ne
	mov	$8, %eax
	mov	$99, %ebx
	lock cmpxchg %rbx, 24(%r12)
	expect	16, ne
	cmpq	$99, 24(%r12)
	expect	16, ne

	/* 17: shifts, rotates, carry chains, bit operations */
	mov	$0x80000001, %ebx
	rol	$1, %ebx
	adc	$0, %ebx
	cmp	$4, %ebx
	expect	17, ne
	bts	$33, %rbx
	bsr	%rbx, %rdx
	cmp	$33, %rdx
	expect	17, ne
	bswap	%rbx
	rol	$8, %rbx
	shrd	$8, %rbx, %rdx
	movabs	$0x0400000000000000, %rcx
	cmp	%rcx, %rdx
	expect	17, ne

	/* 18: frame instructions */
	enter	$16, $0
	mov	%rbp, %rbx
	sub	%rsp, %rbx
	leave
	cmp	$16, %rbx
	expect	18, ne

	/* 19: a return that removes its argument from the stack */
	mov	%rsp, %rbx
	push	$77
	call	.Lreturn_pops
	cmp	%rsp, %rbx
	expect	19, ne
	cmp	$77, %rdx
	expect	19, ne

	/* 20: indirect call through memory, and a jump through a register */
	lea	.Lreturn_address(%rip), %rbx
	mov	%rbx, 32(%r12)
	ANNOTATE_RETPOLINE_SAFE
	call	*32(%r12)
.Lafter_indirect:
	lea	.Lafter_indirect(%rip), %rdx
	cmp	%rdx, %rax
	expect	20, ne
	lea	7f(%rip), %rbx
	mov	$20, %eax
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%rbx
	jmp	.Lkinds_wrong
7:

	/* 21: sign extension and prefixes */
	mov	$-2, %ebx
	movslq	%ebx, %rdx
	mov	%edx, %eax
	cltq
	cqto
	mov	%rax, %rbx
	cmp	$-1, %rdx
	expect	21, ne
	cmp	$-2, %rbx
	expect	21, ne
	movw	$0x1234, 40(%r12)
	cmpw	$0x1234, 40(%r12)
	expect	21, ne

	/* 22: nops of every length, also of the breakpoint's length */
	mov	$22, %ebx
	.nops	1
	.nops	2
	.nops	5
	.nops	9
	endbr64
	pause
	cmp	$22, %ebx
	expect	22, ne

	xor	%eax, %eax
.Lkinds_wrong:
	pop	%r12
	pop	%rbp
	pop	%rbx
	plain_return

.Lreturn_address:
	mov	(%rsp), %rax
	plain_return

.Lreturn_pops:
	mov	8(%rsp), %rdx
	ANNOTATE_UNRET_SAFE
	ret	$8
SYM_FUNC_END(ktruth_kinds)
/* It contains calls, one of which returns with less on the stack. */
STACK_FRAME_NON_STANDARD ktruth_kinds

	.section .rodata
	.balign 8
.Lconstant:
	.quad	0x0123456789abcdef

SYM_DATA_START(ktruth_five_offsets)
	.byte	.Lfive_1 - ktruth_five, .Lfive_2 - ktruth_five, .Lfive_3 - ktruth_five
	.byte	.Lfive_4 - ktruth_five, .Lfive_5 - ktruth_five, .Lfive_return - ktruth_five
SYM_DATA_END(ktruth_five_offsets)
