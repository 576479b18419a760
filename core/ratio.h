/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* ratio.h - estimate the kernel's ratio of ns to ticks from one interval. */
#ifndef KTRACE_RATIO_H
#define KTRACE_RATIO_H

#include "core/env.h"

struct kt_ratio {
	__u64 num, den;			/* ns = ticks * num / den */
};

/*
 * Returns the coarsest fraction num / 2^k that fits the interval.  The kernel's own ratio is mult / 2^shift
 * with shift at most 32 (struct clocksource); an interval determines it within 1 / ticks.  Two such fractions
 * are at least 2^-shift apart, so from ticks >= 2^(shift + 1) on the result is the kernel's own ratio. ticks >
 * 0; ticks and ns < 2^63.  Context: any.
 */
static inline struct kt_ratio kt_ratio(__u64 ns, __u64 ticks)
{
	__u64 num = ns / ticks, rest = ns % ticks, den;

	for (den = 1; den <= 1ULL << 32; den *= 2) {
		if (num && rest < den)
			return (struct kt_ratio){ num, den };
		if (ticks - rest < den)
			return (struct kt_ratio){ num + 1, den };
		num *= 2;
		rest *= 2;
		if (rest >= ticks) {
			rest -= ticks;
			num++;
		}
	}
	return (struct kt_ratio){ ns, ticks };
}

#endif
