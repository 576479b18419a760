/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions whose indirect jump leads into their first five bytes, each by an address of another kind, and one that leads out.
 * For n: 2 + 1 + 2 + 1 + ... (one number for each of n down to 0); ktruth_planted_leaves: n + 2. See jumps.c.
 *
 * No landing pads: where the CPU checks them, these functions must not be called.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

#define PLANTED(name)						\
	.balign 16;						\
	SYM_START(ktruth_planted_##name, SYM_L_GLOBAL, SYM_A_NONE)

.macro plain_return
	ANNOTATE_UNRET_SAFE
	ret
.endm

/* Where something leads on purpose that needs no landing pad. */
.macro target
#ifdef CONFIG_X86_KERNEL_IBT
	ANNOTATE_NOENDBR
#endif
.endm

/* The first six bytes. \two and \four become labels. */
.macro first_bytes two, four
	xor	%eax, %eax
	target
\two:	inc	%eax
	target
\four:	inc	%eax
	dec	%rdi
	js	9f
.endm

/* Jump to the address in %rcx; 9: the end. */
.macro jump_and_end name
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%rcx
	int3
9:	plain_return
SYM_FUNC_END(ktruth_planted_\name)
	STACK_FRAME_NON_STANDARD ktruth_planted_\name
.endm

	.text

/* A tail call: a jump over the first bytes is right. */
PLANTED(leaves)
	first_bytes .Lleaves_2, .Lleaves_4
	mov	.Lleaves(%rip), %rcx
	jump_and_end leaves

/* Returns n + 3, with n one less than it was in ktruth_planted_leaves. */
	.balign 16
SYM_START(ktruth_planted_end, SYM_L_LOCAL, SYM_A_NONE)
	target
	lea	3(%rdi), %rax
	plain_return
SYM_FUNC_END(ktruth_planted_end)

/* A table of pointers, as of a switch. */
PLANTED(pointers)
	first_bytes .Lpointers_2, .Lpointers_4
	mov	%edi, %ecx
	and	$1, %ecx
	mov	.Lpointers(, %rcx, 8), %rcx
	jump_and_end pointers

/* The same, but the pointers are not aligned. */
PLANTED(unaligned)
	first_bytes .Lunaligned_2, .Lunaligned_4
	mov	%edi, %ecx
	and	$1, %ecx
	mov	.Lunaligned(, %rcx, 8), %rcx
	jump_and_end unaligned

/* A table of distances from the table, as in position-independent code. */
PLANTED(distances)
	first_bytes .Ldistances_2, .Ldistances_4
	mov	%edi, %ecx
	and	$1, %ecx
	lea	.Ldistances(%rip), %rdx
	movslq	(%rdx, %rcx, 4), %rcx
	add	%rdx, %rcx
	jump_and_end distances

/* A table of distances from each entry. */
PLANTED(relative)
	first_bytes .Lrelative_2, .Lrelative_4
	mov	%edi, %ecx
	and	$1, %ecx
	lea	.Lrelative(%rip), %rdx
	lea	(%rdx, %rcx, 4), %rdx
	movslq	(%rdx), %rcx
	add	%rdx, %rcx
	jump_and_end relative

/* Distances of a byte, from an address in the function. */
PLANTED(bytes)
	first_bytes .Lbytes_2, .Lbytes_4
	mov	%edi, %ecx
	and	$1, %ecx
	movzbl	.Lbytes(%rcx), %ecx
	lea	ktruth_planted_bytes(%rip), %rdx
	add	%rdx, %rcx
	jump_and_end bytes

/* The labels are operands: one relative, one absolute. */
PLANTED(operands)
	first_bytes .Loperands_2, .Loperands_4
	lea	.Loperands_2(%rip), %rcx
	mov	$.Loperands_4, %rdx
	test	$1, %dil
	cmovnz	%rdx, %rcx
	jump_and_end operands

/* The labels are operands of code elsewhere, which the function branches to. */
PLANTED(apart)
	first_bytes .Lapart_2, .Lapart_4
	jmp	ktruth_planted_apart_cold
.Lapart_back:
	jump_and_end apart

/* A table of pointers in the text, behind other code. */
PLANTED(text)
	first_bytes .Ltext_2, .Ltext_4
	mov	%edi, %ecx
	and	$1, %ecx
	lea	ktruth_planted_text_table(%rip), %rdx
	mov	(%rdx, %rcx, 8), %rcx
	jump_and_end text

	.skip	256, 0x90	/* no function has data as its neighbour */
	.balign 8
SYM_START(ktruth_planted_text_table, SYM_L_LOCAL, SYM_A_NONE)
	target
	.quad	.Ltext_2, .Ltext_4
SYM_FUNC_END(ktruth_planted_text_table)
	STACK_FRAME_NON_STANDARD ktruth_planted_text_table

	.section .text.unlikely, "ax", @progbits
SYM_START(ktruth_planted_apart_cold, SYM_L_LOCAL, SYM_A_NONE)
	lea	.Lapart_2(%rip), %rcx
	lea	.Lapart_4(%rip), %rdx
	test	$1, %dil
	cmovnz	%rdx, %rcx
	jmp	.Lapart_back
SYM_FUNC_END(ktruth_planted_apart_cold)
	STACK_FRAME_NON_STANDARD ktruth_planted_apart_cold

	.section .rodata
	.balign 8
.Lpointers:
	.quad	.Lpointers_2, .Lpointers_4
	.byte	0
.Lunaligned:
	.quad	.Lunaligned_2, .Lunaligned_4

	.data
	.balign 8
.Lleaves:
	.quad	ktruth_planted_end
.Lrelative:
	.long	.Lrelative_2 - ., .Lrelative_4 - .
.Lbytes:
	.byte	2, 4
	.balign 4
.Ldistances:
	.long	.Ldistances_2 - .Ldistances, .Ldistances_4 - .Ldistances
