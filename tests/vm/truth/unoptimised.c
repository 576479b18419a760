// SPDX-License-Identifier: GPL-2.0-only
/* unoptimised.c - compiled without optimisation: parameters go to the stack frame in the first instructions. */
#include <linux/types.h>

#include "truth.h"

struct ktruth_two {
	long first;
	int second;
};

long ktruth_unoptimised(s8 a, u16 b, int c, long d, u8 e, u32 f, int g, s16 h)
{
	struct ktruth_two two;
	long sum = a + b + c;

	sum += d + e + f + g + h;
	two.first = sum;
	two.second = c;
	return two.first - two.second; /* at unoptimised */
}
