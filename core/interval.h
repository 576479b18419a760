/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * interval.h - open intervals: calls that were entered and have not returned yet.
 *
 * A table of fixed size holds them.  The key of a call differs between all open calls: it is the stack pointer
 * at entry, which is the same at each return of the function, or the thread.  So a recursive call, or a traced
 * call in an interrupt, has a key of its own.  The table uses open addressing: an entry lies at most `reach`
 * entries behind the home of its key.  reach grows on demand up to KT_INTERVAL_REACH.  Without collisions a look-up
 * is one load, whether it finds the key or not.
 *
 * A hit claims a free entry by exchanging its key 0 for the key of the call, and frees it by storing 0.  There
 * is no lock and no retry, so any context may interrupt any other.  Tasks sleep and migrate between entry and
 * return, so the exchange is atomic across CPUs.
 *
 * `thread` names the thread that an entry belongs to.  It is 0 while the entry is free or being filled; storing
 * the thread publishes the call.  From then on only that thread touches the entry.  Another thread must first
 * take the entry by exchanging `thread` for 0.  It does so when an entry hit finds an open call of the same
 * key, or when a return hit finds the call of another thread.
 *
 * Calls of threads that have ended are freed in two steps: kt_intervals_mark() marks them, kt_intervals_reap() frees
 * those that no thread has taken since.  All hits under way at the first step end before the second.  So a
 * thread that only looks gone, because it runs its last instructions, can still close its call.
 *
 * Also compiled in user space (unit tests).
 */
#ifndef KTRACE_INTERVAL_H
#define KTRACE_INTERVAL_H

#include "core/env.h"

#define KT_INTERVAL_REACH	64U	/* entries examined at most */
#define KT_INTERVAL_SPREAD	0x9e3779b97f4a7c15ULL	/* see kt_interval_home() */

#define KT_INTERVAL_UNWANTED	1U	/* the filter turned the call down */
/*
 * One more call on the same stack: the function was entered again by a jump before it returned.  Both end
 * together.
 */
#define KT_INTERVAL_AGAIN	2U
#define KT_INTERVAL_MIN_KEY	1ULL	/* smallest key of a call; 0 marks a free entry */
#define KT_INTERVAL_GONE	(1ULL << 63)	/* mark in `thread`: its thread looks gone */

struct kt_interval {
	u64 key;		/* 0: free */
	u64 start;		/* ticks */
	u64 thread;		/* start time of its thread, which identifies the thread; 0: not published */
	u64 off;		/* ticks that hits inside the call took */
	struct kt_interval *outer;	/* the enclosing call, perhaps stale: check with kt_interval_encloses() */
	u32 pid;		/* of its thread; 0: an idle task, which never ends */
	u16 group;
	u8 method;		/* method of the tracepoint that opened it */
	u8 unwanted;		/* 0: count it; KT_INTERVAL_UNWANTED, and KT_INTERVAL_AGAIN for each further call here */
	u64 part;		/* KT_MEASURE_LINES: ticks in the present line */
	u64 whole;		/* KT_MEASURE_LINES: ticks in the lines before */
	u32 saved[];
};

struct kt_intervals {
	u8 *slots;		/* kt_intervals_bytes() of zeroed memory; the caller's */
	u32 nr;			/* a power of two; KT_INTERVAL_REACH more entries follow */
	u32 size_shift;		/* log2 of the bytes of an entry */
	u32 hash_shift;		/* 64 - log2(nr) */
	u32 reach;
	u32 saved;		/* bytes saved with each call */
};

/*
 * Plan a table for at least nr calls with `saved` bytes each.  The caller then allocates kt_intervals_bytes() for
 * slots.
 */
void kt_intervals_plan(struct kt_intervals *intervals, u32 nr, u32 saved);
size_t kt_intervals_bytes(const struct kt_intervals *intervals);

/* Entry i.  shift is size_shift; a constant where the caller knows its value. */
static __always_inline struct kt_interval *kt_interval_at(const struct kt_intervals *intervals, u32 i, u32 shift)
{
	return (struct kt_interval *)(intervals->slots + ((size_t)i << shift));
}

