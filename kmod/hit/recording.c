// SPDX-License-Identifier: GPL-2.0-only
/* recording.c - FREEZE, LATEFREEZE and UNFREEZE.  See recording.h. */
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/recording.h"

/*
 * The new word after a hit with these flags that found `was`.  LATEFREEZE does not restart a count that is running:
 * hits of its own tracepoint count like all others.  UNFREEZE ends a running count first.
 */
static s64 next_word(s64 was, u32 flags, u64 late)
{
	if (flags & KT_DESC_UNFREEZE)
		was = 0;
	if (flags & KT_DESC_FREEZE || was == 1)
		return KT_RECORDING_FROZEN;
	if (flags & KT_DESC_LATEFREEZE && !late)
		return KT_RECORDING_FROZEN;
	if (was > 0)
		return was - 1;
	return flags & KT_DESC_LATEFREEZE ? (s64)late : 0;
}
NOKPROBE_SYMBOL(next_word);

/* One exchange applies all flags of a descriptor, so no hit sees the word with only some of them applied. */
bool kt_recording_on(struct kt_rings *rings, u32 flags, u64 late)
{
	s64 was = atomic64_read(&rings->recording), next;

	do {
		if (was < 0 && !(flags & KT_DESC_UNFREEZE))
			return false;
		next = next_word(was, flags, late);
	} while (next != was && !atomic64_try_cmpxchg(&rings->recording, &was, next));
	return true;
}
NOKPROBE_SYMBOL(kt_recording_on);

int kt_recording_control(struct kt_rings *rings, struct kt_recording *arg)
{
	static const s64 words[KT_NR_RECORDING_OPS] = {
		[KT_RECORDING_FREEZE] = KT_RECORDING_FROZEN,
		[KT_RECORDING_UNFREEZE] = 0,
	};

	if (arg->op >= KT_NR_RECORDING_OPS)
		return -EINVAL;
	atomic64_set(&rings->recording, words[arg->op]);
	return 0;
}
