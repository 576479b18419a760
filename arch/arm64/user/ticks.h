/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - the CPU's clock, for programs that measure. */
#ifndef KTRACE_TICKS_H
#define KTRACE_TICKS_H

#include <linux/types.h>

/* Behind all that is before it, and in front of all that is behind.  In nanoseconds: the counter is a slow one. */
static inline __u64 ordered_ticks(void)
{
	__u64 ticks, hz;

	__asm__ volatile("isb; mrs %0, cntvct_el0; mrs %1, cntfrq_el0; isb" : "=r"(ticks), "=r"(hz) :: "memory");
	return (unsigned __int128)ticks * 1000000000 / hz;
}

/* So many calls at a time are measured. */
#define TICKS_BATCH	64

#endif
