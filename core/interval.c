// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* interval.c - see interval.h. */
#include "core/interval.h"

void kt_intervals_plan(struct kt_intervals *intervals, u32 nr, u32 saved)
{
	u32 bits = 1, size = 6;

	while (1U << bits < nr)
		bits++;
	while (1U << size < sizeof(struct kt_interval) + saved)
		size++;
	*intervals = (struct kt_intervals){ .nr = 1U << bits, .size_shift = size, .hash_shift = 64 - bits,
				    .reach = 1, .saved = saved };
}

size_t kt_intervals_bytes(const struct kt_intervals *intervals)
{
	return (size_t)(intervals->nr + KT_INTERVAL_REACH) << intervals->size_shift;
}

/* Relaxed order is enough: the thread itself searches for this entry only after this store. */
static void reach_grow(struct kt_intervals *intervals, u32 to)
{
	u32 was = READ_ONCE(intervals->reach);

	while (was < to && kt_cmpxchg(&intervals->reach, was, to) != was)
		was = READ_ONCE(intervals->reach);
}
NOKPROBE_SYMBOL(reach_grow);

kt_noinline struct kt_interval *kt_interval_claim_slow(struct kt_intervals *intervals, u64 key)
{
	const u32 shift = intervals->size_shift;
	struct kt_interval *interval = kt_interval_home_of(intervals, key, shift);
	u32 n;

	for (n = 1; n <= KT_INTERVAL_REACH; n++, interval = kt_interval_next(interval, shift)) {
		if (READ_ONCE(interval->key) || kt_cmpxchg(&interval->key, 0ULL, key))
			continue;
		reach_grow(intervals, n);
		return interval;
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_interval_claim_slow);

/* Take the entry from `thread`.  True: it belongs to the caller now. */
static bool take(struct kt_interval *interval, u64 thread)
{
	return kt_cmpxchg(&interval->thread, thread, 0ULL) == thread;
}
NOKPROBE_SYMBOL(take);

/*
 * A thread value of 0 means that the entry is being filled or freed: do not take it.  Exception: the first idle
 * task has start time 0, so its own calls look the same.
 */
kt_noinline struct kt_interval *kt_interval_take_over(struct kt_intervals *intervals, u64 key, u64 thread)
{
	const u32 shift = intervals->size_shift, reach = READ_ONCE(intervals->reach);
	struct kt_interval *interval = kt_interval_home_of(intervals, key, shift);
	u64 holder;
	u32 n;

	for (n = 0; n < reach; n++, interval = kt_interval_next(interval, shift)) {
		/*
		 * Load thread before key: if the entry has gone to another call since, the exchange finds
		 * another thread.
		 */
		holder = kt_load_acquire(&interval->thread);
		if (READ_ONCE(interval->key) == key && (holder || !thread) && take(interval, holder))
			return interval;
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_interval_take_over);

/* Is this the call of this thread?  A mark on it is wrong, because its thread is running: remove it. */
static bool is_own(struct kt_interval *interval, u64 thread)
{
	const u64 marked = thread | KT_INTERVAL_GONE;

	return READ_ONCE(interval->thread) == thread ||
	       (READ_ONCE(interval->thread) == marked && kt_cmpxchg(&interval->thread, marked, thread) == marked);
}
NOKPROBE_SYMBOL(is_own);

kt_noinline struct kt_interval *kt_interval_find_own(struct kt_intervals *intervals, u64 key, u64 thread, u64 *abandoned)
{
	const u32 shift = intervals->size_shift, reach = READ_ONCE(intervals->reach);
	struct kt_interval *interval = kt_interval_home_of(intervals, key, shift);
	u64 holder;
	u32 n;

	for (n = 0; n < reach; n++, interval = kt_interval_next(interval, shift)) {
		holder = kt_load_acquire(&interval->thread);
		if (READ_ONCE(interval->key) != key)
			continue;
		if (is_own(interval, thread))
			return interval;
		if (!holder || !take(interval, holder))
			continue;
		kt_interval_free(interval);
		kt_add_local(abandoned, 1);
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_interval_find_own);

bool kt_interval_take(struct kt_interval *interval, u64 thread)
{
	return take(interval, thread);
}
NOKPROBE_SYMBOL(kt_interval_take);

kt_noinline struct kt_interval *kt_interval_find_among(struct kt_intervals *intervals, u64 key, u64 thread)
{
	const u32 shift = intervals->size_shift, reach = READ_ONCE(intervals->reach);
	struct kt_interval *interval = kt_interval_home_of(intervals, key, shift);
	u32 n;

	for (n = 0; n < reach; n++, interval = kt_interval_next(interval, shift))
		if (READ_ONCE(interval->key) == key && is_own(interval, thread))
			return interval;
	return NULL;
}
NOKPROBE_SYMBOL(kt_interval_find_among);

/*
 * pid may already be that of the next call in this entry.  kt_intervals_reap() checks again; then the mark keeps
 * the entry.
 */
static bool mark_one(struct kt_interval *interval, bool (*gone)(u32 pid, u64 thread))
{
	const u64 thread = kt_load_acquire(&interval->thread);
	const u32 pid = READ_ONCE(interval->pid);

	if (!thread || !pid || !gone(pid, thread))
		return false;
	return kt_cmpxchg(&interval->thread, thread, thread | KT_INTERVAL_GONE) == thread;
}

bool kt_intervals_mark(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread))
{
	bool any = false;
	u32 i;

	for (i = 0; i < intervals->nr + KT_INTERVAL_REACH; i++)
		any |= mark_one(kt_interval_at(intervals, i, intervals->size_shift), gone);
	return any;
}

static bool reap_one(struct kt_interval *interval, bool (*gone)(u32 pid, u64 thread))
{
	const u64 marked = kt_load_acquire(&interval->thread), thread = marked & ~KT_INTERVAL_GONE;

	if (marked == thread)
		return false;
	if (!gone(READ_ONCE(interval->pid), thread)) {
		kt_cmpxchg(&interval->thread, marked, thread);
		return false;
	}
	if (!take(interval, marked))
		return false;
	kt_interval_free(interval);
	return true;
}

u64 kt_intervals_reap(struct kt_intervals *intervals, bool (*gone)(u32 pid, u64 thread))
{
	u64 reaped = 0;
	u32 i;

	for (i = 0; i < intervals->nr + KT_INTERVAL_REACH; i++)
		reaped += reap_one(kt_interval_at(intervals, i, intervals->size_shift), gone);
	return reaped;
}

u64 kt_intervals_drop(struct kt_intervals *intervals)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < intervals->nr + KT_INTERVAL_REACH; i++) {
		struct kt_interval *interval = kt_interval_at(intervals, i, intervals->size_shift);

		if (!READ_ONCE(interval->key))
			continue;
		kt_interval_free(interval);
		n++;
	}
	return n;
}

u64 kt_intervals_open(const struct kt_intervals *intervals)
{
	u64 open = 0;
	u32 i;

	for (i = 0; i < intervals->nr + KT_INTERVAL_REACH; i++)
		open += READ_ONCE(kt_interval_at(intervals, i, intervals->size_shift)->key) != 0;
	return open;
}
