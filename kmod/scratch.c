// SPDX-License-Identifier: GPL-2.0-only
/* scratch.c - see scratch.h. */
#include <linux/irqflags.h>
#include <linux/linkage.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "ktrace.h"
#include "clock.h"
#include "ktrace_abi.h"
#include "scratch.h"
#include "scratch_arch.h"

static u64 time_nothing(void)
{
	const u64 from = kt_clock_read();

	barrier();
	return kt_clock_read() - from;
}

static u64 time_body(void)
{
	const u64 from = kt_clock_read();

	asm volatile(KT_SCRATCH_BODY : : : KT_SCRATCH_CHANGES, "memory");
	return kt_clock_read() - from;
}

static u64 time_call(void)
{
	const u64 from = kt_clock_read();

	kt_scratch(from);
	barrier();
	return kt_clock_read() - from;
}

static int compare(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median(u64 (*time)(void), u64 *times, u32 n)
{
	unsigned long flags;
	u32 i;

	for (i = 0; i < n; i++) {
		local_irq_save(flags);
		times[i] = time();
		local_irq_restore(flags);
		cond_resched();
	}
	sort(times, n, sizeof(*times), compare, NULL);
	return times[n / 2];
}

int kt_scratch_calibrate(struct kt_calibrate *arg)
{
	u64 *times, nothing;

	if (!arg->calls || arg->calls > KT_MAX_CALLS)
		return -EINVAL;
	times = kvmalloc_array(arg->calls, sizeof(*times), GFP_KERNEL);
	if (!times)
		return -ENOMEM;
	nothing = median(time_nothing, times, arg->calls);
	arg->inside = median(time_body, times, arg->calls) - nothing;
	arg->whole = median(time_call, times, arg->calls) - nothing;
	kvfree(times);
	return 0;
}
