// SPDX-License-Identifier: GPL-2.0-or-later
/* samples.c - see samples.h. */
#include "samples.h"

#ifdef __KERNEL__
#include <linux/kprobes.h>
#else
#define NOKPROBE_SYMBOL(name)	struct kt_nothing
#endif

void kt_square_wide(struct kt_samples *s, u64 value)
{
	const unsigned __int128 square = (unsigned __int128)value * value;
	const u64 low = square;
	const u64 sum = kt_add_return_local(&s->square_low, low);

	kt_add_local(&s->square_high, (u64)(square >> 64) + (sum < low));
}
NOKPROBE_SYMBOL(kt_square_wide);
