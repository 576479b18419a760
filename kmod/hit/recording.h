/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - the recording state of a set of rings, one word for all CPUs: kt_rings.recording.
 *
 * 0: recording is on.  n > 0: recording is on, and n more hits may record before it freezes (LATEFREEZE).
 * KT_RECORDING_FROZEN: recording is frozen.
 *
 * A hit that reads the word before another CPU writes FREEZE to it is still recorded: at most one record for each
 * context with a hit in progress.  After LATEFREEZE n, exactly n hits that read the word later may record.
 * docs/recording.md explains this for users.
 */
#ifndef KTRACE_RECORDING_H
#define KTRACE_RECORDING_H

#include <linux/atomic.h>

#include "core/ktrace_abi.h"
#include "kmod/records/buffer.h"

struct kt_desc;

#define KT_RECORDING_FROZEN	(-1LL)

/* Any context. */
static __always_inline bool kt_recording_frozen(const struct kt_rings *rings)
{
	return unlikely(atomic64_read(&rings->recording) < 0);
}

/* Apply the control flags of a descriptor (KT_DESC_*) to the recording state.  True: its hit may be recorded.  In a hit. */
bool kt_recording_on(const struct kt_desc *desc);

/*
 * What KT_IOC_RECORDING does to the word, at the time `now` in ticks.  Hits that have read the word before may still be in
 * progress: the caller waits for them.  -EINVAL: unknown operation.  Any context.
 */
int kt_recording_control(struct kt_rings *rings, struct kt_recording *arg, u64 now);

#endif
