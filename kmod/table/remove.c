// SPDX-License-Identifier: GPL-2.0-only
/*
 * remove.c - tracepoints go: deleted, their open file closed, their module gone.
 *
 * All of it in turns (change.h), each step for all sites before the next one, so that a step takes one
 * synchronisation of the CPUs however many sites there are.
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
#include "kmod/text/event.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/client.h"
#include "kmod/records/desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"

/* ----------------------------------------------------------------- disarming */

/*
 * Somebody's probe on a jump of ours keeps it, unless its module goes, and the text with all that is in it.
 * Otherwise a breakpoint takes the place of the jump's head.
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

/* When every CPU sees the breakpoint, what is behind it. */
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
			kt_arch.poke(site, KT_POKE_ORIGINAL);
			site->state = KT_SITE_OFF;
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

/* The last consumer of a site stays its own while the site goes: hits may be on their way. */
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

/* Somebody's probe sits on the jump: the last consumer stays until that is gone. */
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
		cond_resched();
	}
	kt_retprobes_disarm(sites);
}

/* What was never published nobody has seen. */
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

/* No CPU can be on its way into the hook for one of them any more: they may leave the hash. */
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

/* Nobody lists them any more, who would look at their sites. */
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

/* Behind their sites: a task that is preempted in a trampoline may look at their descriptors yet. */
static void drop_consumers(struct list_head *going)
{
	struct kt_consumer *consumer, *next;

	list_for_each_entry_safe(consumer, next, going, going) {
		list_del_init(&consumer->going);
		if (consumer->unseen)
			kt_consumer_free(consumer);
		else
			kt_defer_consumer(consumer);
		cond_resched();
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
	kt_jump_arm();		/* those they were in the way of */
	kt_brake_follow();
	return syncs;
}

/* ------------------------------------------------------------------- openers */

/*
 * Hidden ones that no tracepoint which closes is left for go, too.  Its measurement cannot go meanwhile: the
 * descriptors have references.
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
		cond_resched();
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
 * Can the text of its site be changed back?  Nothing is to be changed as long as others consume it.  Somebody's probe
 * may come or go at any time: break_jumps() asks again, with the text locked.
 */
static bool movable(const struct kt_consumer *consumer)
{
	return !kt_consumer_is_alone(consumer) || kt_jump_movable(consumer->site);
}

static bool is_others(const struct kt_consumer *consumer, const struct kt_client *client)
{
	return consumer->client && consumer->client != client;
}

/* All consumers but those that others own, or at whose site somebody's probe is: -EBUSY. */
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
		cond_resched();
	}
	return err;
}

/* Whom the caller means by an address: its own, else the one that nobody owns.  -ENOENT, -EPERM: only others'. */
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

/* Whoever is named twice goes once.  Nothing is changed yet: on an unknown address all stay. */
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
		cond_resched();
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

/* From the first one that is disarmed on all of them go, though the caller be killed. */
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

/* Those whose client is gone go; false: somebody's probe keeps some. */
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
		cond_resched();
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
 * A module is going (or failed to come up): take our breakpoints out of its text while it
 * is still there.  New sites in it are refused, it is not live any more.
 */
static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	LIST_HEAD(going);

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	kt_change_begin_now();
	module_pick(data, &going);
	pick_openers(&going);
	kt_consumers_remove(&going);
	kt_arch.branch_targets_forget(data);
	kt_change_end();
	return NOTIFY_OK;
}

/* Before the kernel's own, which complains of static tracepoints that are still in use. */
static struct notifier_block module_nb = { .notifier_call = module_event, .priority = 1 };

int kt_table_init(void)
{
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

/* Our text cannot go while somebody's probe executes a jump into it. */
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
	/* While some are left modules may go, and take their text along. */
	remove_all();
	unregister_module_notifier(&module_nb);
	cancel_delayed_work_sync(&reap_work);
	kt_jump_exit();
	kt_defer_flush();
}
