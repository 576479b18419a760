// SPDX-License-Identifier: GPL-2.0-only
/* jump.c - see jump.h. */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "ktrace.h"
#include "arch.h"
#include "jump.h"
#include "ksym.h"
#include "safety.h"
#include "scratch.h"
#include "site.h"
#include "table.h"
#include "table_int.h"

/* Sites looked at before others get at the locks. */
#define PROMOTE_BATCH	128

static u32 nr_jumps;

u32 kt_jump_count(void)
{
	return READ_ONCE(nr_jumps);
}

void kt_jump_analyse(struct kt_site *site)
{
	unsigned long size, offset;
	int err;

	if (site->analysed)
		return;
	err = kt_arch.landing_prepare(site->addr, site->module);
	/* Without memory now: another time. */
	site->analysed = err != -ENOMEM;
	if (!err &&
	    kt_kallsyms_lookup_size_offset(site->addr, &size, &offset))
		kt_arch.region(site, site->addr - offset, size);
}

static bool site_inside(const struct kt_site *site)
{
	u32 i;

	for (i = 1; i < site->region_len; i++)
		if (kt_site_find(site->addr + i))
			return true;
	return false;
}

bool kt_jump_planned(const struct kt_site *site)
{
	return site->wants_jump && site->region_len && !site_inside(site);
}

struct kt_site *kt_jump_covering(unsigned long addr)
{
	struct kt_site *site;
	u32 i;

	for (i = 1; i < KT_MAX_INSN; i++) {
		site = kt_site_find(addr - i);
		if (site && site->region_len > i && site->state > KT_SITE_BREAKPOINT)
			return site;
	}
	return NULL;
}

bool kt_jump_movable(const struct kt_site *site)
{
	return site->state != KT_SITE_JUMP || kt_arch.jump_intact(site);
}

/* -------------------------------------------------------------- back */

static void back_to_breakpoint(struct kt_site *site)
{
	if (site->state == KT_SITE_JUMP)
		nr_jumps--;
	site->state = KT_SITE_BREAKPOINT;
	WRITE_ONCE(site->slot, site->plain);
}

/*
 * The breakpoint first; when every CPU sees it, what is behind it; when
 * every CPU sees that, hits may go on behind their one instruction.
 */
u32 kt_jumps_demote(struct list_head *sites)
{
	struct kt_site *site, *next;
	u32 n = 0;

	list_for_each_entry(site, sites, jump) {
		if (site->state != KT_SITE_JUMP)
			continue;
		kt_arch.poke(site, KT_POKE_BREAKPOINT);
		n++;
	}
	if (n) {
		kt_arch.sync();
		list_for_each_entry(site, sites, jump)
			if (site->state == KT_SITE_JUMP)
				kt_arch.poke(site, KT_POKE_REGION_TAIL);
		kt_arch.sync();
	}
	list_for_each_entry_safe(site, next, sites, jump) {
		list_del_init(&site->jump);
		back_to_breakpoint(site);
	}
	return n ? 2 : 0;
}

/* ------------------------------------------------------------- forward */

static bool candidate(const struct kt_site *site)
{
	return site->wants_jump && site->state == KT_SITE_BREAKPOINT &&
	       (!site->analysed || site->region_len);
}

/* Hits by the breakpoint go through the whole region from here on. */
static bool make_ready(struct kt_site *site)
{
	kt_jump_analyse(site);
	if (!kt_jump_planned(site))
		return false;
	if (!site->trampoline && kt_arch.prepare_jump(site))
		return false;
	site->state = KT_SITE_READY;
	WRITE_ONCE(site->slot, site->region_slot);
	return true;
}

/* What promote() has made ready so far. */
struct readied {
	u64 cursor;
	bool any;
	bool others;		/* than the scratch function */
};

static void readied_add(struct readied *ready, const struct kt_site *site)
{
	ready->any = true;
	ready->others |= !kt_scratch_is(site->addr);
}

/* The next few candidates behind the cursor; false when there are no more. */
static bool ready_some(struct readied *ready)
{
	struct kt_site *site;
	u32 n = 0;

	mutex_lock(&kt_table_lock);
	kt_text_lock();
	list_for_each_entry(site, &kt_sites, list) {
		if (site->order <= ready->cursor)
			continue;
		ready->cursor = site->order;
		if (!candidate(site))
			continue;
		if (make_ready(site))
			readied_add(ready, site);
		if (++n == PROMOTE_BATCH)
			break;
	}
	kt_text_unlock();
	mutex_unlock(&kt_table_lock);
	cond_resched();
	return n == PROMOTE_BATCH;
}

/* Those that are ready, and nobody came between, onto the list. */
static void collect_ready(struct list_head *jumps)
{
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if (site->state != KT_SITE_READY)
			continue;
		if (kt_jump_planned(site) && kt_arch.region_intact(site))
			list_add_tail(&site->jump, jumps);
		else
			back_to_breakpoint(site);
	}
}

static void jump_all(void)
{
	struct kt_site *site, *next;
	LIST_HEAD(jumps);

	mutex_lock(&kt_table_lock);
	kt_text_lock();
	collect_ready(&jumps);
	list_for_each_entry(site, &jumps, jump)
		kt_arch.poke(site, KT_POKE_JUMP_TAIL);
	kt_arch.sync();
	list_for_each_entry_safe(site, next, &jumps, jump) {
		list_del_init(&site->jump);
		kt_arch.poke(site, KT_POKE_JUMP_HEAD);
		site->state = KT_SITE_JUMP;
		nr_jumps++;
	}
	kt_arch.sync();
	kt_text_unlock();
	mutex_unlock(&kt_table_lock);
}

/*
 * Tasks that went on behind one instruction, by the plain slot, leave the region.  The scratch function is called
 * with interrupts off: a CPU that takes one has left it.
 */
static void leave_regions(const struct readied *ready)
{
	if (ready->others)
		kt_arch.quiesce();
	else
		kick_all_cpus_sync();
}

static void promote(struct work_struct *work)
{
	struct readied ready = { .cursor = 0 };

	while (ready_some(&ready))
		;
	if (!ready.any)
		return;
	leave_regions(&ready);
	jump_all();
}

static DECLARE_WORK(promote_work, promote);

void kt_jump_promote(void)
{
	schedule_work(&promote_work);
}

void kt_jump_exit(void)
{
	cancel_work_sync(&promote_work);
}
