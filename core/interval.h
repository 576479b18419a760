/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * interval.h - calls that are open: entered, and not returned yet.
 *
 * A table of fixed size, found by a key that no two open calls have at once: the stack
 * pointer at entry, which is the same at each of the function's returns, or the thread.  So recursion,
 * and whatever interrupts a call and is traced too, are just other keys.  Open addressing:
 * a call lies at most `reach` places behind its home, where reach grows as it has to and
 * no further than KT_INTERVAL_REACH; so both looking up and missing are one load as long as nothing collides.
 *
 * A free place is claimed by exchanging its key, 0, for that of the call, and given back by storing 0 again:
 * no lock, no loop, whatever context interrupts what.  Tasks sleep and migrate between entry and return, so
 * the exchange is one between CPUs.
 *
 * `thread` says whose a place is.  It is 0 while the place is free or being filled; storing the thread publishes the
 * call.  From then on only that thread touches the place, unless somebody else first takes it away by exchanging
 * `thread` for 0: an entry that finds a call of the same key left open, or a return that finds another thread's.
 *
 * Calls of threads that are gone are given back in two steps, with every hit that is under way over in between:
 * kt_intervals_mark() marks them, kt_intervals_reap() frees those that nobody has taken since. So a thread that only
 * looks gone, because it runs its last instructions, can still close its call without an exchange.
 *
 * Also compiled in user space (unit tests).
 */
#ifndef KTRACE_INTERVAL_H
#define KTRACE_INTERVAL_H

#include "core/env.h"

#define KT_INTERVAL_REACH	64U	/* places looked at, at most */

#define KT_INTERVAL_UNWANTED	1U	/* the filter said no */
/* The function was jumped to again before it returned: a call on the same stack, which ends when this one does. */
#define KT_INTERVAL_AGAIN	2U
#define KT_INTERVAL_MIN_KEY	1ULL	/* of a call; 0 is that of a free place */
#define KT_INTERVAL_GONE	(1ULL << 63)	/* in `thread`: marked, its thread looks gone */

struct kt_interval {
	u64 key;		/* 0: free */
	u64 start;		/* ticks */
	u64 thread;		/* when it began: tells it from an earlier one with the same stack; 0: nobody's */
	u64 off;		/* ticks that tracepoints inside the call took */
	struct kt_interval *outer;	/* the call that it was made in, or nonsense: see kt_interval_encloses() */
	u32 pid;		/* of its thread; 0: an idle task, which is never gone */
	u16 group;
	u8 method;		/* of the tracepoint that opened it */
	u8 unwanted;		/* 0: it is to be counted.  KT_INTERVAL_UNWANTED; and KT_INTERVAL_AGAIN for each call in its place */
	u64 part;		/* lines: ticks of the present line */
	u64 whole;		/* lines: ticks of the lines before */
	u32 saved[];
};

struct kt_intervals {
	u8 *slots;		/* zeroed: kt_intervals_bytes() */
	u32 nr;			/* a power of two; KT_INTERVAL_REACH more are behind them */
	u32 size_shift;		/* log2 of the bytes of one */
	u32 hash_shift;		/* 64 - log2(nr) */
	u32 reach;
	u32 saved;		/* bytes kept with each */
};

/* How it is divided; nr and saved are those wanted. */
void kt_intervals_plan(struct kt_intervals *intervals, u32 nr, u32 saved);
size_t kt_intervals_bytes(const struct kt_intervals *intervals);

/* shift: size_shift, or what it is known to be. */
static __always_inline struct kt_interval *kt_interval_at(const struct kt_intervals *intervals, u32 i, u32 shift)
{
	return (struct kt_interval *)(intervals->slots + ((size_t)i << shift));
}

/* The home of a key.  Stack pointers differ in few bits: D. Knuth's multiplicative hash. */
static __always_inline u32 kt_interval_home(const struct kt_intervals *intervals, u64 key)
{
	return key * 0x9e3779b97f4a7c15ULL >> intervals->hash_shift;
}

static __always_inline struct kt_interval *kt_interval_home_of(const struct kt_intervals *intervals, u64 key, u32 shift)
{
	return kt_interval_at(intervals, kt_interval_home(intervals, key), shift);
}

static __always_inline struct kt_interval *kt_interval_next(struct kt_interval *interval, u32 shift)
{
	return (struct kt_interval *)((u8 *)interval + (1UL << shift));
}

/* The open call of that key, NULL without. */
static __always_inline struct kt_interval *kt_interval_find(const struct kt_intervals *intervals, u64 key, u32 shift)
{
	struct kt_interval *interval = kt_interval_home_of(intervals, key, shift);
	u32 left = READ_ONCE(intervals->reach);

	for (;; interval = kt_interval_next(interval, shift)) {
		if (likely(READ_ONCE(interval->key) == key))
			return interval;
		if (!--left)
			return NULL;
	}
}

struct kt_interval *kt_interval_claim_slow(struct kt_intervals *intervals, u64 key);

/* A place for a key that kt_interval_find() does not find; NULL without room. */
static __always_inline struct kt_interval *kt_interval_claim(struct kt_intervals *intervals, u64 key)
{
	struct kt_interval *interval = kt_interval_home_of(intervals, key, intervals->size_shift);

	if (likely(!READ_ONCE(interval->key) && !kt_cmpxchg(&interval->key, 0ULL, key)))
		return interval;
	return kt_interval_claim_slow(intervals, key);
}

/* The place is filled: the call is open.  Pairs with the acquire in kt_intervals_mark() and with every exchange of thread. */
static __always_inline void kt_interval_publish(struct kt_interval *interval, u64 thread)
{
	kt_store_release(&interval->thread, thread);
}

/* By its own thread, or by whoever took it.  Pairs with the exchange that claims it next. */
static __always_inline void kt_interval_free(struct kt_interval *interval)
{
	WRITE_ONCE(interval->thread, 0);
	kt_store_release(&interval->key, 0);
}

/*
 * A call of this key was left open, by this thread or by an earlier one with the same stack: its place, taken and not
 * yet published, for the call that begins.  NULL: somebody else took it first, the call has to claim another place.
 */
struct kt_interval *kt_interval_take_over(struct kt_intervals *intervals, u64 key, u64 thread);

/*
 * The open call of this key and thread, where kt_interval_find() finds another thread's first; NULL without.  What other
 * threads left open is given back, and counted in *abandoned.
 */
struct kt_interval *kt_interval_find_own(struct kt_intervals *intervals, u64 key, u64 thread, u64 *abandoned);

/*
 * Was the call at `key` made inside `outer`, which was noticed some time ago and may be free by now, or
 * another thread's?  Stacks grow downwards; span is their size.
 */
static __always_inline bool kt_interval_encloses(const struct kt_interval *outer, u64 key, u64 thread,
						 u64 span)
{
	return outer && READ_ONCE(outer->key) - key - 1 < span - 1 && outer->thread == thread;
}

/* Mark calls whose thread is gone, as gone() has it; true: some are marked.  One caller at a time, here and below. */
bool kt_intervals_mark(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread));

/* Give back what is marked and still gone; returns how many.  No hit that began before kt_intervals_mark() is under way. */
u64 kt_intervals_reap(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread));

/* Give back all of them; returns how many.  No hit is under way. */
u64 kt_intervals_drop(struct kt_intervals *intervals);

/* Calls that are open, or being opened. */
u64 kt_intervals_open(const struct kt_intervals *intervals);

#endif
