// SPDX-License-Identifier: GPL-2.0-only
/* jump.c - see jump.h. */
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "kmod/text/scratch.h"

static u32 nr_jumps;

u32 kt_jump_count(void)
{
	return READ_ONCE(nr_jumps);
}

/* The locks that most functions of jump.h need. */
static void assert_all_locks(void)
{
	lockdep_assert_held(&kt_change_lock);
	lockdep_assert_held(&kt_table_lock);
	lockdep_assert_held(kt_text_mutex());
}

void kt_jump_look_around(unsigned long addr)
{
	lockdep_assert_held(&kt_change_lock);
	if (kt_is_text(addr))
		kt_arch.branch_targets_prepare(addr, kt_safety_module(addr));
}

void kt_jump_analyse(struct kt_site *site)
{
	unsigned long size, offset;
	int err;

	assert_all_locks();
	if (site->analysed)
		return;
	err = kt_arch.branch_targets_prepare(site->addr, site->module);
	/* Without memory, try again another time. */
	site->analysed = err != -ENOMEM;
	if (err || !kt_kallsyms_lookup_size_offset(site->addr, &size, &offset))
		site->no_jump = KT_NO_JUMP_TABLES;
	else
		site->no_jump = kt_arch.displace(site, site->addr - offset, size);
}

static bool site_inside(const struct kt_site *site)
{
	u32 i;

	for (i = 1; i < site->displaced_len; i++)
		if (kt_site_find(site->addr + i))
			return true;
	return false;
}

bool kt_jump_planned(const struct kt_site *site)
{
	kt_assert_change_or_table();
	return site->wants_jump && site->displaced_len && !site_inside(site);
}

enum kt_no_jump kt_jump_obstacle(const struct kt_site *site)
{
	kt_assert_change_or_table();
	if (!site->wants_jump || !site->analysed)
		return KT_NO_JUMP_NONE;
	return site->displaced_len && site_inside(site) ? KT_NO_JUMP_SITE : site->no_jump;
}

struct kt_site *kt_jump_covering(unsigned long addr)
{
	struct kt_site *site;
	u32 i;

	kt_assert_change_or_table();
	for (i = 1; i < KT_MAX_INSN; i++) {
		site = kt_site_find(addr - i);
		if (site && site->displaced_len > i && site->state > KT_SITE_BREAKPOINT)
			return site;
	}
	return NULL;
}

bool kt_jump_movable(const struct kt_site *site)
{
	lockdep_assert_held(&kt_change_lock);
	if (READ_ONCE(site->state) != KT_SITE_JUMP || kt_arch.jump_intact(site))
		return true;
	/* A window may be disarming it just now.  Pairs with the barrier of kt_jump_break(). */
	smp_rmb();
	return READ_ONCE(site->state) != KT_SITE_JUMP;
}

/* -------------------------------------------------------------- disarm */

void kt_jump_break(struct kt_site *site)
{
	lockdep_assert_held(kt_text_mutex());
	WRITE_ONCE(site->state, KT_SITE_BROKEN);
	/* The state before the text: see kt_jump_movable(). */
	smp_wmb();
	kt_arch.poke(site, KT_POKE_BREAKPOINT);
}

void kt_jump_back(struct kt_site *site)
{
	lockdep_assert_held(kt_text_mutex());
	if (site->state == KT_SITE_BROKEN)
		nr_jumps--;
	site->state = KT_SITE_BREAKPOINT;
	WRITE_ONCE(site->slot, site->plain);
}

void kt_jump_forget(struct kt_site *site)
{
	assert_all_locks();
	nr_jumps--;
	site->state = KT_SITE_OFF;
}

/*
 * First write the breakpoints.  When every CPU sees them, restore the bytes behind them.  When every CPU sees those,
 * hits may continue behind their one instruction (the plain slot).
 */
u32 kt_jumps_disarm(struct list_head *sites)
{
	struct kt_site *site, *next;
	u32 n = 0;

	assert_all_locks();
	list_for_each_entry(site, sites, jump) {
		if (site->state != KT_SITE_JUMP)
			continue;
		kt_jump_break(site);
		n++;
	}
	if (n) {
		kt_arch.sync();
		list_for_each_entry(site, sites, jump)
			if (site->state == KT_SITE_BROKEN)
				kt_arch.poke(site, KT_POKE_DISPLACED_TAIL);
		kt_arch.sync();
	}
	list_for_each_entry_safe(site, next, sites, jump) {
		list_del_init(&site->jump);
		kt_jump_back(site);
	}
	return n ? 2 : 0;
}

