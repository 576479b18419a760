// SPDX-License-Identifier: GPL-2.0-or-later
/* pair.c - see pair.h. */
#include "pair.h"

#ifdef __KERNEL__
#include <linux/kprobes.h>
#else
#define noinline		__attribute__((__noinline__))
#define NOKPROBE_SYMBOL(name)	struct kt_nothing
#endif

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

noinline struct kt_pair *kt_pair_claim_slow(struct kt_pairs *pairs, u64 key)
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

/*
 * The thread of the call cannot come any more, but a new one may have its stack, and open a call with its
 * key: the place is locked by a key that nobody has before it is looked at for the last time.
 */
static bool reap_one(struct kt_pair *pair, u64 key, u32 pid, u64 thread)
{
	if (kt_cmpxchg(&pair->key, key, KT_PAIR_REAPED) != key)
		return false;
	if (READ_ONCE(pair->thread) == thread && READ_ONCE(pair->pid) == pid) {
		kt_pair_free(pair);
		return true;
	}
	kt_store_release(&pair->key, key);
	return false;
}

u64 kt_pairs_reap(struct kt_pairs *pairs, bool (*gone)(u32 pid, u64 thread), u64 *open)
{
	u64 reaped = 0;
	u32 i;

	*open = 0;
	for (i = 0; i < pairs->nr + KT_PAIR_REACH; i++) {
		struct kt_pair *pair = kt_pair_at(pairs, i, pairs->size_shift);
		u64 key = READ_ONCE(pair->key), thread;
		u32 pid;

		if (!key)
			continue;
		pid = kt_load_acquire(&pair->pid);
		thread = READ_ONCE(pair->thread);
		if (pid && gone(pid, thread) && reap_one(pair, key, pid, thread))
			reaped++;
		else
			++*open;
	}
	return reaped;
}
