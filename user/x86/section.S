/* SPDX-License-Identifier: MIT */
/*
 * section.S - the restartable sequences (rseq(2)) that write events.
 *
 * The kernel moves a thread to the abort label if it loses the CPU, or gets a signal, between the start and the end of a
 * sequence.  So nobody else writes into the ring of this CPU meanwhile, and the last store alone makes an event part of the
 * ring: there is no atomic operation, and a thread that is killed leaves nothing half done.
 */
#include <cet.h>
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

#include "layout.h"
#include "rseq_cs.h"

/* Must precede each abort label: the kernel checks it. */
#define SIGNATURE	0x53053053

/* Part of an instruction that traps, so that no code runs into it. */
.macro ABORT_LABEL name
	.byte	0x0f, 0xb9, 0x3d
	.long	SIGNATURE
\name\()_abort:
.endm

/* %r11 = the rseq area of this thread, for a sequence where time does not matter */
.macro RSEQ_AREA
	movq	ktrace_rseq_offset(%rip), %r11
	addq	%fs:0, %r11
.endm

	.text

/*
 * void ktrace_write(struct ktrace_site *site, const void *payload, unsigned int words)
 *
 * Whatever is not usual is left to ktrace_write_slow(), with the same arguments: another CPU than that of the last event, no
 * room in the packet, another thread's mark, an extended header, and a sequence that was restarted.
 *
 * Some processors read the clock only when all earlier instructions are done, and then begin those behind it: nothing hides
 * behind the clock.  So each instruction counts, and the longest chain of loads before the clock: the lane, its ring, the
 * place in its packet.  An event with one word jumps least.
 *
 * %rdi, %rsi and %r8 stay as they are for ktrace_write_slow().
 */
	.globl	ktrace_write
	.type	ktrace_write, @function
	.p2align 6
