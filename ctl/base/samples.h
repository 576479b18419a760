/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - durations of one kind, and figures of their distribution. */
#ifndef KTRACE_SAMPLES_H
#define KTRACE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"

/* The durations of all calls, of one group or of one line. */
struct samples {
	uint64_t count;
	uint64_t sum;
	unsigned __int128 squares;	/* sum of squares */
	uint64_t min, max;		/* 0 without samples */
	uint64_t taken_off;		/* total taken off by the correction: sum + taken_off is the raw sum */
	uint64_t clamped;		/* samples that would have been negative; they count as 0 */
	uint64_t *buckets;		/* [KT_HIST_BUCKETS]; NULL: not kept (lines) */
	bool is_sum;			/* only count and sum are known */
	bool is_count;			/* only count is known */
};

/* Count a value, in ticks.  The first one makes the buckets, which the caller frees. */
void samples_add(struct samples *s, uint64_t value);

/* In ticks; 0 without samples. */
double samples_mean(const struct samples *s);
double samples_raw_mean(const struct samples *s);
double samples_deviation(const struct samples *s);	/* of a sample: divided by n - 1 */
/* Half of the 99 % confidence interval of the mean (Student's t); 0 for fewer than two samples. */
double samples_confidence(const struct samples *s);
/*
 * The smallest value that `part` (0 to 1) of the samples do not exceed.  It is within 1 %, never beyond min and
 * max, and exact at both ends.
 */
double samples_percentile(const struct samples *s, double part);

#endif
