/* SPDX-License-Identifier: MIT */
/*
 * arch.h - what libktrace needs of an architecture.  section.S of the architecture's folder has the functions; sequences.h
 * says whether they are restartable, and clock.h has the counter.
 */
#ifndef KTRACE_USER_ARCH_H
#define KTRACE_USER_ARCH_H

#include <stdint.h>

/* Copy whole words; then make one of them part of a ring. */
struct ktu_copy {
	void *to;
	const void *from;
	uint64_t words;		/* of four bytes */
};

#define KTU_COPIES	5

struct ktu_commit {
	uint32_t cpu;
	uint32_t nr;			/* copies */
	const uint64_t *compare;	/* go on only if this has the value `expect` */
	uint64_t expect;
	uint64_t *store;		/* at the end, store `value` there */
	uint64_t value;
	struct ktu_copy copies[KTU_COPIES];
};

/*
 * Do it as one restartable sequence on that CPU.  0: done.  1: not done, although some copies may be: the thread does not
 * run there, was interrupted, or *compare has another value.
 */
int ktrace_commit(const struct ktu_commit *commit);

/*
 * Wait in a restartable sequence until *flag is set, at most so many turns.  KTU_ABORTED: it was restarted, as it should be
 * if another thread ran on this CPU; KTU_NOT_ABORTED: the flag was set, and it was not restarted.
 */
enum ktu_probe { KTU_ABORTED, KTU_NOT_ABORTED, KTU_PATIENCE };

int ktrace_probe(const uint32_t *flag, uint64_t turns);

#endif
