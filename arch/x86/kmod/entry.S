/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.S - the probe of static tracepoints.  The arguments of the static tracepoint follow the site, and still are in
 * the registers of the call, so programs capture them like the arguments of a function at its entry.
 */
#include <linux/linkage.h>

#include "frame.h"

	.text
/* As the trampoline of a jump does: the scratch registers for every hit, the others only if the descriptor needs them. */
SYM_FUNC_START(kt_x86_event_probe)
	.byte	0xf3, 0x0f, 0x1e, 0xfa		/* endbr64 */
	leaq	-40(%rsp), %rsp			/* ss, sp, flags, cs, ip */
	pushfq					/* orig_ax, see kt_regs_complete() */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	cli
	movq	KT_SITE_DESC(%rdi), %rdx
	cmpb	$0, KT_DESC_ALL_REGS(%rdx)
	jne	2f
	leaq	-KT_REGS_SCRATCH(%rsp), %rsp
	movq	%rsp, %rsi
	call	kt_hit_event
	leaq	KT_REGS_SCRATCH(%rsp), %rsp
1:	testl	$KT_FLAGS_IF, (KT_REGS_ORIG_AX - KT_REGS_SCRATCH)(%rsp)
	leaq	(KT_REGS_BYTES - KT_REGS_SCRATCH)(%rsp), %rsp
	jz	3f
	sti
3:	RET
2:	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, %rsi
	call	kt_hit_event_all
	popq	%r15				/* unchanged; the pops are for the unwinder */
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	jmp	1b
SYM_FUNC_END(kt_x86_event_probe)