/* ------------------------------------------------------------- arm */

static bool candidate(const struct kt_site *site)
{
	return site->wants_jump && site->state == KT_SITE_BREAKPOINT && !site->lifted &&
	       (!site->analysed || site->displaced_len);
}

bool kt_jump_is_open(const struct kt_site *site)
{
	return candidate(site) && !site->analysed;
}

static bool fits(const struct kt_site *site)
{
	return site->trampoline && (!kt_arch.jump_fits || kt_arch.jump_fits(site));
}

bool kt_jump_is_misfit(const struct kt_site *site)
{
	lockdep_assert_held(&kt_table_lock);
	return site->state == KT_SITE_JUMP && !site->lifted && !fits(site);
}

/* A trampoline that fits.  A task may be in the one that the site has had. */
static int make_trampoline(struct kt_site *site)
{
	struct kt_old_jump *old = site->trampoline ? kmalloc(sizeof(*old), GFP_KERNEL) : NULL;
	int err;

	if (site->trampoline && !old)
		return -ENOMEM;
	if (old)
		old->trampoline = site->trampoline;
	err = kt_arch.prepare_jump(site);
	if (err)
		kfree(old);
	else if (old)
		kt_defer_jump(old);
	return err;
}

/* Without room, try again later. */
static bool has_trampoline(struct kt_site *site)
{
	int err = fits(site) ? 0 : make_trampoline(site);

	if (err == -EINVAL) {
		site->displaced_len = 0;
		site->no_jump = KT_NO_JUMP_RANGE;
	}
	return !err;
}

/* From here on, a hit by the breakpoint executes the copy of all displaced instructions.  A window may come before. */
static bool make_ready(struct kt_site *site)
{
	if (!candidate(site))
		return false;
	kt_jump_analyse(site);
	if (!kt_jump_planned(site) || !has_trampoline(site))
		return false;
	site->state = KT_SITE_READY;
	WRITE_ONCE(site->slot, site->displaced_slot);
	return true;
}

/* The sites that arm_jumps() has made ready so far. */
struct readied {
	bool any;
	bool others;		/* not only in the scratch functions */
};

static void readied_add(struct readied *ready, const struct kt_site *site)
{
	ready->any = true;
	ready->others |= !kt_scratch_is(site->addr);
}

static void ready_all(struct list_head *sites, struct readied *ready)
{
	struct kt_turn turn;
	struct kt_site *site, *next;

	/* This takes long: before the other locks are taken. */
	list_for_each_entry(site, sites, jump)
		kt_arch.branch_targets_prepare(site->addr, site->module);
	kt_arch.reserve(list_first_entry(sites, struct kt_site, jump)->addr, true);
	turn = kt_turn_begin(true);
	list_for_each_entry_safe(site, next, sites, jump) {
		list_del_init(&site->jump);
		if (make_ready(site))
			readied_add(ready, site);
	}
	kt_turn_end(&turn);
}

/* Another change may have come between. */
static bool is_ready(const struct kt_site *site)
{
	return site->state == KT_SITE_READY;
}

/* A site that is not ready any more was disarmed in a window: tasks may be between its displaced instructions. */
static void leave_unfit(struct list_head *sites)
{
	struct kt_site *site, *next;

	list_for_each_entry_safe(site, next, sites, jump) {
		if (is_ready(site) && kt_jump_planned(site) && kt_arch.displaced_intact(site))
			continue;
		list_del_init(&site->jump);
		kt_jump_back(site);
	}
}

/* Write jumps over breakpoints: all tails, then the heads.  Leaves the list empty. */
static void write_jumps(struct list_head *sites)
{
	struct kt_site *site, *next;

	list_for_each_entry(site, sites, jump)
		kt_arch.poke(site, KT_POKE_JUMP_TAIL);
	kt_arch.sync();
	list_for_each_entry_safe(site, next, sites, jump) {
		list_del_init(&site->jump);
		kt_arch.poke(site, KT_POKE_JUMP_HEAD);
		site->state = KT_SITE_JUMP;
	}
	kt_arch.sync();
}

