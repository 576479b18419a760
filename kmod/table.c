// SPDX-License-Identifier: GPL-2.0-only
/* table.c - the control table: find, list, remove; sites that go.  See table.h. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "ktrace.h"
#include "arch.h"
#include "consumer.h"
#include "defer.h"
#include "desc.h"
#include "event.h"
#include "jump.h"
#include "meter.h"
#include "owner.h"
#include "retprobe.h"
#include "safety.h"
#include "table.h"
#include "table_int.h"

struct hlist_head kt_site_hash[1 << KT_HASH_BITS];

DEFINE_MUTEX(kt_table_lock);	/* which sites and consumers there are, and the lists of them */
LIST_HEAD(kt_sites);
static LIST_HEAD(consumers);	/* by order */
static u32 nr_consumers;
static u64 last_order;

/* ------------------------------------------------------------ one site */

struct kt_site *kt_site_alloc(unsigned long addr)
{
	struct kt_site *site = kzalloc(sizeof(*site), GFP_KERNEL);

	if (!site)
		return NULL;
	site->addr = addr;
	INIT_LIST_HEAD(&site->consumers);
	INIT_LIST_HEAD(&site->list);
	INIT_LIST_HEAD(&site->jump);
	INIT_HLIST_NODE(&site->hash);
	return site;
}

void kt_site_free(struct kt_site *site)
{
	kt_retprobe_free(site);
	kfree(site);
}

void kt_site_hash_add(struct kt_site *site)
{
	hlist_add_head_rcu(&site->hash, &kt_site_hash[hash_long(site->addr, KT_HASH_BITS)]);
}

void kt_site_publish(struct kt_site *site)
{
	site->order = ++last_order;
	list_add_tail(&site->list, &kt_sites);
	kt_site_hash_add(site);
}

void kt_consumer_publish(struct kt_site *site, struct kt_consumer *consumer)
{
	kt_consumer_join(site, consumer);
	consumer->order = ++last_order;
	list_add_tail(&consumer->list, &consumers);
	nr_consumers++;
}

u32 kt_table_count(void)
{
	return READ_ONCE(nr_consumers);
}

static bool is_hidden(const struct kt_consumer *consumer)
{
	return consumer->opens;
}

/* ---------------------------------------------------------------- removal */

static void reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(reap_work, reap);

/*
 * Somebody's probe on a jump of ours in a module that is going: the text goes
 * with all that is in it.
 */
static bool leave_text(const struct kt_site *site)
{
	return site->state == KT_SITE_OFF || !kt_jump_movable(site);
}

static u32 disarm_all(struct list_head *going)
{
	struct kt_site *site;
	LIST_HEAD(jumps);
	u32 syncs;

	list_for_each_entry(site, going, list) {
		if (leave_text(site))
			site->state = KT_SITE_OFF;
		else if (site->state == KT_SITE_JUMP)
			list_add_tail(&site->jump, &jumps);
	}
	syncs = kt_jumps_demote(&jumps);
	list_for_each_entry(site, going, list) {
		if (site->state == KT_SITE_OFF)
			continue;
		kt_arch.poke(site, KT_POKE_ORIGINAL);
		site->state = KT_SITE_OFF;
	}
	kt_arch.sync();
	return syncs + 1;
}

/*
 * The breakpoints go first; after the synchronisation no CPU can be on its
 * way into the hook for one of them, so the sites may leave the hash.
 */
static u32 sites_remove(struct list_head *going)
{
	struct kt_site *site, *next;
	u32 syncs;

	if (list_empty(going))
		return 0;
	kt_text_lock();
	syncs = disarm_all(going);
	kt_text_unlock();
	list_for_each_entry(site, going, list)
		kt_event_disarm(site);
	kt_retprobes_disarm(going);
	list_for_each_entry_safe(site, next, going, list) {
		list_del(&site->list);
		hlist_del_rcu(&site->hash);
		kt_defer_site(site);
	}
	kt_jump_promote();	/* those they were in the way of */
	return syncs;
}

/* Can the text of its site be changed back?  Nothing is to be changed as long as others consume it. */
static bool movable(const struct kt_consumer *consumer)
{
	bool yes;

	if (!kt_consumer_is_alone(consumer))
		return true;
	kt_text_lock();
	yes = kt_jump_movable(consumer->site);
	kt_text_unlock();
	return yes;
}

