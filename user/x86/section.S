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

/* Begin a function.  Its address is a multiple of 2^align. */
.macro FUNCTION name, align=4
	.globl	\name
	.type	\name, @function
	.p2align \align
\name:
	.cfi_startproc
	_CET_ENDBR
.endm

/* End the function that FUNCTION began. */
.macro END name
	.cfi_endproc
	.size	\name, . - \name
.endm

/*
 * What the functions that write an event begin with: %rdi is the site.  Then %rcx is the lane, %r11 its ring, %r9 the next free
 * unit of its packet; and the upper byte of %r10d is the site's short id.
 *
 * Whatever is not usual is left to C code, at NAME_slow, with the same arguments in %rdi, %rsi and %r8d: another CPU than that
 * of the last event, no room in the packet, another thread's mark, an extended header, and a sequence that was restarted.
 *
 * Some processors read the clock only when all earlier instructions are done, and then begin those behind it: nothing hides
 * behind the clock.  So each instruction counts, and the longest chain of loads before the clock: the lane, its ring, the
 * unit.
 */
.macro BEGIN name
	movq	ktrace_self@gottpoff(%rip), %r9
	movq	ktrace_rseq_offset(%rip), %r11
	movl	SITE_HEAD(%rdi), %r10d
	cmpl	$1 << 24, %r10d
	jb	\name\()_slow
	leaq	\name(%rip), %rax
	movq	%rax, %fs:RSEQ_CS(%r11)
\name\()_start:
	/* This thread's lane: is it that of the CPU, and does its packet end with events of this thread? */
	movq	%fs:SELF_LANE(%r9), %rcx
	movl	%fs:RSEQ_CPU_START(%r11), %eax
	movl	%fs:SELF_TID(%r9), %r9d
	movq	LANE_RING(%rcx), %r11
	cmpl	%eax, LANE_NUMBER(%rcx)
	jne	\name\()_slow
	cmpq	%r9, LANE_TID(%rcx)
	jne	\name\()_slow
	movzwl	RING_WORD + 2(%r11), %r9d
.endm

/* %r9 = the address of the header, if the packet has room for it and for %r8d words.  If not, C code writes the event. */
.macro ROOM name
	leal	(%r9, %r8), %eax
	cmpl	LANE_SUB_UNITS(%rcx), %eax
	jae	\name\()_slow
	movq	LANE_PACKET(%rcx), %rax
	leaq	(%rax, %r9, 4), %r9
.endm

/*
 * %eax = the header: 24 bits of the time, and the id from %r10d.  The time is not before that of the newest event in the ring,
 * since everything from the start on runs without interruption.  If the bits that a short header lacks differ from those of
 * that event, C code writes the event.
 */
.macro HEADER name
	rdtsc
	shldl	$8, %eax, %edx
	cmpl	%edx, LANE_EPOCH(%rcx)
	jne	\name\()_slow
	shldl	$8, %r10d, %eax
.endm

/*
 * Make the event of %r8d words part of the ring.  One addition changes both: the lower 16 bits count the events, the upper 16
 * are the next free unit.
 */
.macro COMMIT name
	movl	%r8d, %eax
	shll	$16, %eax
	addl	$0x10001, %eax
	addl	%eax, RING_WORD(%r11)
\name\()_end:
	ret
.endm

	.text

/* void ktrace_write_word(struct ktrace_site *site, unsigned int word) */
	FUNCTION ktrace_write_word, align=6
	BEGIN	.Lword
	/* Room for a header and the word? */
	cmpw	LANE_LAST_UNIT(%rcx), %r9w
	jae	.Lword_slow
	movq	LANE_PACKET(%rcx), %r8
	HEADER	.Lword
	movl	%eax, (%r8, %r9, 4)
	movl	%esi, 4(%r8, %r9, 4)
	addl	$0x20001, RING_WORD(%r11)
.Lword_end:
	ret

	ABORT_LABEL .Lword
.Lword_slow:
	jmp	ktrace_write_word_slow
	END ktrace_write_word

	SEQUENCE .Lword

/* void ktrace_write(struct ktrace_site *site, const void *payload, unsigned int words) */
	FUNCTION ktrace_write, align=6
	movl	%edx, %r8d
	BEGIN	.Lwrite
	ROOM	.Lwrite
	HEADER	.Lwrite
	movl	%eax, (%r9)
	movl	%r8d, %eax
	subl	$8, %eax
	jb	.Lrest
.Lcopy:
	movups	(%rsi, %rax, 4), %xmm0
	movups	16(%rsi, %rax, 4), %xmm1
	movups	%xmm0, 4(%r9, %rax, 4)
	movups	%xmm1, 20(%r9, %rax, 4)
	subl	$8, %eax
	jae	.Lcopy
.Lrest:
	/* One word at a time: a load of what several stores have just written would wait for them. */
	andl	$7, %eax
	jz	.Lcopied
.Lnext:
	movl	-4(%rsi, %rax, 4), %edx
	movl	%edx, (%r9, %rax, 4)
	decl	%eax
	jnz	.Lnext
.Lcopied:
	COMMIT	.Lwrite

	ABORT_LABEL .Lwrite
.Lwrite_slow:
	movl	%r8d, %edx
	jmp	ktrace_write_slow
	END ktrace_write

	SEQUENCE .Lwrite

