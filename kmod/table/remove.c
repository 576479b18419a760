// SPDX-License-Identifier: GPL-2.0-only
/*
 * remove.c - remove tracepoints: they are deleted, their open file is closed, or their module is unloaded.
 *
 * Removal works in turns (change.h).  Each step is done for all sites before the next step begins, so that a step takes
 * one synchronisation of the CPUs, however many sites there are.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/load.h"
#include "kmod/base/rest.h"
#include "kmod/text/event.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/hit/uprobe.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/client.h"
#include "kmod/records/desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/table/window.h"
#include "kmod/text/change.h"

/* ----------------------------------------------------------------- disarming */

/*
 * Write a breakpoint over the head of each jump.  A jump with a foreign kprobe on it stays, and its site moves to
 * `kept`, unless its text goes together with its module.
 */
static u32 break_jumps(struct list_head *sites, struct list_head *kept)
{
	struct kt_turn turn = kt_turn_begin(true);
	struct kt_site *site, *next;
	bool any = false;

	list_for_each_entry_safe(site, next, sites, leaving) {
		if (site->state == KT_SITE_JUMP && kt_jump_movable(site)) {
			kt_jump_break(site);
			any = true;
		} else if (site->state == KT_SITE_JUMP && site->text_goes) {
			kt_jump_forget(site);
		} else if (site->state == KT_SITE_JUMP) {
			list_move_tail(&site->leaving, kept);
		}
		kt_turn_next(&turn);
	}
	if (any)
		kt_arch.sync();
	kt_turn_end(&turn);
	return any;
}

/* Every CPU sees the breakpoints now: restore the bytes behind them. */
static u32 mend_tails(struct list_head *sites)
{
	struct kt_turn turn = kt_turn_begin(true);
	struct kt_site *site;

	list_for_each_entry(site, sites, leaving) {
		if (site->state == KT_SITE_BROKEN)
			kt_arch.poke(site, KT_POKE_DISPLACED_TAIL);
		kt_turn_next(&turn);
	}
	kt_arch.sync();
	kt_turn_end(&turn);
	return 1;
}

static u32 restore_heads(struct list_head *sites)
{
	struct kt_turn turn = kt_turn_begin(true);
	struct kt_site *site;
	bool any = false;

	list_for_each_entry(site, sites, leaving) {
		if (site->state != KT_SITE_OFF) {
			kt_jump_back(site);
			kt_window_disarm(site);
			any = true;
		}
		kt_change_done(1);
		kt_turn_next(&turn);
	}
	if (any)
		kt_arch.sync();
	kt_turn_end(&turn);
	return any;
}

u32 kt_sites_disarm(struct list_head *sites, struct list_head *kept)
{
	u32 syncs = break_jumps(sites, kept);

	if (syncs)
		syncs += mend_tails(sites);
	return syncs + restore_heads(sites);
}

/* ------------------------------------------------------------------ removal */

static void reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(reap_work, reap);

static void go(struct kt_consumer *consumer, struct list_head *going)
{
	if (list_empty(&consumer->going))
		list_add_tail(&consumer->going, going);
}

static void stay(struct list_head *going)
{
	struct kt_consumer *consumer, *next;

	list_for_each_entry_safe(consumer, next, going, going)
		list_del_init(&consumer->going);
}

