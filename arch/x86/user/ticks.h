/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - read the CPU's clock, for benchmarks. */
#ifndef KTRACE_TICKS_H
#define KTRACE_TICKS_H

#include <linux/types.h>

/* Ordered after all instructions before, and before all instructions after. */
static inline __u64 ordered_ticks(void)
{
	__u32 low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) :: "memory");
	return (__u64)high << 32 | low;
}

/* As it comes: the CPU may read it earlier or later. */
static inline __u64 unordered_ticks(void)
{
	__u32 low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (__u64)high << 32 | low;
}

/* Number of calls measured together. */
#define TICKS_BATCH	1

#endif