/*
 * void ktrace_write_parts(struct ktrace_site *site, const struct ktrace_parts *parts)
 *
 * Each length has its branch, where pieces that overlap are copied from both ends of the bytes: a loop would cost more.
 */
	FUNCTION ktrace_write_parts, align=6
	BEGIN	.Lparts
	movq	PARTS_SIZES(%rsi), %r8
	ROOM	.Lparts
	movq	PARTS_BYTES(%rsi), %xmm0
	HEADER	.Lparts
	movl	%eax, (%r9)
	movl	PARTS_NR(%rsi), %eax
	leaq	4(%r9, %rax, 4), %rcx
	movl	PARTS_WORDS(%rsi), %edx
	movl	%edx, 4(%r9)
	subl	$1, %eax
	jnz	.Lmore_before
.Lbefore_done:
	movq	%r8, %rax
	movl	%r8d, %r8d
	/* The bytes do not fill the last word, or overwrite it. */
	movl	$0, (%r9, %r8, 4)
	shrq	$32, %rax
	movq	%xmm0, %rdx
	cmpl	$32, %eax
	jbe	.Lshort
	cmpl	$0, ktrace_has_wide(%rip)
	je	.Lnarrow
	vmovups	(%rdx), %ymm0
	vmovups	-32(%rdx, %rax), %ymm1
	cmpl	$64, %eax
	jbe	.Lends
	vmovups	32(%rdx), %ymm2
	vmovups	%ymm2, 32(%rcx)
	vmovups	-64(%rdx, %rax), %ymm2
	vmovups	%ymm2, -64(%rcx, %rax)
	cmpl	$128, %eax
	jbe	.Lends
	vmovups	64(%rdx), %ymm2
	vmovups	%ymm2, 64(%rcx)
	vmovups	96(%rdx), %ymm2
	vmovups	%ymm2, 96(%rcx)
	vmovups	-96(%rdx, %rax), %ymm2
	vmovups	%ymm2, -96(%rcx, %rax)
	vmovups	-128(%rdx, %rax), %ymm2
	vmovups	%ymm2, -128(%rcx, %rax)
.Lends:
	vmovups	%ymm0, (%rcx)
	vmovups	%ymm1, -32(%rcx, %rax)
	vzeroupper
	jmp	.Lbytes_copied
	/* More words before the bytes: from the last to the second. */
.Lmore_before:
	movl	PARTS_WORDS(%rsi, %rax, 4), %edx
	movl	%edx, 4(%r9, %rax, 4)
	decl	%eax
	jnz	.Lmore_before
	jmp	.Lbefore_done
	/* Without such registers: a loop, then the end. */
.Lnarrow:
	movups	-16(%rdx, %rax), %xmm1
	leaq	-16(%rcx, %rax), %r9
.Lnarrow_next:
	movups	(%rdx), %xmm0
	movups	%xmm0, (%rcx)
	addq	$16, %rdx
	addq	$16, %rcx
	cmpq	%r9, %rcx
	jb	.Lnarrow_next
	movups	%xmm1, (%r9)
	jmp	.Lbytes_copied
.Lshort:
	cmpl	$8, %eax
	jae	.Lmore_than_7
	cmpl	$4, %eax
	jae	.Lmore_than_3
	movzbl	-1(%rdx, %rax), %r9d
	movb	%r9b, -1(%rcx, %rax)
	shrl	$1, %eax
	movzbl	(%rdx, %rax), %r9d
	movb	%r9b, (%rcx, %rax)
	movzbl	(%rdx), %r9d
	movb	%r9b, (%rcx)
	jmp	.Lbytes_copied
.Lmore_than_3:
	movl	(%rdx), %r9d
	movl	%r9d, (%rcx)
	movl	-4(%rdx, %rax), %r9d
	movl	%r9d, -4(%rcx, %rax)
	jmp	.Lbytes_copied
.Lmore_than_7:
	cmpl	$16, %eax
	jae	.Lmore_than_15
	movq	(%rdx), %r9
	movq	%r9, (%rcx)
	movq	-8(%rdx, %rax), %r9
	movq	%r9, -8(%rcx, %rax)
	jmp	.Lbytes_copied
.Lmore_than_15:
	movups	(%rdx), %xmm0
	movups	-16(%rdx, %rax), %xmm1
	movups	%xmm0, (%rcx)
	movups	%xmm1, -16(%rcx, %rax)
.Lbytes_copied:
	COMMIT	.Lparts

	ABORT_LABEL .Lparts
.Lparts_slow:
	jmp	ktrace_write_parts_slow
	END ktrace_write_parts

	SEQUENCE .Lparts

/* int ktrace_commit(const struct ktu_commit *commit): see arch.h */
	.hidden	ktrace_commit
	FUNCTION ktrace_commit
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
	END ktrace_commit

	SEQUENCE .Lexchange

/* int ktrace_probe(const uint32_t *flag, uint64_t turns): see arch.h */
	.hidden	ktrace_probe
	FUNCTION ktrace_probe
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
	END ktrace_probe

	SEQUENCE .Lprobe

/*
 * pid_t vfork(void): the child has the parent's memory, but the kernel restarts none of its sequences.  So the thread
 * records nothing until the child has ended or executed another program: ktrace_vfork_begin() and _end() see to that.
 * The return address would be overwritten by the child, so it stays in a register.
 */
	FUNCTION vfork
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
	END vfork

	.section .note.GNU-stack, "", @progbits
