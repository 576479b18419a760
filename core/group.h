/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * group.h - groups of a measurement by key: a table of fixed size, shared by all CPUs.
 *
 * A group is never removed.  Also compiled in user space (unit tests).
 */
#ifndef KTRACE_GROUP_H
#define KTRACE_GROUP_H

#include "core/interval.h"
#include "core/ktrace_abi.h"

#define KT_GROUP_REACH	32U	/* entries examined at most */
#define KT_NO_GROUP	KT_TALLY_OTHERS

enum kt_group_state { KT_GROUP_FREE, KT_GROUP_BUSY, KT_GROUP_READY };

struct kt_group {
	u64 key[KT_MAX_KEY / 8];
	u32 state;		/* enum kt_group_state; the key is complete before KT_GROUP_READY */
};

static __always_inline u32 kt_group_home(const u64 *key, u32 nr)
{
	const u64 mixed = (key[0] ^ key[1] * 0xff51afd7ed558ccdULL) * 0x9e3779b97f4a7c15ULL;

	return (mixed >> 32) * nr >> 32;
}

static __always_inline bool kt_group_take(struct kt_group *group, const u64 *key)
{
	if (kt_cmpxchg(&group->state, KT_GROUP_FREE, KT_GROUP_BUSY) != KT_GROUP_FREE)
		return false;
	group->key[0] = key[0];
	group->key[1] = key[1];
	/* Pairs with the load in kt_group_of(). */
	kt_store_release(&group->state, KT_GROUP_READY);
	return true;
}

/*
 * Find the group of a key, or make it.  Returns its number.  KT_NO_GROUP: there is no room, or another CPU is
 * making a group in the entry to be examined.
 * Context: any, NMI included.
 */
static __always_inline u32 kt_group_of(struct kt_group *groups, u32 nr, const u64 *key)
{
	u32 at = kt_group_home(key, nr), left = nr < KT_GROUP_REACH ? nr : KT_GROUP_REACH, state;

	for (; left; left--, at = at + 1 == nr ? 0 : at + 1) {
		state = kt_load_acquire(&groups[at].state);
		if (state == KT_GROUP_FREE && kt_group_take(&groups[at], key))
			return at;
		if (state != KT_GROUP_READY)
			return KT_NO_GROUP;
		if (groups[at].key[0] == key[0] && groups[at].key[1] == key[1])
			return at;
	}
	return KT_NO_GROUP;
}

#endif
