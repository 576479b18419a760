/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - is recording on?  One word for all CPUs: 0 recording, > 0 that
 * many records until a pending LATEFREEZE, KT_RECORDING_FROZEN frozen.
 *
 * What is kept: a record whose hit read the word before a FREEZE on another
 * CPU wrote it, so at most one for each context that was under way there.
 * After LATEFREEZE n exactly n records are taken by hits that read the word
 * after it was written.  docs/recording.md says it for users.
 */
#ifndef KTRACE_RECORDING_H
#define KTRACE_RECORDING_H

#include <linux/atomic.h>

#include "core/ktrace_abi.h"

#define KT_RECORDING_FROZEN	(-1LL)

extern atomic64_t kt_recording;

/* Any context. */
static __always_inline bool kt_recording_frozen(void)
{
	return unlikely(atomic64_read(&kt_recording) < 0);
}

/*
 * May a hit with these control flags (KT_DESC_*) be recorded?  Applies them.
 * Any context.
 */
bool kt_recording_on(u32 flags, u64 late);

/* KT_IOC_RECORDING: -EINVAL. */
int kt_recording_control(struct kt_recording *arg);

#endif