static void jump_all(struct list_head *sites, struct readied *ready)
{
	struct kt_turn turn = kt_turn_begin(true);
	struct kt_site *site;

	leave_unfit(sites);
	list_for_each_entry(site, sites, jump)
		nr_jumps++;
	write_jumps(sites);
	kt_turn_end(&turn);
}

/* Find the wanted sites among the next KT_TURN. */
static void find_next(struct kt_walk *walk, bool (*wanted)(const struct kt_site *site), struct list_head *found)
{
	struct kt_site *site;
	u32 n;

	for (n = 0; n < KT_TURN && walk->at != &kt_sites; n++) {
		site = list_entry(walk->at, struct kt_site, list);
		walk->at = site->list.next;
		if (wanted(site))
			list_add_tail(&site->jump, found);
	}
}

/* Each turn of KT_TURN sites is a change of its own, so that other changes can run between two turns. */
static void in_turns(bool (*wanted)(const struct kt_site *site),
		     void (*work)(struct list_head *sites, struct readied *ready), struct readied *ready)
{
	struct kt_walk walk;
	bool more = true;
	LIST_HEAD(found);

	mutex_lock(&kt_table_lock);
	kt_walk_begin(&walk, &kt_sites);
	mutex_unlock(&kt_table_lock);
	while (more) {
		kt_change_begin_now();
		mutex_lock(&kt_table_lock);
		find_next(&walk, wanted, &found);
		more = walk.at != &kt_sites;
		mutex_unlock(&kt_table_lock);
		if (!list_empty(&found))
			work(&found, ready);
		kt_change_end();
		cond_resched();
	}
	mutex_lock(&kt_table_lock);
	kt_walk_end(&walk);
	mutex_unlock(&kt_table_lock);
}

/*
 * Wait until no task is between displaced instructions, where a hit by way of the plain slot continues.  The scratch
 * functions run with interrupts off, so a CPU that takes an interrupt has left them.
 */
static void leave_displaced(const struct readied *ready)
{
	if (ready->others)
		kt_arch.quiesce();
	else
		kick_all_cpus_sync();
}

/* Without another trampoline the site becomes a breakpoint, whose cost is known.  Returns how many have got one. */
static u32 renew_trampolines(struct list_head *sites)
{
	struct kt_site *site, *next;
	LIST_HEAD(failed);
	u32 n = 0;

	list_for_each_entry_safe(site, next, sites, jump) {
		if (!kt_jump_is_misfit(site) || !kt_jump_movable(site)) {
			list_del_init(&site->jump);
		} else if (make_trampoline(site)) {
			list_move_tail(&site->jump, &failed);
		} else {
			kt_jump_break(site);
			n++;
		}
	}
	kt_jumps_disarm(&failed);
	return n;
}

/* Each jump is a breakpoint while it is written anew: hits then continue at the displaced instructions of the old or the new trampoline. */
static void repoint_all(struct list_head *sites, struct readied *ready)
{
	struct kt_turn turn;
	struct kt_site *site;

	kt_arch.reserve(list_first_entry(sites, struct kt_site, jump)->addr, true);
	turn = kt_turn_begin(true);
	if (renew_trampolines(sites)) {
		kt_arch.sync();
		list_for_each_entry(site, sites, jump)
			WRITE_ONCE(site->slot, site->displaced_slot);
		write_jumps(sites);
	}
	kt_turn_end(&turn);
}

static void arm_jumps(struct work_struct *work)
{
	struct readied ready = { .any = false };

	if (kt_arch.jump_fits)
		in_turns(kt_jump_is_misfit, repoint_all, &ready);
	in_turns(candidate, ready_all, &ready);
	if (!ready.any)
		return;
	leave_displaced(&ready);
	in_turns(is_ready, jump_all, &ready);
}

static DECLARE_WORK(arm_work, arm_jumps);

static void arm_now(struct work_struct *work)
{
	schedule_work(&arm_work);
}

static DECLARE_DELAYED_WORK(later_work, arm_now);

void kt_jump_arm(void)
{
	schedule_work(&arm_work);
}

void kt_jump_arm_later(void)
{
	schedule_delayed_work(&later_work, HZ / 2);
}

void kt_jump_exit(void)
{
	cancel_delayed_work_sync(&later_work);
	cancel_work_sync(&arm_work);
}
