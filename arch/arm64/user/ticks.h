/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - read the CPU's clock, for benchmarks. */
#ifndef KTRACE_TICKS_H
#define KTRACE_TICKS_H

#include <linux/types.h>

/*
 * Ordered after all instructions before, and before all instructions after.  In nanoseconds, because the
 * counter is slow.
 */
static inline __u64 ordered_ticks(void)
{
	__u64 ticks, hz;

	__asm__ volatile("isb; mrs %0, cntvct_el0; mrs %1, cntfrq_el0; isb" : "=r"(ticks), "=r"(hz) :: "memory");
	return (unsigned __int128)ticks * 1000000000 / hz;
}

/* As it comes: the CPU may read it earlier or later. */
static inline __u64 unordered_ticks(void)
{
	__u64 ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* Number of calls measured together. */
#define TICKS_BATCH	64

#endif
