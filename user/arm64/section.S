/* SPDX-License-Identifier: MIT */
/*
 * section.S - the restartable sequences (rseq(2)) that write events.
 *
 * The kernel moves a thread to the abort label if it loses the CPU, or gets a signal, between the start and the end of a
 * sequence.  So nobody else writes into the ring of this CPU meanwhile, and the last store alone makes an event part of the
 * ring: there is no atomic operation, and a thread that is killed leaves nothing half done.
 *
 * Order.  All writers of a ring run on its CPU, which sees its own stores in order.  Readers run on others: for them the
 * last store of each sequence is a release (stlr), which comes after all that the sequence has stored before.
 */
#include "layout.h"
#include "rseq_cs.h"

#define TRIES	8
/* Must precede each abort label: the kernel checks it.  An instruction that traps, so that no code runs into it. */
#define SIGNATURE	0xd428bc00
/* CNTVCTSS_EL0: the counter, read in the order of the program. */
#define SELF_SYNCHRONISED	s3_3_c14_c0_6

#if RING_WORD || COMMIT_NR != COMMIT_CPU + 4 || COMMIT_EXPECT != COMMIT_COMPARE + 8 || \
	COMMIT_VALUE != COMMIT_STORE + 8 || COPY_FROM != COPY_TO + 8
#error "pairs of fields that one instruction loads"
#endif

.macro ABORT_LABEL name
	.inst	SIGNATURE
\name\()_abort:
.endm

.macro ADDRESS register, symbol
	adrp	\register, \symbol
	add	\register, \register, :lo12:\symbol
.endm

.macro VARIABLE register, address, symbol
	adrp	\address, \symbol
	ldr	\register, [\address, :lo12:\symbol]
.endm

/* area = the rseq area of this thread, whose pointer is in `pointer`; sequence = the descriptor */
.macro RSEQ_AREA area, pointer, sequence, name
	VARIABLE \area, \area, ktrace_rseq_offset
	add	\area, \area, \pointer
	ADDRESS	\sequence, \name
.endm

	.text

/* Begin a function.  Its address is a multiple of 2^align. */
.macro FUNCTION name, align=4
	.globl	\name
	.type	\name, %function
	.p2align \align
\name:
	.cfi_startproc
	hint	#34			/* bti c: indirect calls may lead here */
.endm

/* End the function that FUNCTION began. */
.macro END name
	.cfi_endproc
	.size	\name, . - \name
.endm

/*
 * What the functions that write an event begin with: x0 is the site, `words` the number of its words.  Then w14 is the header,
 * x11 where it goes, x12 the ring, and x15 its word.
 *
 * Whatever is not usual is left to C code, at NAME_slow, with the same arguments: no ring for this CPU, no room in the
 * packet, another thread's mark, an extended header, and a sequence that was restarted too often.
 *
 * w3 site->id, x4 thread's pointer, x5 rseq area, x6 descriptor, x7 thread's id, x8 lanes, x9 tries left, x10 whether the
 * clock needs no barrier: all these stay as they are in the sequence, as x0 to x2 do.
 */
