// SPDX-License-Identifier: GPL-2.0-only
/*
 * brake_disarm.c - see brake_disarm.h.
 *
 * The time of a tracepoint's hit is known from its method, and from the clock if it is dear.  It is not known which
 * tracepoint's loads failed.  So all tracepoints that load memory share the time of the failed loads, as it was before the
 * CPU turned hits away.  They do not share anything else: when a virtual machine does not run for a while during a dear
 * hit, the clock shows a long time, and tracepoints that have nothing to do with it would be disarmed.
 *
 * Counting and disarming are changes of the table (change.h): they wait for other changes, and other changes for them.
 */
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/each_cpu.h"
#include "kmod/base/clock.h"
#include "kmod/base/rest.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/records/desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/brake_cost.h"
#include "kmod/table/brake_disarm.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"
#include "kmod/text/scratch.h"

static u64 noted_at;		/* under kt_change_lock */
static u32 nr_off;

static u64 hits_of(const struct kt_counts *counts)
{
	return READ_ONCE(counts->recorded) + READ_ONCE(counts->missed);
}

/* The brake may disarm the site.  Not the scratch functions: calibration needs them, and nothing else hits them. */
static bool can_go(const struct kt_site *site)
{
	return !site->internal && !kt_scratch_is(site->addr) && !kt_site_is_off(site);
}

static void note_consumer(struct kt_consumer *consumer)
{
	unsigned int cpu;

	kt_each_cpu(cpu) {
		struct kt_counts *counts = per_cpu_ptr(consumer->counts, cpu);

		counts->looked = hits_of(counts);
	}
}

void kt_brake_note(void)
{
	struct kt_consumer *at;
	struct kt_site *site;

	kt_change_begin_now();
	list_for_each_entry(site, &kt_sites, list) {
		list_for_each_entry(at, &site->consumers, peers)
			note_consumer(at);
		kt_rest();
	}
	noted_at = kt_clock_now();
	kt_change_end();
}

/* The average ticks of a hit that was not turned away. */
static u64 cost_of(const struct kt_consumer *consumer, u8 method)
{
	const struct kt_counts counts = kt_consumer_counts(consumer);
	const u64 hits = counts.recorded + counts.missed - counts.braked;

	return kt_brake_cost_of(&kt_brake_cost, method) + (hits ? div64_u64(counts.spent, hits) : 0);
}

static void price_all(void)
{
	struct kt_consumer *at;
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		list_for_each_entry(at, &site->consumers, peers)
			at->each = cost_of(at, kt_site_method_now(site));
		kt_rest();
	}
}

/* ------------------------------------------------------------------ one CPU */

/* The time that the tracepoints took on a CPU, or would have taken without the brake. */
struct bill {
	unsigned int cpu;
	u64 hits, ticks;	/* of all tracepoints */
	u64 loads;		/* hits of tracepoints that load memory */
	u64 more;		/* additional ticks for each of those hits */
};

static u64 hits_since(const struct kt_consumer *consumer, unsigned int cpu)
{
	const struct kt_counts *counts = per_cpu_ptr(consumer->counts, cpu);

	return hits_of(counts) - counts->looked;
}

static bool loads(const struct kt_consumer *consumer)
{
	const struct kt_desc *desc = kt_consumer_desc(consumer);

	return desc && desc->loads;
}

static void bill_site(struct bill *bill, struct kt_site *site)
{
	struct kt_consumer *at;

	site->load = 0;
	list_for_each_entry(at, &site->consumers, peers) {
		const u64 hits = hits_since(at, bill->cpu);

		site->load += hits * (at->each + (loads(at) ? bill->more : 0));
		bill->hits += hits;
		bill->loads += loads(at) ? hits : 0;
	}
	bill->ticks += site->load;
}

static struct bill bill_for(unsigned int cpu, u64 more)
{
	struct bill bill = { .cpu = cpu, .more = more };
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if (can_go(site))
			bill_site(&bill, site);
		kt_rest();
	}
	return bill;
}

static struct bill bill_all(unsigned int cpu)
{
	const struct bill bill = bill_for(cpu, 0);
	const u64 faults = bill.hits * kt_brake_faults(cpu);

	return faults && bill.loads ? bill_for(cpu, div64_u64(faults, bill.loads)) : bill;
}

static u32 cut_for(u64 most)
{
	struct kt_brake_classes classes = { { 0 } };
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list)
		if (can_go(site))
			kt_brake_class_add(&classes, site->load);
	return kt_brake_cut(&classes, most);
}

static u32 mark_from(u32 cut)
{
	struct kt_site *site;
	u32 n = 0;

	list_for_each_entry(site, &kt_sites, list) {
		if (!can_go(site) || kt_brake_class(site->load) < cut)
			continue;
		site->braked = true;
		n++;
	}
	return n;
}

/* Mark the dearest sites if the CPU is over its budget.  Returns how many are marked. */
static u32 relieve_cpu(unsigned int cpu, u64 ticks)
{
	const u64 most = ticks / 100 * kt_brake_percent;
	struct bill bill = bill_all(cpu);
	u32 n = 0;

	if (bill.ticks > most) {
		n = mark_from(cut_for(most / 2));
		bill = bill_for(cpu, bill.more);
	}
	/* From now on estimate the load by the average hit of the remaining tracepoints. */
	if (bill.hits)
		kt_brake_set_each(cpu, div64_u64(bill.ticks, bill.hits) + 1, div64_u64(bill.loads * bill.more, bill.hits));
	else
		kt_brake_set_each(cpu, kt_brake_cost.hit, 0);
	return n;
}

bool kt_brake_disarm(void)
{
	unsigned int cpu;
	u32 n = 0, here;
	u64 ticks;

	kt_change_begin_now();
	ticks = kt_clock_now() - noted_at;
	price_all();
	for_each_possible_cpu(cpu) {
		here = kt_brake_percent ? relieve_cpu(cpu, ticks) : 0;
		if (here)
			pr_info("tracepoints take more than %u %% of cpu %u: the %u dearest are off now, set them again to have them back\n",
				kt_brake_percent, cpu, here);
		n += here;
	}
	if (n)
		kt_sites_disarm_off();
	kt_change_end();
	return n;
}

/* -------------------------------------------------------------------- state */

static bool is_armed(const struct kt_site *site)
{
	return site->state != KT_SITE_OFF || site->called;
}

bool kt_brake_is_anything_armed(void)
{
	struct kt_site *site;
	bool any = false;
	u32 off = 0;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry(site, &kt_sites, list) {
		any |= is_armed(site);
		off += site->braked ? kt_consumers_at(site) : 0;
		kt_rest();
	}
	WRITE_ONCE(nr_off, off);
	return any;
}

u32 kt_brake_nr_off(void)
{
	return READ_ONCE(nr_off);
}