static void insert_by_order(struct kt_consumer *consumer)
{
	struct kt_consumer *at;

	list_for_each_entry(at, &consumers, list)
		if (at->order > consumer->order)
			break;
	list_move_tail(&consumer->list, &at->list);
}

/* Somebody's probe sits on the jump, and all consumers were to go at once: the last one stays until that is gone. */
static void keep_orphan(struct kt_consumer *consumer)
{
	consumer->owner = NULL;
	consumer->orphan = true;
	insert_by_order(consumer);
	schedule_delayed_work(&reap_work, HZ);
}

/* The last consumer of a site stays its own while the site goes: hits may be on their way. */
u32 kt_consumers_remove(struct list_head *going)
{
	struct kt_consumer *consumer, *next;
	LIST_HEAD(sites);
	u32 syncs;

	lockdep_assert_held(&kt_table_lock);
	if (list_empty(going))
		return 0;
	list_for_each_entry_safe(consumer, next, going, list) {
		struct kt_site *site = consumer->site;

		if (!site->text_goes && !movable(consumer)) {
			keep_orphan(consumer);
			continue;
		}
		nr_consumers--;
		if (kt_consumer_is_alone(consumer)) {
			list_move_tail(&site->list, &sites);
			continue;
		}
		kt_consumer_leave(consumer);
		site->wants_jump = kt_consumers_want_jump(site);
	}
	syncs = sites_remove(&sites);
	list_for_each_entry_safe(consumer, next, going, list) {
		list_del(&consumer->list);
		kt_defer_consumer(consumer);
	}
	kt_jump_promote();
	return syncs;
}

static bool is_others(const struct kt_consumer *consumer, const struct kt_owner *owner)
{
	return consumer->owner && consumer->owner != owner;
}

/* All consumers move to `going` but those that others own, or at whose site somebody's probe is. */
static int pick_all(struct list_head *going, const struct kt_owner *owner)
{
	struct kt_consumer *consumer, *next;
	int err = 0;

	list_for_each_entry_safe(consumer, next, &consumers, list) {
		if (is_others(consumer, owner))
			continue;
		if (movable(consumer))
			list_move_tail(&consumer->list, going);
		else
			err = -EBUSY;
	}
	return err;
}

/* Whom the caller means by an address: its own, else the one that nobody owns.  -ENOENT, -EPERM: only others'. */
static struct kt_consumer *meant(u64 addr, const struct kt_owner *owner)
{
	struct kt_site *site = kt_site_find(addr);
	struct kt_consumer *at, *found = NULL;
	bool others = false;

	if (!site || site->internal)
		return ERR_PTR(-ENOENT);
	list_for_each_entry(at, &site->consumers, peers) {
		if (is_hidden(at))
			continue;
		others |= is_others(at, owner);
		if (!is_others(at, owner) && (!found || at->owner))
			found = at;
	}
	return found ?: ERR_PTR(others ? -EPERM : -ENOENT);
}

/* Consumers move from the table to `going`; on an unknown address all move back. */
static int pick(struct kt_delete *arg, const u64 *addrs, struct list_head *going,
		const struct kt_owner *owner)
{
	struct kt_consumer *consumer;
	u32 i;

	for (i = 0; i < arg->nr; i++) {
		arg->bad = i;
		consumer = meant(addrs[i], owner);
		if (consumer == ERR_PTR(-ENOENT) && arg->flags & KT_DELETE_LEFT)
			continue;
		if (IS_ERR(consumer))
			return PTR_ERR(consumer);
		if (!movable(consumer))
			return -EBUSY;
		/* Whoever is named twice goes once. */
		list_move_tail(&consumer->list, going);
	}
	arg->bad = 0;
	return 0;
}

static void put_back(struct list_head *going)
{
	struct kt_consumer *consumer, *next;

	list_for_each_entry_safe(consumer, next, going, list)
		insert_by_order(consumer);
}

/*
 * Hidden ones that no tracepoint which closes is left for move to `going`, too.  Its meter cannot go meanwhile:
 * the descriptors have references.
 */
