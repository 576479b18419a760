/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * generate_calls.S - what generated code calls.  See generate.c for its registers.
 *
 * A load takes an address in rax and returns the value there in rax, extended by zeros; it may change rcx.  It reads the
 * direct map, the current stack and the kernel's image, as kt_load() does (load.c), and no other memory.  If the value
 * cannot be read, it does not return: it gives up, which means that the interpreter runs the program from its start and
 * returns to the caller of the generated code.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/page_types.h>
#include <asm/pgtable_64_types.h>
#include <asm/thread_info.h>

/* Older kernels have no macro for the return instruction. */
#ifndef RET
#define RET	ret
#endif

	.text
.macro LOAD name insn
SYM_CODE_START(\name)
	movq	kt_direct_shift(%rip), %rcx
	addq	%rax, %rcx
	cmpq	kt_direct_size(%rip), %rcx
	jae	2f
1:	\insn
	RET
2:	movq	%rsp, %rcx
	xorq	%rax, %rcx
	cmpq	$THREAD_SIZE, %rcx
	jb	1b
	cmpq	$__START_KERNEL_map, %rax
	jb	kt_x86_code_give_up
	cmpq	$(MODULES_END - 8), %rax
	jbe	1b
	jmp	kt_x86_code_give_up
	_ASM_EXTABLE(1b, kt_x86_code_give_up)
	_ASM_NOKPROBE(\name)
SYM_CODE_END(\name)
.endm

LOAD kt_x86_code_load8	"movzbl (%rax), %eax"
LOAD kt_x86_code_load16	"movzwl (%rax), %eax"
LOAD kt_x86_code_load32	"movl (%rax), %eax"
LOAD kt_x86_code_load64	"movq (%rax), %rax"

/* On the stack: the return address of a call from generated code. */
SYM_CODE_START(kt_x86_code_give_up)
	addq	$8, %rsp
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	movq	%r11, %rdi
	xorl	%ecx, %ecx
	jmp	kt_capture_rest
	_ASM_NOKPROBE(kt_x86_code_give_up)
SYM_CODE_END(kt_x86_code_give_up)

/* r10 = the registers of the current task's system call; without one, give up. */
SYM_CODE_START(kt_x86_code_call)
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%r11
	call	kt_syscall_regs
	popq	%r11
	popq	%rdx
	popq	%rsi
	popq	%rdi
	movq	%rax, %r10
	testq	%rax, %rax
	jz	kt_x86_code_give_up
	RET
	_ASM_NOKPROBE(kt_x86_code_call)
SYM_CODE_END(kt_x86_code_call)

SYM_CODE_START(kt_x86_code_end)
	RET
	_ASM_NOKPROBE(kt_x86_code_end)
SYM_CODE_END(kt_x86_code_end)