ktrace_write:
	.cfi_startproc
	_CET_ENDBR
	movl	%edx, %r8d
	movq	ktrace_self@gottpoff(%rip), %r9
	movq	ktrace_rseq_offset(%rip), %r11
	movzbl	SITE_SHORT_ID(%rdi), %r10d
	testl	%r10d, %r10d
	jz	.Lslow
	leaq	.Lwrite(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
.Lwrite_start:
	/* This thread's lane: is it that of the CPU, and does its packet end with events of this thread? */
	movq	%fs:SELF_LANE(%r9), %rcx
	movl	%fs:RSEQ_CPU_START(%r11), %eax
	movl	%fs:SELF_TID(%r9), %r9d
	movq	LANE_RING(%rcx), %r11
	cmpl	%eax, LANE_NUMBER(%rcx)
	jne	.Lslow
	cmpq	%r9, LANE_TID(%rcx)
	jne	.Lslow
	/* Room for a header and one word? */
	movzwl	RING_WORD + 2(%r11), %r9d
	cmpw	LANE_LAST_UNIT(%rcx), %r9w
	jae	.Lslow
	/*
	 * Everything from .Lwrite_start on runs without interruption, so this time is not before that of the event that
	 * the ring had last.  Do the bits that a short header lacks differ from those of that event?
	 */
	rdtsc
	shldl	$8, %eax, %edx
	cmpl	%edx, LANE_EPOCH(%rcx)
	jne	.Lslow
	movq	LANE_PACKET(%rcx), %rdx
	shll	$8, %eax
	orl	%r10d, %eax
	movl	%eax, (%rdx, %r9, 4)
	cmpl	$1, %r8d
	je	.Lone
	/* Room for all words? */
	leal	(%r9, %r8), %eax
	cmpl	LANE_SUB_UNITS(%rcx), %eax
	jae	.Lslow
	leaq	4(%rdx, %r9, 4), %rcx
	movl	%r8d, %r9d
	subl	$8, %r9d
	jb	.Lrest
.Lcopy:
	movups	(%rsi, %r9, 4), %xmm0
	movups	16(%rsi, %r9, 4), %xmm1
	movups	%xmm0, (%rcx, %r9, 4)
	movups	%xmm1, 16(%rcx, %r9, 4)
	subl	$8, %r9d
	jae	.Lcopy
.Lrest:
	/* One word at a time: a load of what several stores have just written would wait for them. */
	andl	$7, %r9d
	jz	.Lcopied
.Lword:
	movl	-4(%rsi, %r9, 4), %eax
	movl	%eax, -4(%rcx, %r9, 4)
	decl	%r9d
	jnz	.Lword
.Lcopied:
	movl	%r8d, %eax
	shll	$16, %eax
	addl	$0x10001, %eax
	jmp	.Lcommit
.Lone:
	movl	(%rsi), %eax
	movl	%eax, 4(%rdx, %r9, 4)
	movl	$0x20001, %eax
.Lcommit:
	/* One addition changes both: the lower 16 bits count the events, the upper 16 are the next free unit. */
	addl	%eax, RING_WORD(%r11)
.Lwrite_end:
	ret

	ABORT_LABEL .Lwrite
.Lslow:
	movl	%r8d, %edx
	jmp	ktrace_write_slow
	.cfi_endproc
	.size	ktrace_write, . - ktrace_write

	SEQUENCE .Lwrite

/* int ktrace_commit(const struct ktu_commit *commit): see arch.h */
	.globl	ktrace_commit
	.hidden	ktrace_commit
	.type	ktrace_commit, @function
	.p2align 4
ktrace_commit:
	.cfi_startproc
	_CET_ENDBR
	RSEQ_AREA
	leaq	.Lexchange(%rip), %rax
	movq	%rax, RSEQ_CS(%r11)
.Lexchange_start:
	movl	COMMIT_CPU(%rdi), %eax
	cmpl	%eax, RSEQ_CPU(%r11)
	jne	.Lnot_done
	movq	COMMIT_COMPARE(%rdi), %rcx
	movq	COMMIT_EXPECT(%rdi), %rax
	cmpq	%rax, (%rcx)
	jne	.Lnot_done
	movl	COMMIT_NR(%rdi), %r8d
	leaq	COMMIT_COPIES(%rdi), %r9
.Lnext_copy:
	subl	$1, %r8d
	jb	.Lstore
	movq	COPY_TO(%r9), %rcx
	movq	COPY_FROM(%r9), %rsi
	movq	COPY_WORDS(%r9), %rdx
	addq	$COPY_SIZE, %r9
.Lnext_word:
	subq	$1, %rdx
	jb	.Lnext_copy
	movl	(%rsi, %rdx, 4), %eax
	movl	%eax, (%rcx, %rdx, 4)
	jmp	.Lnext_word
.Lstore:
	movq	COMMIT_STORE(%rdi), %rcx
	movq	COMMIT_VALUE(%rdi), %rax
	movq	%rax, (%rcx)
.Lexchange_end:
	xorl	%eax, %eax
	ret

	ABORT_LABEL .Lexchange
.Lnot_done:
	movl	$1, %eax
	ret
	.cfi_endproc
	.size	ktrace_commit, . - ktrace_commit

	SEQUENCE .Lexchange

/* int ktrace_probe(const uint32_t *flag, uint64_t turns): see arch.h */
	.globl	ktrace_probe
	.hidden	ktrace_probe
	.type	ktrace_probe, @function
	.p2align 4
ktrace_probe:
	.cfi_startproc
	_CET_ENDBR
	RSEQ_AREA
	leaq	.Lprobe(%rip), %rax
	movq	%rax, RSEQ_CS(%r11)
.Lprobe_start:
	cmpl	$0, (%rdi)
	jne	.Lseen
	pause
	decq	%rsi
	jnz	.Lprobe_start
.Lprobe_end:
	movl	$2, %eax
	ret
.Lseen:
	movl	$1, %eax
	ret

	ABORT_LABEL .Lprobe
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	ktrace_probe, . - ktrace_probe

	SEQUENCE .Lprobe

/*
 * pid_t vfork(void): the child has the parent's memory, but the kernel restarts none of its sequences.  So the thread
 * records nothing until the child has ended or executed another program: ktrace_vfork_begin() and _end() see to that.
 * The return address would be overwritten by the child, so it stays in a register.
 */
	.globl	vfork
	.type	vfork, @function
	.p2align 4
vfork:
	.cfi_startproc
	_CET_ENDBR
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	ktrace_vfork_begin
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	movl	$58, %eax
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	testl	%eax, %eax
	jz	.Lchild
	movslq	%eax, %rdi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	ktrace_vfork_end
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
.Lchild:
	ret
	.cfi_endproc
	.size	vfork, . - vfork

	.section .note.GNU-stack, "", @progbits