static void pick_openers(struct list_head *going)
{
	struct kt_consumer *at, *next;

	list_for_each_entry(at, &consumers, list)
		if (is_hidden(at))
			kt_consumer_desc(at)->meter->closes = false;
	list_for_each_entry(at, &consumers, list)
		if (kt_consumer_desc(at)->role & (KT_ROLE_CLOSE | KT_ROLE_STEP))
			kt_consumer_desc(at)->meter->closes = true;
	list_for_each_entry_safe(at, next, &consumers, list)
		if (is_hidden(at) && !kt_consumer_desc(at)->meter->closes && movable(at))
			list_move_tail(&at->list, going);
}

u32 kt_openers_remove(void)
{
	LIST_HEAD(going);

	pick_openers(&going);
	return kt_consumers_remove(&going);
}

static u32 list_length(const struct list_head *list)
{
	const struct list_head *at;
	u32 n = 0;

	list_for_each(at, list)
		n++;
	return n;
}

int kt_table_delete(struct kt_delete *arg, const struct kt_owner *owner)
{
	u64 *addrs = NULL;
	LIST_HEAD(going);
	int err = 0;

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
	mutex_lock(&kt_table_lock);
	if (arg->flags & KT_DELETE_ALL)
		err = pick_all(&going, owner);
	else
		err = pick(arg, addrs, &going, owner);
	if (err && !(arg->flags & KT_DELETE_ALL)) {
		put_back(&going);
	} else {
		arg->nr_deleted = list_length(&going);
		pick_openers(&going);
		arg->syncs = kt_consumers_remove(&going);
	}
	mutex_unlock(&kt_table_lock);
	kvfree(addrs);
	return err;
}

/* ------------------------------------------------------------------ orphans */

/* Somebody's probe on a jump of ours keeps it: until it is gone. */
static void reap(struct work_struct *work)
{
	struct kt_consumer *at, *next;
	LIST_HEAD(going);
	bool left = false;

	mutex_lock(&kt_table_lock);
	list_for_each_entry_safe(at, next, &consumers, list) {
		if (at->orphan && movable(at))
			list_move_tail(&at->list, &going);
		else
			left |= at->orphan;
	}
	pick_openers(&going);
	kt_consumers_remove(&going);
	mutex_unlock(&kt_table_lock);
	if (left)
		schedule_delayed_work(&reap_work, HZ);
}

void kt_table_disown(struct kt_owner *owner)
{
	struct kt_consumer *at;

	if (!owner->has_sites)
		return;
	mutex_lock(&kt_table_lock);
	list_for_each_entry(at, &consumers, list) {
		if (at->owner != owner)
			continue;
		at->owner = NULL;
		at->orphan = true;
	}
	mutex_unlock(&kt_table_lock);
	reap(NULL);
}

/* ------------------------------------------------------------------- limits */

/* Armed, all limits reached, and nobody's probe on its jump. */
static bool can_disarm(const struct kt_site *site)
{
	return site->state != KT_SITE_OFF && kt_consumers_spent(site) && kt_jump_movable(site);
}

/* Those that the kernel calls us for. */
static void disarm_spent_calls(void)
{
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if (!site->called || !kt_consumers_spent(site))
			continue;
		site->spent = true;
		kt_event_disarm(site);
		kt_retprobe_disarm(site);
	}
}

/*
 * Breakpoints and jumps go; the sites stay, with what executes their
 * instructions elsewhere: tasks may be in there.
 */
static void disarm_spent(struct work_struct *work)
{
	struct kt_site *site;
	LIST_HEAD(jumps);
	bool any = false;

	mutex_lock(&kt_table_lock);
	kt_text_lock();
	list_for_each_entry(site, &kt_sites, list) {
		site->spent |= can_disarm(site);
		if (site->spent && site->state > KT_SITE_BREAKPOINT)
			list_add_tail(&site->jump, &jumps);
	}
	kt_jumps_demote(&jumps);
	list_for_each_entry(site, &kt_sites, list) {
		if (!site->spent || site->state == KT_SITE_OFF)
			continue;
		kt_arch.poke(site, KT_POKE_ORIGINAL);
		site->state = KT_SITE_OFF;
		any = true;
	}
	if (any)
		kt_arch.sync();
	kt_text_unlock();
	disarm_spent_calls();
	mutex_unlock(&kt_table_lock);
}

static DECLARE_WORK(disarm_work, disarm_spent);

void kt_table_disarm(void)
{
	schedule_work(&disarm_work);
}

void kt_table_disarm_exit(void)
{
	cancel_work_sync(&disarm_work);
}

