/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * histogram.h - buckets for durations: log-linear, as in G. Tene's HdrHistogram.
 *
 * Each value below 2 * KT_HIST_SUBS has its own bucket.  Above, each power of two has KT_HIST_SUBS buckets of
 * equal width.  So a value differs from the middle of its bucket by at most 1 / (2 * KT_HIST_SUBS) of the
 * value: 0.8 %.  One last bucket, KT_HIST_OVER, counts values from 2^KT_HIST_BITS on (26 hours of a 3 GHz
 * clock).
 *
 *   value   0  1 .. 127 | 128-129 .. 254-255 | 256-259 .. | ... | 2^48 and more
 *   bucket  0  1 .. 127 |   128   ..   191   |   192   .. | ... | KT_HIST_OVER
 *
 * The module counts in these buckets, and the controller reads them.
 */
#ifndef KTRACE_HISTOGRAM_H
#define KTRACE_HISTOGRAM_H

#include "core/env.h"

#define KT_HIST_SUB_BITS	6
#define KT_HIST_SUBS		(1U << KT_HIST_SUB_BITS)
#define KT_HIST_BITS		48
#define KT_HIST_OVER		((u32)(KT_HIST_BITS - KT_HIST_SUB_BITS + 1) << KT_HIST_SUB_BITS)
#define KT_HIST_BUCKETS		(KT_HIST_OVER + 1)	/* buckets of one histogram, __u64 each */

static __always_inline u32 kt_hist_index(u64 value)
{
	u32 shift;

	if (value < 2 * KT_HIST_SUBS)
		return value;
	if (value >> KT_HIST_BITS)
		return KT_HIST_OVER;
	shift = 63 - KT_HIST_SUB_BITS - __builtin_clzll(value);
	return (shift << KT_HIST_SUB_BITS) + (u32)(value >> shift);
}

static inline u32 kt_hist_shift(u32 index)
{
	return index < 2 * KT_HIST_SUBS ? 0 : (index >> KT_HIST_SUB_BITS) - 1;
}

/*
 * kt_hist_low(): the smallest value of a bucket.  kt_hist_width(): the number of values in it; KT_HIST_OVER has
 * no upper end.
 */
static inline u64 kt_hist_low(u32 index)
{
	const u32 shift = kt_hist_shift(index);

	return (u64)(index - (shift << KT_HIST_SUB_BITS)) << shift;
}

static inline u64 kt_hist_width(u32 index)
{
	return 1ULL << kt_hist_shift(index);
}

/* The value that represents a bucket. */
static inline u64 kt_hist_middle(u32 index)
{
	return kt_hist_low(index) + kt_hist_width(index) / 2;
}

#endif
