// SPDX-License-Identifier: GPL-2.0-only
/* clock_arch.c - see clock_arch.h. */
#include <linux/cpumask.h>
#include <asm/arch_timer.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"

#define FAST	1000000000	/* Hz */

DEFINE_STATIC_KEY_FALSE(kt_ticks_coarse);
DEFINE_PER_CPU(u64, kt_ticks_last);

#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
static bool worked_around(unsigned int cpu)
{
	const struct arch_timer_erratum_workaround *wa = per_cpu(timer_unstable_counter_workaround, cpu);

	return wa && wa->read_cntvct_el0;
}
#else
static bool worked_around(unsigned int cpu)
{
	return false;
}
#endif

bool kt_raw_ticks_good(void)
{
	unsigned int cpu;

	if (arch_timer_get_cntfrq() < FAST)
		static_branch_enable(&kt_ticks_coarse);
	for_each_possible_cpu(cpu)
		if (worked_around(cpu))
			return false;
	return true;
}
