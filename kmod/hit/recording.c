// SPDX-License-Identifier: GPL-2.0-only
/* recording.c - FREEZE, LATEFREEZE and UNFREEZE.  See recording.h. */
#include <linux/kprobes.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/recording.h"
#include "kmod/records/desc.h"

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

/* For readers alone: they may see these a moment later than the word. */
static void note_change(struct kt_rings *rings, const struct kt_desc *desc, s64 was, s64 next)
{
	if (next > 0 && was <= 0)
		WRITE_ONCE(rings->late_by, desc->id);
	if (next >= 0)
		return;
	WRITE_ONCE(rings->frozen_by, was == 1 && !(desc->flags & KT_DESC_FREEZE) ? rings->late_by : desc->id);
	WRITE_ONCE(rings->frozen_at, kt_clock_inside());
}
NOKPROBE_SYMBOL(note_change);

/* One exchange applies all flags of a descriptor, so no hit sees the word with only some of them applied. */
bool kt_recording_on(const struct kt_desc *desc)
{
	struct kt_rings *rings = desc->rings;
	s64 was = atomic64_read(&rings->recording), next;

	do {
		if (was < 0 && !(desc->flags & KT_DESC_UNFREEZE))
			return false;
		next = next_word(was, desc->flags, desc->late);
	} while (next != was && !atomic64_try_cmpxchg(&rings->recording, &was, next));
	if (next != was)
		note_change(rings, desc, was, next);
	return true;
}
NOKPROBE_SYMBOL(kt_recording_on);

int kt_recording_control(struct kt_rings *rings, struct kt_recording *arg, u64 now)
{
	static const s64 words[KT_NR_RECORDING_OPS] = {
		[KT_RECORDING_FREEZE] = KT_RECORDING_FROZEN,
		[KT_RECORDING_UNFREEZE] = 0,
	};

	if (arg->op >= KT_NR_RECORDING_OPS)
		return -EINVAL;
	if (arg->op == KT_RECORDING_FREEZE && atomic64_read(&rings->recording) >= 0) {
		WRITE_ONCE(rings->frozen_by, 0);
		WRITE_ONCE(rings->frozen_at, now);
	}
	atomic64_set(&rings->recording, words[arg->op]);
	return 0;
}
