/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.S - the probe of static tracepoints.  The arguments of the static tracepoint follow the site, and still are in
 * the registers of the call, so programs capture them like the arguments of a function at its entry.
 */
#include <linux/linkage.h>

/* struct pt_regs (arch/x86/include/asm/ptrace.h) */
#define SIZE	168
#define SP	152
#define FLAGS	144

	.text
SYM_FUNC_START(kt_x86_event_probe)
	.byte	0xf3, 0x0f, 0x1e, 0xfa		/* endbr64 */
	leaq	-16(%rsp), %rsp			/* ss, sp */
	pushfq
	leaq	-24(%rsp), %rsp			/* cs, ip, orig_ax */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cli
	leaq	SIZE(%rsp), %rax
	movq	%rax, SP(%rsp)
	movq	%rsp, %rsi
	call	kt_x86_event
	pushq	FLAGS(%rsp)
	popfq					/* interrupts as before */
	popq	%r15				/* unchanged; the pops are for the unwinder */
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	leaq	(SIZE - 6 * 8)(%rsp), %rsp
	RET
SYM_FUNC_END(kt_x86_event_probe)
