/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock_arch.h - the raw clock: the virtual counter, which all CPUs share.
 *
 * The CPU may read the counter earlier than the instructions before the read, but not earlier than the last context
 * synchronisation event.  Each entry into the hit path contains one: a breakpoint is an exception, and trampolines
 * and the probe of static tracepoints execute an isb.  So the reads of one CPU are in the order of its hits, without
 * another isb.  ktrace does not use a counter for which the kernel has a workaround, because it sometimes reads
 * wrongly (drivers/clocksource/arm_arch_timer.c).
 */
#ifndef KTRACE_CLOCK_ARCH_H
#define KTRACE_CLOCK_ARCH_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>

#define KT_RAW_CLOCK	"cntvct"

static __always_inline u64 kt_counter(void)
{
	u64 ticks;

	asm volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Ticks now, for code outside of hits: the isb orders the read.  Any context. */
static __always_inline u64 kt_raw_ticks(void)
{
	asm volatile("isb" : : : "memory");
	return kt_counter();
}

/*
 * On a slow counter two hits may read the same value: the second hit then takes the next number.  At 1 GHz, which newer
 * CPUs have, that does not happen.
 */
DECLARE_STATIC_KEY_FALSE(kt_ticks_coarse);
DECLARE_PER_CPU(u64, kt_ticks_last);

/* Ticks of a slow counter; never the same value twice on one CPU.  Any context, unable to migrate. */
static __always_inline u64 kt_raw_ticks_coarse(void)
{
	u64 *last = this_cpu_ptr(&kt_ticks_last), was, now;

	do {
		was = READ_ONCE(*last);
		now = kt_counter();
		if (unlikely((s64)(now - was) <= 0))
			now = was + 1;
	} while (unlikely(cmpxchg_local(last, was, now) != was));
	return now;
}

/* Ticks; never the same value twice on one CPU, also in nested contexts.  Any context, unable to migrate. */
static __always_inline u64 kt_raw_ticks_next(void)
{
	return static_branch_unlikely(&kt_ticks_coarse) ? kt_raw_ticks_coarse() : kt_counter();
}

/* Can all CPUs read the counter without a workaround?  Sleepable. */
bool kt_raw_ticks_good(void);

#endif