/* Remove the consumers from their sites.  The last consumer of a site stays there: hits may still be in progress. */
static void leave_sites(struct list_head *going, struct list_head *sites)
{
	struct kt_turn turn = kt_turn_begin(false);
	struct kt_consumer *consumer;

	list_for_each_entry(consumer, going, going) {
		struct kt_site *site = consumer->site;

		consumer->unseen = !site->order;
		if (kt_consumer_is_alone(consumer)) {
			list_add_tail(&site->leaving, sites);
		} else {
			kt_consumer_leave(consumer);
			site->wants_jump = kt_consumers_want_jump(site);
			kt_change_done(1);
		}
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
}

/* A foreign kprobe sits on the jump: the last consumer stays, orphaned, and reap_work tries again each second. */
static void keep_orphaned(struct list_head *kept)
{
	struct kt_consumer *last;
	struct kt_site *site, *next;

	if (list_empty(kept))
		return;
	list_for_each_entry_safe(site, next, kept, leaving) {
		list_del_init(&site->leaving);
		last = list_first_entry(&site->consumers, struct kt_consumer, peers);
		list_del_init(&last->going);
		last->client = NULL;
		last->orphaned = true;
	}
	schedule_delayed_work(&reap_work, HZ);
}

static void disarm_calls(struct list_head *sites)
{
	struct kt_site *site;

	list_for_each_entry(site, sites, leaving) {
		kt_event_disarm(site);
		kt_rest();
	}
	kt_retprobes_disarm(sites);
	kt_uprobes_disarm(sites);
}

/* A site that was never published is in no hit: free it at once. */
static void site_drop(struct kt_site *site)
{
	kt_site_withdraw(site);
	if (site->order) {
		kt_defer_site(site);
		return;
	}
	if (kt_site_is_text(site))
		kt_arch.release(site);
	kt_site_free(site);
}

/* No CPU can enter the breakpoint hook for these sites any more, so they may leave the hash. */
static void drop_sites(struct list_head *sites)
{
	struct kt_turn turn = kt_turn_begin(false);
	struct kt_site *site, *next;

	list_for_each_entry_safe(site, next, sites, leaving) {
		list_del_init(&site->leaving);
		site_drop(site);
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
}

/* Listing looks at the sites of consumers, so remove these from the list before their sites are freed. */
static void withdraw_consumers(struct list_head *going)
{
	struct kt_turn turn = kt_turn_begin(false);
	struct kt_consumer *consumer;

	list_for_each_entry(consumer, going, going) {
		kt_consumer_withdraw(consumer);
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
}

/* After their sites: a task that is preempted in a trampoline may still read their descriptors. */
static void drop_consumers(struct list_head *going)
{
	struct kt_consumer *consumer, *next;

	list_for_each_entry_safe(consumer, next, going, going) {
		list_del_init(&consumer->going);
		if (consumer->unseen)
			kt_consumer_free(consumer);
		else
			kt_defer_consumer(consumer);
		kt_rest();
	}
}

u32 kt_consumers_remove(struct list_head *going)
{
	LIST_HEAD(sites);
	LIST_HEAD(kept);
	u32 syncs = 0;

	lockdep_assert_held(&kt_change_lock);
	if (list_empty(going))
		return 0;
	leave_sites(going, &sites);
	if (!list_empty(&sites)) {
		syncs = kt_sites_disarm(&sites, &kept);
		keep_orphaned(&kept);
		disarm_calls(&sites);
	}
	withdraw_consumers(going);
	drop_sites(&sites);
	drop_consumers(going);
	kt_defer_trim();
	kt_jump_arm();		/* the removed sites may have been in the way of jumps */
	kt_brake_follow();
	return syncs;
}

/* ------------------------------------------------------------------- openers */

/*
 * Add to `going` the hidden consumers in whose measurement no tracepoint is left that closes calls.  The measurement
 * stays alive meanwhile: the descriptors hold references.
 */
static void pick_openers(struct list_head *going)
{
	struct kt_consumer *at;

	lockdep_assert_held(&kt_change_lock);
	if (!kt_table_has_hidden())
		return;
	list_for_each_entry(at, &kt_consumers, list)
		if (kt_consumer_is_hidden(at))
			kt_consumer_desc(at)->measurement->closes = false;
	list_for_each_entry(at, &kt_consumers, list) {
		if (list_empty(&at->going) && kt_consumer_desc(at)->role & (KT_ROLE_END | KT_ROLE_STEP))
			kt_consumer_desc(at)->measurement->closes = true;
		kt_rest();
	}
	list_for_each_entry(at, &kt_consumers, list)
		if (kt_consumer_is_hidden(at) && !kt_consumer_desc(at)->measurement->closes)
			go(at, going);
}

u32 kt_openers_remove(void)
{
	LIST_HEAD(going);

	pick_openers(&going);
	return kt_consumers_remove(&going);
}

/* --------------------------------------------------------------------- deleting */

/*
 * Can the consumer be removed now?  The text of its site changes only when its last consumer leaves.  A foreign kprobe
 * may come or go at any time: break_jumps() checks again under the text lock.
 */
static bool movable(const struct kt_consumer *consumer)
{
	return !kt_consumer_is_alone(consumer) || kt_jump_movable(consumer->site);
}

static bool is_others(const struct kt_consumer *consumer, const struct kt_client *client)
{
	return consumer->client && consumer->client != client;
}

/* Pick all consumers except those of other clients.  -EBUSY: a foreign kprobe keeps some of them. */
static int pick_all(struct list_head *going, const struct kt_client *client)
{
	struct kt_consumer *consumer;
	int err = 0;

	list_for_each_entry(consumer, &kt_consumers, list) {
		if (is_others(consumer, client))
			continue;
		if (movable(consumer))
			go(consumer, going);
		else
			err = -EBUSY;
		kt_rest();
	}
	return err;
}

/*
 * The consumer that the caller means by an address: its own, else the persistent one.  -ENOENT: there is none; -EPERM:
 * all of them belong to other clients.
 */
static struct kt_consumer *meant(u64 addr, const struct kt_client *client)
{
	struct kt_site *site = kt_site_find(addr);
	struct kt_consumer *at, *found = NULL;
	bool others = false;

	if (!site || site->internal)
		return ERR_PTR(-ENOENT);
	list_for_each_entry(at, &site->consumers, peers) {
		if (kt_consumer_is_hidden(at))
			continue;
		others |= is_others(at, client);
		if (!is_others(at, client) && (!found || at->client))
			found = at;
	}
	return found ?: ERR_PTR(others ? -EPERM : -ENOENT);
}

/* Pick the consumers at these addresses; one that is named twice is picked once.  On an error nothing is removed. */
static int pick(struct kt_delete *arg, const u64 *addrs, struct list_head *going, const struct kt_client *client)
{
	struct kt_consumer *consumer;
	u32 i;

	for (i = 0; i < arg->nr; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		arg->bad = i;
		consumer = meant(addrs[i], client);
		if (consumer == ERR_PTR(-ENOENT) && arg->flags & KT_DELETE_LEFT)
			continue;
		if (IS_ERR(consumer))
			return PTR_ERR(consumer);
		if (!movable(consumer))
			return -EBUSY;
		go(consumer, going);
		kt_rest();
	}
	arg->bad = 0;
	return 0;
}

static u32 list_length(const struct list_head *list)
{
	const struct list_head *at;
	u32 n = 0;

	list_for_each(at, list)
		n++;
	return n;
}

/* Delete tracepoints.  Once the first one is disarmed, all of them are removed, even if the caller is killed. */
static int delete_picked(struct kt_delete *arg, const u64 *addrs, const struct kt_client *client)
{
	const bool all = arg->flags & KT_DELETE_ALL;
	LIST_HEAD(going);
	int err;

	err = all ? pick_all(&going, client) : pick(arg, addrs, &going, client);
	if (err && !all) {
		stay(&going);
		return err;
	}
	arg->nr_deleted = list_length(&going);
	pick_openers(&going);
	kt_change_expect(arg->nr_deleted);
	arg->syncs = kt_consumers_remove(&going);
	return err;
}

int kt_table_delete(struct kt_delete *arg, const struct kt_client *client)
{
	u64 *addrs = NULL;
	int err;

	arg->nr_deleted = arg->bad = arg->syncs = 0;
	if (arg->flags & ~(KT_DELETE_ALL | KT_DELETE_LEFT))
		return -EOPNOTSUPP;
	if (arg->nr > KT_MAX_BATCH || (arg->flags & KT_DELETE_ALL && arg->nr))
		return -EINVAL;
	if (arg->nr) {
		addrs = vmemdup_user(u64_to_user_ptr(arg->addrs), arg->nr * sizeof(*addrs));
		if (IS_ERR(addrs))
			return PTR_ERR(addrs);
	}
	err = kt_change_begin();
	if (!err) {
		err = delete_picked(arg, addrs, client);
		kt_change_end();
	}
	kvfree(addrs);
	return err;
}

/* ------------------------------------------------------------------ orphaned */

/* Remove the orphaned consumers.  False: a foreign kprobe keeps some of them. */
static bool reap_orphaned(void)
{
	struct kt_consumer *at;
	LIST_HEAD(going);
	bool all = true;

	list_for_each_entry(at, &kt_consumers, list) {
		if (at->orphaned && movable(at))
			go(at, &going);
		else
			all &= !at->orphaned;
		kt_rest();
	}
	pick_openers(&going);
	kt_consumers_remove(&going);
	return all;
}

static void reap(struct work_struct *work)
{
	bool all;

	kt_change_begin_now();
	all = reap_orphaned();
	kt_change_end();
	if (!all)
		schedule_delayed_work(&reap_work, HZ);
}

static void client_gone(const struct kt_client *client)
{
	struct kt_consumer *at;

	lockdep_assert_held(&kt_change_lock);
	list_for_each_entry(at, &kt_consumers, list) {
		if (at->client != client)
			continue;
		at->client = NULL;
		at->orphaned = true;
	}
}

void kt_table_client_gone(struct kt_client *client)
{
	if (!client->has_sites)
		return;
	kt_change_begin_now();
	client_gone(client);
	kt_change_end();
	reap(NULL);
}

/* ---------------------------------------------------------------- modules */

static void module_pick(struct module *mod, struct list_head *going)
{
	struct kt_consumer *at;

	list_for_each_entry(at, &kt_consumers, list) {
		if (at->site->module != mod)
			continue;
		at->site->text_goes = true;
		go(at, going);
	}
	if (!list_empty(going))
		pr_info("module %s is going: %u tracepoints in it are removed\n", mod->name, list_length(going));
}

/*
 * A module is unloaded, or failed to load: remove ktrace's patches while its text still exists.  No new sites can come
 * up in it, because it is not live any more.
 */
static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	LIST_HEAD(going);
	struct kt_turn turn;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	kt_change_begin_now();
	/* Readers of text that met the module before it was going still use its tables: wait for them. */
	turn = kt_turn_begin(false);
	kt_turn_end(&turn);
	module_pick(data, &going);
	pick_openers(&going);
	kt_consumers_remove(&going);
	kt_arch.branch_targets_forget(data);
	kt_callers_forget();
	kt_change_end();
	return NOTIFY_OK;
}

/* Run before the kernel's own notifier, which warns of static tracepoints that are still in use. */
static struct notifier_block module_nb = { .notifier_call = module_event, .priority = 1 };

int kt_table_init(void)
{
	kt_code_init(&kt_shared_desc.code, &kt_shared_desc.direct);
	return register_module_notifier(&module_nb);
}

static int remove_everything(void)
{
	struct kt_delete all = { .flags = KT_DELETE_ALL };
	int err;

	kt_change_begin_now();
	err = delete_picked(&all, NULL, NULL);
	kt_change_end();
	return err;
}

/* The module must not be unloaded while a foreign kprobe executes a jump into its trampolines: wait. */
static void remove_all(void)
{
	while (remove_everything() || kt_table_count()) {
		pr_warn("%u tracepoints cannot be removed while a kprobe sits on them: waiting until it is gone\n",
			kt_table_count());
		msleep(1000);
	}
}

void kt_table_exit(void)
{
	cancel_delayed_work_sync(&reap_work);
	/* Keep the notifier while sites are left: a module may be unloaded meanwhile, with their text. */
	remove_all();
	unregister_module_notifier(&module_nb);
	cancel_delayed_work_sync(&reap_work);
	kt_jump_exit();
	kt_defer_flush();
}
