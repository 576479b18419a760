/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate_calls.S - what generated code calls.  See generate.c for its registers.
 *
 * A load takes an address in rax and returns the value there in rax, extended by zeros; it may change rcx.  It reads the
 * direct map, the current stack and the kernel's image, as kt_load() does (load.c), and no other memory.  The carry flag
 * is set if the value could be read.
 */
#include <linux/linkage.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/objtool.h>
#endif
#include <asm/asm.h>
#include <asm/page_types.h>
#include <asm/pgtable_64_types.h>
#include <asm/thread_info.h>

/* Older kernels have no macro for the return instruction. */
#ifndef RET
#define RET	ret
#endif

/* Nothing calls these functions indirectly; objtool cannot know that. */
.macro BEGIN name
SYM_FUNC_START(\name)
#ifdef CONFIG_X86_KERNEL_IBT
	ANNOTATE_NOENDBR
#endif
.endm

	.text
.macro LOAD name insn
BEGIN \name
	movq	kt_direct_shift(%rip), %rcx
	addq	%rax, %rcx
	cmpq	kt_direct_size(%rip), %rcx
	jae	2f
1:	\insn				/* here the carry flag is set */
	RET
2:	movq	%rsp, %rcx
	xorq	%rax, %rcx
	cmpq	$THREAD_SIZE, %rcx
	jb	1b
	cmpq	$__START_KERNEL_map, %rax
	jb	3f
	cmpq	$(MODULES_END - 7), %rax
	jb	1b
3:	clc
	RET
	_ASM_EXTABLE(1b, 3b)
	_ASM_NOKPROBE(\name)
SYM_FUNC_END(\name)
.endm

LOAD kt_x86_code_load8	"movzbl (%rax), %eax"
LOAD kt_x86_code_load16	"movzwl (%rax), %eax"
LOAD kt_x86_code_load32	"movl (%rax), %eax"
LOAD kt_x86_code_load64	"movq (%rax), %rax"

/* r10 = the registers of the current task's system call.  The carry flag is set if there is one. */
BEGIN kt_x86_code_call
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	call	kt_syscall_regs
	popq	%rdx
	popq	%rsi
	popq	%rdi
	movq	%rax, %r10
	negq	%rax
	RET
	_ASM_NOKPROBE(kt_x86_code_call)
SYM_FUNC_END(kt_x86_code_call)

/*
 * Emit the text at rax with its 0, at most ecx bytes, to rsi, which moves behind it.  The carry flag is set if it is
 * readable, and shorter than that.  It keeps all other registers but rax and rcx.
 */
BEGIN kt_x86_code_text
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	$8, %rsp
	movq	%rsi, %rdi
	movq	%rax, %rsi
	leal	-1(%rcx), %edx
	movq	%rsp, %rcx
	call	kt_load_text
	movl	(%rsp), %ecx
	addq	$8, %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdx
	popq	%rsi
	popq	%rdi
	movb	$0, (%rsi,%rcx)
	leaq	1(%rsi,%rcx), %rsi
	cmpl	$1, %eax			/* KT_TEXT_ENDS is 0 */
	RET
	_ASM_NOKPROBE(kt_x86_code_text)
SYM_FUNC_END(kt_x86_code_text)

BEGIN kt_x86_code_end
	RET
	_ASM_NOKPROBE(kt_x86_code_end)
SYM_FUNC_END(kt_x86_code_end)
