/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - the CPU's clock, for programs that measure. */
#ifndef KTRACE_TICKS_H
#define KTRACE_TICKS_H

#include <linux/types.h>

/* Behind all that is before it, and in front of all that is behind. */
static inline __u64 ordered_ticks(void)
{
	__u32 low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) :: "memory");
	return (__u64)high << 32 | low;
}

/* So many calls at a time are measured. */
#define TICKS_BATCH	1

#endif
