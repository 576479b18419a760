// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* pair.c - see pair.h. */
#include "core/pair.h"

void kt_pairs_plan(struct kt_pairs *pairs, u32 nr, u32 saved)
{
	u32 bits = 1, size = 6;

	while (1U << bits < nr)
		bits++;
	while (1U << size < sizeof(struct kt_pair) + saved)
		size++;
	*pairs = (struct kt_pairs){ .nr = 1U << bits, .size_shift = size, .hash_shift = 64 - bits,
				    .reach = 1, .saved = saved };
}

size_t kt_pairs_bytes(const struct kt_pairs *pairs)
{
	return (size_t)(pairs->nr + KT_PAIR_REACH) << pairs->size_shift;
}

/* The thread itself looks for it no sooner than this is done: relaxed. */
static void reach_grow(struct kt_pairs *pairs, u32 to)
{
	u32 was = READ_ONCE(pairs->reach);

	while (was < to && kt_cmpxchg(&pairs->reach, was, to) != was)
		was = READ_ONCE(pairs->reach);
}
NOKPROBE_SYMBOL(reach_grow);

kt_noinline struct kt_pair *kt_pair_claim_slow(struct kt_pairs *pairs, u64 key)
{
	const u32 shift = pairs->size_shift;
	struct kt_pair *pair = kt_pair_home_of(pairs, key, shift);
	u32 n;

	for (n = 1; n <= KT_PAIR_REACH; n++, pair = kt_pair_next(pair, shift)) {
		if (READ_ONCE(pair->key) || kt_cmpxchg(&pair->key, 0ULL, key))
			continue;
		reach_grow(pairs, n);
		return pair;
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_pair_claim_slow);

/* From here on the place is the caller's, if it was `thread` who had it. */
static bool take(struct kt_pair *pair, u64 thread)
{
	return kt_cmpxchg(&pair->thread, thread, 0ULL) == thread;
}
NOKPROBE_SYMBOL(take);

/*
 * Whoever finds 0 must not take it: the place is being filled or freed.  But the first idle task began at 0: its
 * own calls look like that.
 */
kt_noinline struct kt_pair *kt_pair_take_over(struct kt_pairs *pairs, u64 key, u64 thread)
{
	const u32 shift = pairs->size_shift, reach = READ_ONCE(pairs->reach);
	struct kt_pair *pair = kt_pair_home_of(pairs, key, shift);
	u64 holder;
	u32 n;

	for (n = 0; n < reach; n++, pair = kt_pair_next(pair, shift)) {
		/* Before the key: a place that has gone to another call since has another thread. */
		holder = kt_load_acquire(&pair->thread);
		if (READ_ONCE(pair->key) == key && (holder || !thread) && take(pair, holder))
			return pair;
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_pair_take_over);

/* Is it the call of this thread?  If it was marked it is not any more: its thread is here. */
static bool is_own(struct kt_pair *pair, u64 thread)
{
	const u64 marked = thread | KT_PAIR_GONE;

	return READ_ONCE(pair->thread) == thread ||
	       (READ_ONCE(pair->thread) == marked && kt_cmpxchg(&pair->thread, marked, thread) == marked);
}
NOKPROBE_SYMBOL(is_own);

kt_noinline struct kt_pair *kt_pair_find_own(struct kt_pairs *pairs, u64 key, u64 thread, u64 *superseded)
{
	const u32 shift = pairs->size_shift, reach = READ_ONCE(pairs->reach);
	struct kt_pair *pair = kt_pair_home_of(pairs, key, shift);
	u64 holder;
	u32 n;

	for (n = 0; n < reach; n++, pair = kt_pair_next(pair, shift)) {
		holder = kt_load_acquire(&pair->thread);
		if (READ_ONCE(pair->key) != key)
			continue;
		if (is_own(pair, thread))
			return pair;
		if (!holder || !take(pair, holder))
			continue;
		kt_pair_free(pair);
		kt_add_local(superseded, 1);
	}
	return NULL;
}
NOKPROBE_SYMBOL(kt_pair_find_own);

/*
 * pid may already be that of the next call there: kt_pairs_reap() looks again, when the mark holds it fast.
 */
static bool mark_one(struct kt_pair *pair, bool (*gone)(u32 pid, u64 thread))
{
	const u64 thread = kt_load_acquire(&pair->thread);
	const u32 pid = READ_ONCE(pair->pid);

	if (!thread || !pid || !gone(pid, thread))
		return false;
	return kt_cmpxchg(&pair->thread, thread, thread | KT_PAIR_GONE) == thread;
}

bool kt_pairs_mark(struct kt_pairs *pairs, bool (*gone)(u32 pid, u64 thread))
{
	bool any = false;
	u32 i;

	for (i = 0; i < pairs->nr + KT_PAIR_REACH; i++)
		any |= mark_one(kt_pair_at(pairs, i, pairs->size_shift), gone);
	return any;
}

static bool reap_one(struct kt_pair *pair, bool (*gone)(u32 pid, u64 thread))
{
	const u64 marked = kt_load_acquire(&pair->thread), thread = marked & ~KT_PAIR_GONE;

	if (marked == thread)
		return false;
	if (!gone(READ_ONCE(pair->pid), thread)) {
		kt_cmpxchg(&pair->thread, marked, thread);
		return false;
	}
	if (!take(pair, marked))
		return false;
	kt_pair_free(pair);
	return true;
}

u64 kt_pairs_reap(struct kt_pairs *pairs, bool (*gone)(u32 pid, u64 thread))
{
	u64 reaped = 0;
	u32 i;

	for (i = 0; i < pairs->nr + KT_PAIR_REACH; i++)
		reaped += reap_one(kt_pair_at(pairs, i, pairs->size_shift), gone);
	return reaped;
}

u64 kt_pairs_drop(struct kt_pairs *pairs)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < pairs->nr + KT_PAIR_REACH; i++) {
		struct kt_pair *pair = kt_pair_at(pairs, i, pairs->size_shift);

		if (!READ_ONCE(pair->key))
			continue;
		kt_pair_free(pair);
		n++;
	}
	return n;
}

u64 kt_pairs_open(const struct kt_pairs *pairs)
{
	u64 open = 0;
	u32 i;

	for (i = 0; i < pairs->nr + KT_PAIR_REACH; i++)
		open += READ_ONCE(kt_pair_at(pairs, i, pairs->size_shift)->key) != 0;
	return open;
}
