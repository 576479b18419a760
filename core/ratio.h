/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* ratio.h - what the kernel multiplies ticks by to have ns, found out from an interval. */
#ifndef KTRACE_RATIO_H
#define KTRACE_RATIO_H

#include "core/env.h"

struct kt_ratio {
	__u64 num, den;			/* ns = ticks * num / den */
};

/*
 * The kernel's ratio is mult / 2^shift, shift at most 32 (struct clocksource), so that an
 * interval tells it within 1 / ticks.  The coarsest such fraction that fits: the kernel's own
 * as soon as ticks >= 2^(shift + 1), since two of them are at least 2^-shift apart; from then
 * on always the same.  ticks > 0, ticks and ns < 2^63.  Any context.
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
