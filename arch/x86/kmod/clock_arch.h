/* SPDX-License-Identifier: GPL-2.0-only */
/* clock_arch.h - the raw clock: the time stamp counter.  A CPU without one reads 0. */
#ifndef KTRACE_CLOCK_ARCH_H
#define KTRACE_CLOCK_ARCH_H

#include <linux/timex.h>
#include <linux/types.h>

#define KT_RAW_CLOCK	"tsc"

/* Ticks now.  Any context. */
static __always_inline u64 kt_raw_ticks(void)
{
	return get_cycles();
}

/* Ticks; never the same value twice on one CPU.  Any context, unable to migrate. */
static __always_inline u64 kt_raw_ticks_next(void)
{
	return kt_raw_ticks();
}

/* Does the CPU have this clock?  Any context. */
static inline bool kt_raw_ticks_good(void)
{
	return kt_raw_ticks();
}

#endif
