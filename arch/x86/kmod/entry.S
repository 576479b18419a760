/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry.S - the probe of static tracepoints, and rare ways of hits by jumps.  The arguments of the static tracepoint follow the site, and still are in
 * the registers of the call, so programs capture them like the arguments of a function at its entry.
 *
 * The probe turns interrupts off, pushes the flags, and jumps to the code for hits of the descriptor (emit_hit.c), or to kt_x86_event_slow: rdi = the site, the other arguments unchanged.  r10, r11 and rax may change there.
 */
#include <linux/linkage.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/objtool.h>
#endif
#include <asm/asm.h>
#include <asm/nospec-branch.h>

#include "frame.h"
#include "arch/x86/kmod/return.h"

/* A function with another stack frame than objtool expects: it has the flags on the stack.  The unwinder stops there. */
.macro ODD name
#ifdef CONFIG_X86_KERNEL_IBT
	STACK_FRAME_NON_STANDARD \name
#endif
.endm

/* Nothing calls these functions indirectly; objtool cannot know that. */
.macro BEGIN name
SYM_FUNC_START(\name)
#ifdef CONFIG_X86_KERNEL_IBT
	ANNOTATE_NOENDBR
#endif
	_ASM_NOKPROBE(\name)
.endm

.macro ENDBRANCH
	.byte	0xf3, 0x0f, 0x1e, 0xfa
.endm

/* The registers that functions may change, as struct pt_regs has them. */
.macro PUSH_SCRATCH
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
.endm

.macro POP_SCRATCH
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
.endm

	.text
SYM_FUNC_START(kt_x86_event_probe)
	_ASM_NOKPROBE(kt_x86_event_probe)
	ENDBRANCH
	pushfq
	cli
	movq	KT_SITE_DIRECT(%rdi), %r11
	JMP_NOSPEC r11
SYM_FUNC_END(kt_x86_event_probe)
ODD kt_x86_event_probe

/* kt_x86_event_probe on a kernel without thunks for indirect jumps. */
SYM_FUNC_START(kt_x86_event_probe_plain)
	_ASM_NOKPROBE(kt_x86_event_probe_plain)
	ENDBRANCH
	pushfq
	cli
	ANNOTATE_RETPOLINE_SAFE
	jmp	*KT_SITE_DIRECT(%rdi)
	int3					/* stops straight-line speculation */
SYM_FUNC_END(kt_x86_event_probe_plain)
ODD kt_x86_event_probe_plain

/* Generated code leaves a hit to the C path: rax = the descriptor. */
BEGIN kt_x86_event_again
	movq	KT_DESC_CONSUMER(%rax), %rdi
	movq	KT_CONSUMER_SITE(%rdi), %rdi
	jmp	1f
SYM_FUNC_END(kt_x86_event_again)
ODD kt_x86_event_again

/* As the trampoline of a jump does: the scratch registers for every hit, the others only if the descriptor needs them. */
SYM_FUNC_START(kt_x86_event_slow)
	_ASM_NOKPROBE(kt_x86_event_slow)
	ENDBRANCH
	movq	KT_SITE_DESC(%rdi), %rax
1:	leaq	-32(%rsp), %rsp			/* sp, flags, cs, ip; ss has the flags */
	pushq	32(%rsp)			/* orig_ax, see kt_regs_complete() */
	PUSH_SCRATCH
	movq	%rax, %rdx
	cmpb	$0, KT_DESC_ALL_REGS(%rdx)
	jne	3f
	leaq	-KT_REGS_SCRATCH(%rsp), %rsp
	movq	%rsp, %rsi
	call	kt_hit_event
	leaq	KT_REGS_SCRATCH(%rsp), %rsp
2:	leaq	(KT_REGS_BYTES - KT_REGS_SCRATCH - 8)(%rsp), %rsp
	jmp	kt_x86_event_end
3:	pushq	%rbx
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
	jmp	2b
SYM_FUNC_END(kt_x86_event_slow)
ODD kt_x86_event_slow

/* The interpreter runs the whole program: rax = the program, rdi = where the payload is, the arguments as in the probe. */
BEGIN kt_x86_event_rest
	leaq	-48(%rsp), %rsp
	PUSH_SCRATCH
	leaq	-KT_REGS_SCRATCH(%rsp), %rsp
	movq	%rdi, %rdx
	movq	%rax, %rdi
	movq	%rsp, %rsi
	xorl	%ecx, %ecx
	call	kt_capture_rest
	leaq	KT_REGS_BYTES(%rsp), %rsp
	RET
SYM_FUNC_END(kt_x86_event_rest)

/* To the code of a case, which r11 has. */
BEGIN kt_x86_event_jump
	JMP_NOSPEC r11
SYM_FUNC_END(kt_x86_event_jump)
ODD kt_x86_event_jump

/* A reader of the rings in rdi waits for this record. */
BEGIN kt_x86_event_wake
	call	kt_wake_waiting
	jmp	kt_x86_event_end
SYM_FUNC_END(kt_x86_event_wake)
ODD kt_x86_event_wake

/*
 * A trampoline has a descriptor that needs all registers, or that has code for its hits: rdi = the site, rsi = the registers,
 * rdx = the descriptor.  The return address is where the other registers belong.
 */
BEGIN kt_x86_jump_special
	cmpb	$0, KT_DESC_ALL_REGS(%rdx)
	jne	1f
	movq	KT_DESC_HIT(%rdx), %rax
	JMP_NOSPEC rax
