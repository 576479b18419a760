// SPDX-License-Identifier: GPL-2.0-only
/* brake_cost.c - see brake_cost.h. */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/base/load.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/hit.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "kmod/table/brake_cost.h"

#define TIMES		33	/* measure so often, and take the median */
#define NOWHERE		(-PAGE_SIZE)	/* no kernel has memory there */
#define CLOCK_US	500	/* compare the clock with the kernel's for so long */

/* A site and a descriptor whose filter rejects each hit. */
struct dummy {
	struct kt_site site;
	struct kt_desc desc;
	struct pt_regs regs;
	struct { struct kt_program program; struct kt_insn insns[1]; } filter;
};

static u64 time_fault(struct dummy *unused)
{
	const u64 from = kt_clock_read();
	u64 value = 0;

	kt_load_mapped(&value, NOWHERE);
	/* Use the value, so that the compiler keeps the load. */
	barrier_data(&value);
	return kt_clock_read() - from;
}

/* Time one hit, and take it out of the counter again: it is not the user's. */
static u64 time_hit(struct dummy *dummy)
{
	const u64 from = kt_clock_read();
	u64 took;

	kt_hit_jump(&dummy->site, &dummy->regs, &dummy->desc);
	took = kt_clock_read() - from;
	kt_add_local(&this_cpu_ptr(&kt_cpus)->prompt.ring.ctl->filtered, -1);
	return took;
}

static int compare(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median_of(u64 (*time)(struct dummy *dummy), struct dummy *dummy)
{
	u64 times[TIMES];
	unsigned long flags;
	u32 i;

	for (i = 0; i < TIMES; i++) {
		local_irq_save(flags);
		times[i] = time(dummy);
		local_irq_restore(flags);
	}
	sort(times, TIMES, sizeof(times[0]), compare, NULL);
	return times[TIMES / 2];
}

static u64 ticks_of(u32 us)
{
	unsigned long flags;
	u64 ticks, ns;

	/* Warm up: the first call takes longer. */
	ktime_get_ns();
	local_irq_save(flags);
	ticks = kt_clock_read();
	ns = ktime_get_ns();
	udelay(CLOCK_US);
	ticks = kt_clock_read() - ticks;
	ns = ktime_get_ns() - ns;
	local_irq_restore(flags);
	return div64_u64(ticks * us * NSEC_PER_USEC, max(ns, 1ULL));
}

int kt_brake_calibrate(struct kt_brake_cost *cost, u32 us, u64 *ticks)
{
	struct dummy *dummy = kzalloc(sizeof(*dummy), GFP_KERNEL);

	if (!dummy)
		return -ENOMEM;
	dummy->desc.counts = alloc_percpu(struct kt_counts);
	if (!dummy->desc.counts) {
		kfree(dummy);
		return -ENOMEM;
	}
	dummy->filter.program.insns[0].op = KT_OP_DROP;
	dummy->desc.program = &dummy->filter.program;
	dummy->desc.flags = KT_DESC_FILTERED;
	dummy->desc.rings = &kt_prompt_rings;
	cost->hit = median_of(time_hit, dummy) + 1;
	cost->fault = median_of(time_fault, dummy) + 1;
	/* A breakpoint searches no exception tables.  Counted in instructions on Linux 6.1, it takes 2/5 of a fault. */
	cost->trap = cost->fault * 2 / 5;
	*ticks = ticks_of(us);
	free_percpu(dummy->desc.counts);
	kfree(dummy);
	return 0;
}

u64 kt_brake_cost_of(const struct kt_brake_cost *cost, u8 method)
{
	static const u8 traps[KT_NR_METHODS] = { [KT_METHOD_BREAKPOINT] = 1, [KT_METHOD_RETURN] = 2, [KT_METHOD_UPROBE] = 2,
					       [KT_METHOD_STEPPED] = 3 };

	return cost->hit + traps[method] * cost->trap;
}
