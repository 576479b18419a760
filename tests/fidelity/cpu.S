/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.S - enter the code under test with a complete CPU state, and leave it: from a landing pad (cpu_capture)
 * or from a signal (cpu_on_signal). Neither leaves by a return through the code under test or by sigreturn(2),
 * so neither needs its stack.
 */
#include "state.h"

#define IN(offset)	cpu_in + (offset)(%rip)
#define OUT(offset)	cpu_out + (offset)(%rip)
#define FLAGS_CLEAN	0x2

	.section .note.GNU-stack, "", @progbits

	.bss
	.balign	64
host_rsp:	.skip 8
tick_execution:	.skip 8
host_fs_base:	.skip 8
small_stack:	.skip 64
small_stack_top:
	.text

/* void cpu_remember(void): save what the harness itself needs to run. */
	.globl	cpu_remember
	.hidden	cpu_remember
cpu_remember:
	rdfsbase %rax
	mov	%rax, host_fs_base(%rip)
	mov	cpu_vector_mask(%rip), %eax
	mov	cpu_vector_mask + 4(%rip), %edx
	lea	cpu_vector_clean(%rip), %rcx
	xsave64	(%rcx)
	ret

/* void cpu_enter(void): load cpu_in and *cpu_vector_in, run, save cpu_out and, at a pad, cpu_vector_out. */
	.globl	cpu_enter
	.hidden	cpu_enter
cpu_enter:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, host_rsp(%rip)
	mov	cpu_vector_mask(%rip), %eax
	mov	cpu_vector_mask + 4(%rip), %edx
	mov	cpu_vector_in(%rip), %rcx
	xrstor64 (%rcx)
	mov	IN(STATE_FS_BASE), %rax
	wrfsbase %rax
	mov	IN(STATE_GS_BASE), %rax
	wrgsbase %rax
	push	IN(STATE_FLAGS)
	popfq
	mov	IN(0), %rax
	mov	IN(8), %rcx
	mov	IN(16), %rdx
	mov	IN(24), %rbx
	mov	IN(32), %rsp
	mov	IN(40), %rbp
	mov	IN(48), %rsi
	mov	IN(56), %rdi
	mov	IN(64), %r8
	mov	IN(72), %r9
	mov	IN(80), %r10
	mov	IN(88), %r11
	mov	IN(96), %r12
	mov	IN(104), %r13
	mov	IN(112), %r14
	mov	IN(120), %r15
	jmp	*IN(STATE_RIP)

/* Every landing pad jumps here. */
	.globl	cpu_capture
	.hidden	cpu_capture
cpu_capture:
	mov	%rsp, OUT(32)
	lea	small_stack_top(%rip), %rsp
	pushfq
	mov	%rax, OUT(0)
	mov	%rcx, OUT(8)
	mov	%rdx, OUT(16)
	mov	%rbx, OUT(24)
	mov	%rbp, OUT(40)
	mov	%rsi, OUT(48)
	mov	%rdi, OUT(56)
	mov	%r8, OUT(64)
	mov	%r9, OUT(72)
	mov	%r10, OUT(80)
	mov	%r11, OUT(88)
	mov	%r12, OUT(96)
	mov	%r13, OUT(104)
	mov	%r14, OUT(112)
	mov	%r15, OUT(120)
	pop	OUT(STATE_FLAGS)
	call	host_segments
	mov	cpu_vector_mask(%rip), %eax
	mov	cpu_vector_mask + 4(%rip), %edx
	lea	cpu_vector_out(%rip), %rcx
	xsave64	(%rcx)
	lea	cpu_vector_clean(%rip), %rcx
	xrstor64 (%rcx)
	jmp	leave

/*
 * A trampoline calls this in place of the module's function. It saves its arguments, and changes every register
 * that a function may change.
 */
	.globl	cpu_hit
	.hidden	cpu_hit
cpu_hit:
	pushfq
	pop	cpu_hit_flags(%rip)
	cld
	mov	%rsi, cpu_frame_at(%rip)
	lea	cpu_frame(%rip), %rdi
	mov	$FRAME_WORDS, %ecx
	rep movsq
	incl	cpu_hits(%rip)
	mov	$0x5a5a5a5a5a5a5a5a, %rax
	mov	%rax, %rcx
	mov	%rax, %rdx
	mov	%rax, %rsi
	mov	%rax, %rdi
	mov	%rax, %r8
	mov	%rax, %r9
	mov	%rax, %r10
	mov	%rax, %r11
	cmp	$1, %rax
	stc
	ret

/*
 * The handler of the timer: if the same execution was running at the last tick, it does not end. Otherwise it
 * continues unchanged.
 */
	.globl	cpu_on_tick
	.hidden	cpu_on_tick
cpu_on_tick:
	mov	cpu_execution(%rip), %rax
	cmp	tick_execution(%rip), %rax
	mov	%rax, tick_execution(%rip)
	jne	1f
	test	%rax, %rax
	jnz	cpu_on_signal
1:	ret

/* The handler of every signal that the code under test can raise; the kernel gives it a clean vector state. */
	.globl	cpu_on_signal
	.hidden	cpu_on_signal
cpu_on_signal:
	sub	$8, %rsp
	call	host_segments
	call	cpu_signal
leave:
	mov	host_rsp(%rip), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* Save flags, selectors and bases; restore those of the harness. Changes only rax. */
host_segments:
	push	$FLAGS_CLEAN
	popfq
	rdfsbase %rax
	mov	%rax, OUT(STATE_FS_BASE)
	rdgsbase %rax
	mov	%rax, OUT(STATE_GS_BASE)
	mov	%ds, OUT(STATE_SELECTORS)
	mov	%es, OUT(STATE_SELECTORS + 2)
	mov	%fs, OUT(STATE_SELECTORS + 4)
	mov	%gs, OUT(STATE_SELECTORS + 6)
	xor	%eax, %eax
	cmp	%rax, OUT(STATE_SELECTORS)
	je	1f
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
1:
	mov	host_fs_base(%rip), %rax
	wrfsbase %rax
	ret