enum kt_refusal kt_site_rearm(struct kt_site *site)
{
	enum kt_refusal refusal;

	if (!site->spent)
		return KT_REFUSE_NONE;
	refusal = kt_safety_check(site);
	if (refusal)
		return refusal;
	kt_arch.poke(site, KT_POKE_BREAKPOINT);
	kt_arch.sync();
	site->state = KT_SITE_BREAKPOINT;
	site->spent = false;
	kt_table_disarm();
	return KT_REFUSE_NONE;
}

/* ---------------------------------------------------------------- listing */

/* KT_METHOD_* that it has; planned: that it will have in a moment. */
static u8 method_of(const struct kt_site *site, bool planned)
{
	if (site->event)
		return KT_METHOD_EVENT;
	if (site->retprobe)
		return KT_METHOD_RETURN;
	if (planned ? kt_jump_planned(site) : site->state == KT_SITE_JUMP)
		return KT_METHOD_JUMP;
	return KT_METHOD_BREAKPOINT;
}

u8 kt_site_method(const struct kt_site *site)
{
	return method_of(site, true);
}

static void describe(const struct kt_consumer *consumer, struct kt_list_entry *out)
{
	const struct kt_desc *desc = kt_consumer_desc(consumer);
	const struct kt_counts counts = kt_consumer_counts(consumer);
	const struct kt_site *site = consumer->site;
	const u64 unseen = kt_retprobe_missed(site);

	memset(out, 0, sizeof(*out));
	out->addr = site->addr;
	out->id = desc->id;
	out->planned = method_of(site, true);
	out->method = method_of(site, false);
	out->spent = kt_desc_spent(desc);
	out->insn_len = site->insn_len;
	memcpy(out->insn, site->insn, sizeof(out->insn));
	out->missed = counts.missed + unseen;
	out->hits = counts.recorded + counts.missed + unseen;
	out->unseen = unseen;
}

/* As many as there is room for. */
static void list_some(struct kt_list *arg, struct kt_list_entry *to, u32 room)
{
	struct kt_consumer *at;

	mutex_lock(&kt_table_lock);
	list_for_each_entry(at, &consumers, list) {
		if (at->order <= arg->cursor || is_hidden(at))
			continue;
		if (arg->nr == room)
			break;
		describe(at, &to[arg->nr++]);
		arg->cursor = at->order;
	}
	mutex_unlock(&kt_table_lock);
}

/* The caller's memory may have to be waited for: it is written when the lock is free. */
int kt_table_list(struct kt_list *arg)
{
	const u32 room = min(arg->nr, kt_table_count());
	struct kt_list_entry *entries = kvcalloc(max(room, 1U), sizeof(*entries), GFP_KERNEL);
	int err = 0;

	arg->nr = 0;
	if (!entries)
		return -ENOMEM;
	list_some(arg, entries, room);
	if (copy_to_user(u64_to_user_ptr(arg->entries), entries, arg->nr * sizeof(*entries)))
		err = -EFAULT;
	kvfree(entries);
	return err;
}

/* ---------------------------------------------------------------- modules */

/*
 * A module is going (or failed to come up): take our breakpoints out of its text while it
 * is still there.  New sites in it are refused, it is not live any more.
 */
static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct kt_consumer *at, *next;
	LIST_HEAD(going);

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&kt_table_lock);
	list_for_each_entry_safe(at, next, &consumers, list) {
		if (at->site->module != data)
			continue;
		at->site->text_goes = true;
		list_move_tail(&at->list, &going);
	}
	if (!list_empty(&going))
		pr_info("module %s is going: %u tracepoints in it are removed\n",
			((struct module *)data)->name, list_length(&going));
	pick_openers(&going);
	kt_consumers_remove(&going);
	kt_arch.landing_forget(data);
	mutex_unlock(&kt_table_lock);
	return NOTIFY_OK;
}

/* Before the kernel's own, which complains of static tracepoints that are still in use. */
static struct notifier_block module_nb = { .notifier_call = module_event, .priority = 1 };

int kt_table_init(void)
{
	return register_module_notifier(&module_nb);
}

/* Our text cannot go while somebody's probe executes a jump into it. */
static void remove_all(void)
{
	struct kt_delete all = { .flags = KT_DELETE_ALL };

	while (kt_table_delete(&all, NULL)) {
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
	kt_jump_exit();
	kt_defer_flush();
}