.macro BEGIN name, words
	/* Ids that have a compact header. */
	ldr	w3, [x0, #SITE_ID]
	sub	w11, w3, #1
	cmp	w11, #253
	b.hi	\name\()_slow
	mrs	x4, tpidr_el0
	adrp	x7, :gottprel:ktrace_self
	ldr	x7, [x7, #:gottprel_lo12:ktrace_self]
	add	x7, x7, x4
	ldr	w7, [x7, #SELF_TID]
	/*
	 * A lane never belongs to KTU_NO_TID.  One that belongs to this thread has been opened before this thread, or one that
	 * had its id before, has written there: so it is seen as open, and no load of its fields has to be an acquire.
	 */
	RSEQ_AREA x5, x4, x6, \name
	VARIABLE x8, x8, ktrace_lanes
	VARIABLE w10, x10, ktrace_clock_is_ordered
	mov	w9, #TRIES
\name\()_again:
	ldr	w11, [x5, #RSEQ_CPU_START]
	str	x6, [x5, #RSEQ_CS]
\name\()_start:
	ldr	w12, [x5, #RSEQ_CPU]
	cmp	w12, w11
	b.ne	\name\()_retry
	add	x11, x8, x11, lsl #LANE_SHIFT
	ldr	x12, [x11, #LANE_TID]
	cmp	x12, x7
	b.ne	\name\()_slow
	ldr	x12, [x11, #LANE_RING]
	ldr	w14, [x11, #LANE_SUB_UNITS]
	ldr	x15, [x12]
	/* Room for a header and the payload? */
	ubfx	w16, w15, #16, #16
	add	w17, w16, \words
	cmp	w17, w14
	b.hs	\name\()_slow
	/* x11 = where it goes */
	ldr	w14, [x11, #LANE_EPOCH]
	ldr	x11, [x11, #LANE_PACKET]
	add	x11, x11, x16, lsl #2
	/*
	 * Reads of the counter may be early.  The branches above depend on what was loaded, so none is before that: this time
	 * is not before that of the event that the ring had last, nor of one of another CPU that led this thread here.
	 */
	cbnz	w10, \name\()_self_synchronised
	isb
	mrs	x13, cntvct_el0
	b	\name\()_has_time
\name\()_self_synchronised:
	mrs	x13, SELF_SYNCHRONISED
\name\()_has_time:
	/* Do the bits that a short header lacks differ from those of that event? */
	lsr	x16, x13, #24
	cmp	w16, w14
	b.ne	\name\()_slow
	orr	w14, w3, w13, lsl #8
.endm

/* The sequence was restarted: try again, a few times. */
.macro RETRY name
	ABORT_LABEL \name
\name\()_retry:
	subs	w9, w9, #1
	b.ne	\name\()_again
.endm

/* void ktrace_write_word(struct ktrace_site *site, unsigned int word) */
	FUNCTION ktrace_write_word, align=6
	BEGIN	.Lword, #1
	str	w14, [x11]
	str	w1, [x11, #4]
	/* Two units more, and one event. */
	add	x15, x15, #0x20, lsl #12
	add	x15, x15, #1
	stlr	x15, [x12]
.Lword_end:
	ret

	RETRY	.Lword
.Lword_slow:
	b	ktrace_write_word_slow
	END ktrace_write_word

	SEQUENCE .Lword

/* void ktrace_write(struct ktrace_site *site, const void *payload, unsigned int words) */
	FUNCTION ktrace_write, align=6
	BEGIN	.Lwrite, w2
	str	w14, [x11], #4
	mov	x14, x1
	tbz	w2, #0, .Leven
	ldr	w16, [x14], #4
	str	w16, [x11], #4
.Leven:
	lsr	w17, w2, #1
	cbz	w17, .Lcommit
.Lcopy:
	ldr	x16, [x14], #8
	str	x16, [x11], #8
	subs	w17, w17, #1
	b.ne	.Lcopy
.Lcommit:
	add	w16, w2, #1
	add	x15, x15, x16, lsl #16
	add	x15, x15, #1
	stlr	x15, [x12]
.Lwrite_end:
	ret

	RETRY	.Lwrite
.Lwrite_slow:
	b	ktrace_write_slow
	END ktrace_write

	SEQUENCE .Lwrite

/* int ktrace_commit(const struct ktu_commit *commit): see arch.h */
	.hidden	ktrace_commit
	FUNCTION ktrace_commit
	mrs	x3, tpidr_el0
	RSEQ_AREA x1, x3, x2, .Lexchange
	str	x2, [x1, #RSEQ_CS]
.Lexchange_start:
	ldr	w2, [x1, #RSEQ_CPU]
	ldp	w3, w4, [x0, #COMMIT_CPU]
	cmp	w2, w3
	b.ne	.Lnot_done
	ldp	x5, x6, [x0, #COMMIT_COMPARE]
	ldr	x7, [x5]
	cmp	x7, x6
	b.ne	.Lnot_done
	add	x5, x0, #COMMIT_COPIES
.Lnext_copy:
	cbz	w4, .Lstore
	sub	w4, w4, #1
	ldp	x6, x7, [x5, #COPY_TO]
	ldr	x8, [x5, #COPY_WORDS]
	add	x5, x5, #COPY_SIZE
	/* Readers see one copy before the next: the mark of what is lost before the packet that takes its place. */
	dmb	ishst
.Lnext_word:
	cbz	x8, .Lnext_copy
	sub	x8, x8, #1
	ldr	w9, [x7, x8, lsl #2]
	str	w9, [x6, x8, lsl #2]
	b	.Lnext_word
.Lstore:
	ldp	x5, x6, [x0, #COMMIT_STORE]
	stlr	x6, [x5]
.Lexchange_end:
	mov	w0, #0
	ret

	ABORT_LABEL .Lexchange
.Lnot_done:
	mov	w0, #1
	ret
	END ktrace_commit

	SEQUENCE .Lexchange

/* int ktrace_probe(const uint32_t *flag, uint64_t turns): see arch.h */
	.hidden	ktrace_probe
	FUNCTION ktrace_probe
	mrs	x3, tpidr_el0
	RSEQ_AREA x2, x3, x4, .Lprobe
	str	x4, [x2, #RSEQ_CS]
.Lprobe_start:
	ldr	w3, [x0]
	cbnz	w3, .Lseen
	yield
	subs	x1, x1, #1
	b.ne	.Lprobe_start
.Lprobe_end:
	mov	w0, #2
	ret
.Lseen:
	mov	w0, #1
	ret

	ABORT_LABEL .Lprobe
	mov	w0, #0
	ret
	END ktrace_probe

	SEQUENCE .Lprobe

/*
 * pid_t vfork(void): the child has the parent's memory, but the kernel restarts none of its sequences.  So the thread
 * records nothing until the child has ended or executed another program: ktrace_vfork_begin() and _end() see to that.
 * The kernel leaves all registers but x0 as they are, so the return address stays in x30 for child and parent.
 */
	FUNCTION vfork
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	bl	ktrace_vfork_begin
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	/* clone(CLONE_VM | CLONE_VFORK | SIGCHLD, 0) */
	mov	x0, #0x4111
	mov	x1, #0
	mov	x8, #220
	svc	#0
	cbz	x0, .Lchild
	b	ktrace_vfork_end
.Lchild:
	ret
	END vfork

	.section .note.GNU-stack, "", %progbits
#ifdef __ARM_FEATURE_BTI_DEFAULT
	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0
#endif
