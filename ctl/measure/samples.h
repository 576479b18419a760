/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - durations of one kind, and the figures of their distribution. */
#ifndef KTRACE_SAMPLES_H
#define KTRACE_SAMPLES_H

#include <stdint.h>

#include "core/histogram.h"

/* Durations of one kind: of all calls, of one group, of one line. */
struct samples {
	uint64_t count;
	uint64_t sum;
	unsigned __int128 squares;	/* their sum */
	uint64_t min, max;		/* 0 where there are none */
	uint64_t taken_off;		/* by the correction, of all together: sum + taken_off is the raw sum */
	uint64_t clamped;		/* would have become negative by it: counted as 0 */
	uint64_t *buckets;		/* [KT_HIST_BUCKETS]; NULL: not kept (lines) */
};

/* In ticks; 0 where there are no samples. */
double samples_mean(const struct samples *s);
double samples_raw_mean(const struct samples *s);
double samples_deviation(const struct samples *s);	/* of the sample: n - 1 */
/* Half of the 99 % confidence interval of the mean (Student's t); 0 of fewer than two samples. */
double samples_confidence(const struct samples *s);
/*
 * The value that `part` (0 to 1) of the samples do not exceed, within 1 %, never beyond min and max; exact
 * where they are the ends.
 */
double samples_percentile(const struct samples *s, double part);

#endif
