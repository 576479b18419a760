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

#define TRIES	8
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
 * Whatever is not usual is left to ktrace_write_slow(), with the same arguments: no ring for this CPU, no room in the
 * packet, another thread's mark, an extended header, and a sequence that was restarted too often.
 */
	.globl	ktrace_write
	.type	ktrace_write, @function
	.p2align 6
ktrace_write:
	.cfi_startproc
	_CET_ENDBR
	movl	%edx, %r8d
	movl	$TRIES, -8(%rsp)
	/*
	 * Some processors read the clock only when all earlier instructions are done, so what counts is the longest chain:
	 * the CPU, its lane, the ring, the word, the place.  It comes first; what it does not need stands behind it.
	 */
.Lagain:
	movq	ktrace_rseq_offset(%rip), %r11
	movq	ktrace_self@gottpoff(%rip), %r9
	movl	%fs:RSEQ_CPU_START(%r11), %ecx
	/* Ids that have a compact header. */
	movl	SITE_ID(%rdi), %eax
	decl	%eax
	cmpl	$253, %eax
	ja	.Lslow
	leaq	.Lwrite(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
.Lwrite_start:
	cmpl	%ecx, %fs:RSEQ_CPU(%r11)
	jne	.Lretry
	shll	$LANE_SHIFT, %ecx
	addq	ktrace_lanes(%rip), %rcx
	movl	%fs:SELF_TID(%r9), %r9d
	movq	LANE_RING(%rcx), %r10
	testq	%r10, %r10
	jz	.Lslow
	movq	RING_WORD(%r10), %r11
	cmpq	%r9, LANE_TID(%rcx)
	jne	.Lslow
	/* Room for a header and the payload? */
	movl	%r11d, %r9d
	shrl	$16, %r9d
	leal	1(%r9, %r8), %edx
	cmpl	LANE_SUB_UNITS(%rcx), %edx
	ja	.Lslow
	/*
	 * Everything from .Lwrite_start on runs without interruption, so this time is not before that of the event that
	 * the ring had last.
	 */
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	/* %rcx = where it goes */
	movq	%r11, %rdx
	shrq	$32, %rdx
	andl	LANE_MASK(%rcx), %edx
	imulq	LANE_SUB_BYTES(%rcx), %rdx
	addq	LANE_DATA(%rcx), %rdx
	leaq	(%rdx, %r9, 4), %rcx
	movq	%rax, %rdx
	subq	RING_LAST_TS(%r10), %rdx
	shrq	$24, %rdx
	jnz	.Lslow
	movl	%eax, %edx
	shll	$8, %edx
	orl	SITE_ID(%rdi), %edx
	movl	%edx, (%rcx)
	movl	%r8d, %r9d
	subl	$2, %r9d
	jb	.Lodd
.Lcopy:
	movq	(%rsi, %r9, 4), %rdx
	movq	%rdx, 4(%rcx, %r9, 4)
	subl	$2, %r9d
	jae	.Lcopy
.Lodd:
	cmpl	$-1, %r9d
	jne	.Lcommit
	movl	(%rsi), %edx
	movl	%edx, 4(%rcx)
.Lcommit:
	leal	1(%r8), %edx
	shlq	$16, %rdx
	leaq	1(%r11, %rdx), %rdx
	movq	%rdx, RING_WORD(%r10)
.Lwrite_end:
	/* If another thread comes in between, this store makes last_ts earlier than the newest event: that is allowed. */
	movq	%rax, RING_LAST_TS(%r10)
	ret

	ABORT_LABEL .Lwrite
.Lretry:
	decl	-8(%rsp)
	jnz	.Lagain
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
