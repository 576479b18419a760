/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock_arch.h - the raw clock: the virtual counter, which all CPUs share.
 *
 * A reading may be made earlier than the instructions before it, up to the last context
 * synchronisation.  Each way into the hit path has one: a breakpoint is an exception, trampolines and
 * static tracepoints have an isb.  So readings of one CPU are in the order of its hits, without
 * another isb at each.  Where the kernel works around a counter that is read wrongly at times
 * (drivers/clocksource/arm_arch_timer.c), it is not used.
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

/* Ticks now, outside of hits.  Any context. */
static __always_inline u64 kt_raw_ticks(void)
{
	asm volatile("isb" : : : "memory");
	return kt_counter();
}

/*
 * A counter may be so slow that two hits find it the same: who comes second then takes the next
 * number.  At 1 GHz (which newer CPUs have) none does.
 */
DECLARE_STATIC_KEY_FALSE(kt_ticks_coarse);
DECLARE_PER_CPU(u64, kt_ticks_last);

static __always_inline u64 kt_raw_ticks_isb(void)
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

/* Ticks, never the same twice on one CPU, whatever interrupts.  Any context, unable to migrate. */
static __always_inline u64 kt_raw_ticks_next(void)
{
	return static_branch_unlikely(&kt_ticks_coarse) ? kt_raw_ticks_isb() : kt_counter();
}

/* Is the counter read as it should be on all CPUs?  Sleepable. */
bool kt_raw_ticks_good(void);

#endif