1:	popq	%rax
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rax, %rbx
	call	kt_hit_jump_all
	movq	%rbx, %rax
	movq	40(%rsp), %rbx
	addq	$48, %rsp
	pushq	%rax
	RET
SYM_FUNC_END(kt_x86_jump_special)
ODD kt_x86_jump_special

/* Generated code leaves a hit to the C path: rax = the descriptor, rsi = the registers. */
BEGIN kt_x86_jump_again
	movq	%rax, %rdx
	movq	KT_DESC_CONSUMER(%rax), %rdi
	movq	KT_CONSUMER_SITE(%rdi), %rdi
	jmp	kt_hit_jump
SYM_FUNC_END(kt_x86_jump_again)

/* The interpreter runs the whole program: rdi = the program, rsi = the registers, rdx = where the payload is. */
BEGIN kt_x86_jump_rest
	xorl	%ecx, %ecx
	jmp	kt_capture_rest
SYM_FUNC_END(kt_x86_jump_rest)

/* After C, which may change flags that the trampoline does not put back (AC, DF): those of the hit, `at` the stack pointer; interrupts stay off. */
.macro RESTORE_FLAGS at
	pushq	\at(%rsp)
	andl	$~KT_FLAGS_IF, (%rsp)
	popfq
.endm

/* A direct trampoline calls this with interrupts off.  rax = site->direct; the stack has the return address, rax, the flags. */
BEGIN kt_x86_direct_enter
	JMP_NOSPEC rax
SYM_FUNC_END(kt_x86_direct_enter)
ODD kt_x86_direct_enter

/*
 * The same, by the C path.  The registers lie so that behind them is the stack pointer of the hit: rax and the return address are
 * where sp and flags belong, which kt_regs_complete() overwrites.  So the return address is kept where cs belongs.
 */
SYM_FUNC_START(kt_x86_direct_slow)
	_ASM_NOKPROBE(kt_x86_direct_slow)
	ENDBRANCH
	pushq	(%rsp)
	leaq	-8(%rsp), %rsp			/* ip */
	pushq	32(%rsp)			/* orig_ax: the flags */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	64(%rsp)			/* rax */
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	cld
	leaq	-KT_REGS_SCRATCH(%rsp), %rsi
	movq	88(%rsp), %rdi
	movq	-KT_DIRECT_SITE(%rdi), %rdi
	subq	$KT_SITE_DIRECT, %rdi
	movq	KT_SITE_DESC(%rdi), %rdx
	cmpw	$0, KT_DESC_ALL_REGS(%rdx)	/* and has_hit */
	jne	2f
	call	kt_hit_jump
1:	movq	88(%rsp), %rcx
	movq	%rcx, 96(%rsp)
	POP_SCRATCH
	movq	%rax, 32(%rsp)
	leaq	24(%rsp), %rsp
	RESTORE_FLAGS 16
	RET
2:	call	kt_x86_jump_special
	jmp	1b
SYM_FUNC_END(kt_x86_direct_slow)
ODD kt_x86_direct_slow

/* A reader of the rings in rax waits for this record. */
BEGIN kt_x86_direct_wake
	PUSH_SCRATCH
	cld
	movq	%rax, %rdi
	call	kt_wake_waiting
	POP_SCRATCH
	RESTORE_FLAGS 16
	RET
SYM_FUNC_END(kt_x86_direct_wake)
ODD kt_x86_direct_wake

/*
 * The interpreter writes the payload of a direct jump: rdi = the program, rdx = where.  The stack is that of emit_hit.c:
 * behind the return address are the commit count, rdi, rsi, rcx, rdx, the return address of the code, rax, the flags.
 */
BEGIN kt_x86_direct_rest
	pushq	$0				/* ss */
	leaq	80(%rsp), %rax
	pushq	%rax				/* sp */
	pushq	80(%rsp)			/* flags */
	pushq	$0				/* cs, ip, orig_ax */
	pushq	$0
	pushq	$0
	pushq	64(%rsp)			/* rdi */
	pushq	80(%rsp)			/* rsi */
	pushq	104(%rsp)			/* rdx */
	pushq	104(%rsp)			/* rcx */
	pushq	136(%rsp)			/* rax */
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
	cld
	movq	%rsp, %rsi
	xorl	%ecx, %ecx
	call	kt_capture_rest
	leaq	KT_REGS_SCRATCH(%rsp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	leaq	88(%rsp), %rsp
	RESTORE_FLAGS 64
	RET
SYM_FUNC_END(kt_x86_direct_rest)
ODD kt_x86_direct_rest

/* The same two for the code of a direct hit, which has two more words on the stack: rdi = the site; rax = the rings. */
BEGIN kt_x86_event_direct_slow
	leaq	16(%rsp), %rsp
	jmp	kt_x86_event_slow
SYM_FUNC_END(kt_x86_event_direct_slow)
ODD kt_x86_event_direct_slow

BEGIN kt_x86_event_direct_wake
	leaq	16(%rsp), %rsp
	movq	%rax, %rdi
	jmp	kt_x86_event_wake
SYM_FUNC_END(kt_x86_event_direct_wake)
ODD kt_x86_event_direct_wake

/* The end of a hit: interrupts as before. */
BEGIN kt_x86_event_end
	popq	%rax
	testl	$KT_FLAGS_IF, %eax
	jz	1f
	sti
1:	RET
SYM_FUNC_END(kt_x86_event_end)
ODD kt_x86_event_end
