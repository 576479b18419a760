// SPDX-License-Identifier: GPL-2.0-or-later
/* samples.c - figures of a distribution, from its moments and its histogram.  See samples.h. */
#include "ctl/base/samples.h"

#include <math.h>

#include "ctl/base/memory.h"

void samples_add(struct samples *s, uint64_t value)
{
	if (!s->buckets)
		s->buckets = mem_zalloc(KT_HIST_BUCKETS, sizeof(*s->buckets));
	if (!s->count || value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->count++;
	s->sum += value;
	s->squares += (unsigned __int128)value * value;
	s->buckets[kt_hist_index(value)]++;
}

double samples_mean(const struct samples *s)
{
	return s->count ? (long double)s->sum / s->count : 0;
}

double samples_raw_mean(const struct samples *s)
{
	return s->count ? ((long double)s->sum + s->taken_off) / s->count : 0;
}

double samples_deviation(const struct samples *s)
{
	const long double mean = s->count ? (long double)s->sum / s->count : 0;
	long double spread;

	if (s->count < 2)
		return 0;
	spread = (long double)s->squares - mean * s->sum;
	return spread > 0 ? sqrtl(spread / (s->count - 1)) : 0;
}

/*
 * The 99.5 % quantile of Student's t: from a table for few degrees of freedom, else by the expansion of Cornish
 * and Fisher (Abramowitz and Stegun, 26.7.5).
 */
static double student(uint64_t freedom)
{
	static const double few[] = {
		0, 63.6567, 9.92484, 5.84091, 4.60409, 4.03214, 3.70743, 3.49948, 3.35539, 3.24984, 3.16927,
		3.10581, 3.05454, 3.01228, 2.97684, 2.94671, 2.92078, 2.89823, 2.87844, 2.86093, 2.84534,
	};
	const double z = 2.5758293035489004, z2 = z * z, n = freedom;

	if (freedom < ARRAY_SIZE(few))
		return few[freedom];
	return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

double samples_confidence(const struct samples *s)
{
	if (s->count < 2)
		return 0;
	return student(s->count - 1) * samples_deviation(s) / sqrt(s->count);
}

/* The rank-th smallest value, counted from 1. */
static double ranked(const struct samples *s, uint64_t rank)
{
	uint64_t below = 0;
	double middle;

	if (rank <= 1)
		return s->min;
	for (uint32_t i = 0; rank < s->count && i < KT_HIST_OVER; i++) {
		below += s->buckets[i];
		if (below < rank)
			continue;
		/* A bucket of one value has no middle. */
		middle = kt_hist_low(i) + (kt_hist_width(i) - 1) / 2.0;
		return middle < s->min ? s->min : middle > s->max ? s->max : middle;
	}
	return s->max;
}

double samples_percentile(const struct samples *s, double part)
{
	if (!s->count || !s->buckets)
		return 0;
	/* 0.99 * 100 is slightly more than 99 in floating point. */
	return ranked(s, (uint64_t)ceill((long double)part * s->count - 1e-9L * s->count));
}
