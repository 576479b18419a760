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

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <asm/arch_timer.h>

#define KT_RAW_CLOCK	"cntvct"

static __always_inline u64 kt_raw_ticks(void)
{
	u64 ticks;

	asm volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline bool kt_raw_ticks_good(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct arch_timer_erratum_workaround *wa =
			per_cpu(timer_unstable_counter_workaround, cpu);

		if (wa && wa->read_cntvct_el0)
			return false;
	}
#endif
	return true;
}

#endif