/* The home of a key.  Stack pointers differ in few bits: D. Knuth's multiplicative hash spreads them. */
static __always_inline u32 kt_interval_home(const struct kt_intervals *intervals, u64 key)
{
	return key * KT_INTERVAL_SPREAD >> intervals->hash_shift;
}

static __always_inline struct kt_interval *kt_interval_home_of(const struct kt_intervals *intervals, u64 key, u32 shift)
{
	return kt_interval_at(intervals, kt_interval_home(intervals, key), shift);
}

static __always_inline struct kt_interval *kt_interval_next(struct kt_interval *interval, u32 shift)
{
	return (struct kt_interval *)((u8 *)interval + (1UL << shift));
}

/* Find an open call by its key.  NULL: there is none. */
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

/* Claim an entry for a key that kt_interval_find() does not find.  NULL: no free entry within reach. */
static __always_inline struct kt_interval *kt_interval_claim(struct kt_intervals *intervals, u64 key)
{
	struct kt_interval *interval = kt_interval_home_of(intervals, key, intervals->size_shift);

	if (likely(!READ_ONCE(interval->key) && !kt_cmpxchg(&interval->key, 0ULL, key)))
		return interval;
	return kt_interval_claim_slow(intervals, key);
}

/*
 * Publish a filled entry: the call is open.  Pairs with the acquire in kt_intervals_mark() and with each exchange
 * of thread.
 */
static __always_inline void kt_interval_publish(struct kt_interval *interval, u64 thread)
{
	kt_store_release(&interval->thread, thread);
}

/*
 * Free an entry.  Only its own thread may do so, or a thread that took it.  Pairs with the exchange that claims
 * it next.
 */
static __always_inline void kt_interval_free(struct kt_interval *interval)
{
	WRITE_ONCE(interval->thread, 0);
	kt_store_release(&interval->key, 0);
}

/*
 * Take the entry of a call of this key that is still open: this thread, or an earlier one with the same stack,
 * has abandoned it.  The caller fills and publishes it for its new call.  NULL: another context took it first;
 * claim another entry.
 */
struct kt_interval *kt_interval_take_over(struct kt_intervals *intervals, u64 key, u64 thread);

/*
 * Find the open call of this key and thread where kt_interval_find() has found another thread's.  NULL: there is
 * none.  It frees calls of this key that other threads have abandoned, and counts them in *abandoned.
 */
struct kt_interval *kt_interval_find_own(struct kt_intervals *intervals, u64 key, u64 thread, u64 *abandoned);

/*
 * For calls of programs, whose keys do not differ between threads that others control.  Find the open call of this key
 * and thread; calls of other threads with the same key stay as they are.  NULL: there is none.
 */
struct kt_interval *kt_interval_find_among(struct kt_intervals *intervals, u64 key, u64 thread);

/*
 * Take an entry that kt_interval_find_among() has found, so that no other thread of the process can close it, too.
 * False: another one has taken it first.  Then free it, or publish it again.
 */
bool kt_interval_take(struct kt_interval *interval, u64 thread);

/*
 * Does `outer` enclose the call at `key`?  The caller noted `outer` earlier; it may be free by now, or belong
 * to another thread.  Stacks grow downwards; span is their size in bytes.
 */
static __always_inline bool kt_interval_encloses(const struct kt_interval *outer, u64 key, u64 thread,
						 u64 span)
{
	return outer && READ_ONCE(outer->key) - key - 1 < span - 1 && outer->thread == thread;
}

/*
 * Mark calls whose thread has ended, as gone() says.  True: some are marked.  One caller at a time for mark and
 * reap.
 */
bool kt_intervals_mark(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread));

/*
 * Free marked calls that are still gone.  Returns how many.  No hit that began before kt_intervals_mark() may be
 * under way.
 */
u64 kt_intervals_reap(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread));

/* Free all calls.  Returns how many.  No hit may be under way. */
u64 kt_intervals_drop(struct kt_intervals *intervals);

/* Count the calls that are open or being opened. */
u64 kt_intervals_open(const struct kt_intervals *intervals);

#endif
