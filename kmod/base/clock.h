/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the time in records.
 *
 * The clock is raw (ticks of the CPU) if the kernel itself uses that counter as clock source; otherwise it is the
 * kernel's NMI-safe monotonic clock.  Neither returns the same value twice on one CPU, nested contexts included, so
 * records are strictly ordered.
 */
#ifndef KTRACE_CLOCK_H
#define KTRACE_CLOCK_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "clock_arch.h"		/* kt_raw_ticks_next(), .. */

struct kt_clock;

DECLARE_STATIC_KEY_FALSE(kt_clock_raw);

/* Ticks (ns) of the kernel's monotonic clock; only if the clock is not raw.  Any context, unable to migrate. */
u64 kt_clock_mono(void);

/* Is the clock raw, so that reading it needs no function call?  Any context. */
static __always_inline bool kt_clock_is_raw(void)
{
	return static_branch_likely(&kt_clock_raw);
}

/* Ticks of the CPU; only if the clock is raw.  Any context, unable to migrate. */
static __always_inline u64 kt_clock_raw_read(void)
{
	return kt_raw_ticks_next();
}

/* The time in ticks.  Any context, unable to migrate. */
static __always_inline u64 kt_clock_read(void)
{
	return kt_clock_is_raw() ? kt_clock_raw_read() : kt_clock_mono();
}

/* The time in ticks, for a caller that may migrate.  Any task context. */
static inline u64 kt_clock_now(void)
{
	u64 now;

	preempt_disable();
	now = kt_clock_read();
	preempt_enable();
	return now;
}

/* Sleepable. */
void kt_clock_init(void);
void kt_clock_exit(void);

/* KT_IOC_CLOCK.  -EFAULT, -ENOMEM.  Sleepable: it waits 20 ms if the clock source is new. */
int kt_clock_describe(struct kt_clock *arg);

#endif
