// SPDX-License-Identifier: GPL-2.0-only
/* table.c - the control table: find, list, remove; sites that go.  See table.h. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "ktrace.h"
#include "arch.h"
#include "desc.h"
#include "event.h"
#include "jump.h"
#include "meter.h"
#include "owner.h"
#include "safety.h"
#include "table.h"
#include "table_int.h"

struct hlist_head kt_site_hash[1 << KT_HASH_BITS];

DEFINE_MUTEX(kt_table_lock);	/* which sites there are, and the list of them */
LIST_HEAD(kt_sites);		/* by order */
static u32 nr_sites;
static u64 last_order;

/* ------------------------------------------------------------ one site */

struct kt_site *kt_site_alloc(unsigned long addr)
{
	struct kt_site *site = kzalloc(sizeof(*site), GFP_KERNEL);

	if (!site)
		return NULL;
	site->counts = alloc_percpu(struct kt_site_counts);
	if (!site->counts) {
		kfree(site);
		return NULL;
	}
	site->addr = addr;
	INIT_LIST_HEAD(&site->list);
	INIT_LIST_HEAD(&site->jump);
	INIT_HLIST_NODE(&site->hash);
	return site;
}

void kt_site_free(struct kt_site *site)
{
	free_percpu(site->counts);
	kfree(site);
}

static struct kt_desc *site_desc(const struct kt_site *site)
{
	return rcu_dereference_protected(site->desc, lockdep_is_held(&kt_table_lock));
}

bool kt_site_is_hidden(const struct kt_site *site)
{
	return site_desc(site)->role & KT_ROLE_HIDDEN;
}

/* Records taken there, under whatever descriptor. */
static u64 site_records(const struct kt_site *site)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(site->counts, cpu)->recorded);
	return sum;
}

struct kt_desc *kt_site_describe(struct kt_site *site, struct kt_desc *desc)
{
	if (!desc->site) {
		desc->site = site;
		desc->site_records = site_records(site);
	}
	return rcu_replace_pointer(site->desc, desc, lockdep_is_held(&kt_table_lock));
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
	nr_sites++;
}

u32 kt_table_count(void)
{
	return READ_ONCE(nr_sites);
}

/* ----------------------------------------------------------- those that go */

/*
 * A removed site may still be in use: a hit on another CPU, a task preempted
 * in its slot.  A worker waits for both, for all that have gathered, and
 * frees them; removing never waits itself.
 */
static DEFINE_SPINLOCK(limbo_lock);
static LIST_HEAD(limbo_sites);
static LIST_HEAD(limbo_descs);

static void limbo_take(struct list_head *sites, struct list_head *descs)
{
	spin_lock(&limbo_lock);
	list_splice_init(&limbo_sites, sites);
	list_splice_init(&limbo_descs, descs);
	spin_unlock(&limbo_lock);
}

/*
 * The last hit under it is over.  If nothing was recorded at its site since it was published, no
 * packet bears its id.  The site is there still: it comes to the limbo behind its descriptor.
 */
static void desc_over(struct kt_desc *desc)
{
	if (site_records(desc->site) == desc->site_records)
		kt_desc_destroy(desc);
	else
		kt_desc_retire(desc);
}

static void limbo_empty(struct work_struct *work)
{
	struct kt_site *site, *next_site;
	struct kt_desc *desc, *next_desc;
	LIST_HEAD(sites);
	LIST_HEAD(descs);

	limbo_take(&sites, &descs);
	synchronize_rcu();
	kt_event_sync();
	list_for_each_entry_safe(desc, next_desc, &descs, retired) {
		list_del(&desc->retired);
		desc_over(desc);
	}
	if (!list_empty(&sites))
		kt_arch.quiesce();
	list_for_each_entry_safe(site, next_site, &sites, list) {
		list_del(&site->list);
		if (!site->event)
			kt_arch.release(site);
		kt_site_free(site);
	}
	kt_desc_collect();
}

static DECLARE_WORK(limbo_work, limbo_empty);

void kt_limbo_desc(struct kt_desc *desc)
{
	spin_lock(&limbo_lock);
	list_add_tail(&desc->retired, &limbo_descs);
	spin_unlock(&limbo_lock);
	schedule_work(&limbo_work);
}

static void limbo_site(struct kt_site *site)
{
	kt_limbo_desc(rcu_dereference_protected(site->desc, true));
	spin_lock(&limbo_lock);
	list_add_tail(&site->list, &limbo_sites);
	spin_unlock(&limbo_lock);
}

void kt_limbo_flush(void)
{
	flush_work(&limbo_work);
}

/* ---------------------------------------------------------------- removal */

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
u32 kt_sites_remove(struct list_head *going)
{
	struct kt_site *site, *next;
	u32 syncs;

	lockdep_assert_held(&kt_table_lock);
	if (list_empty(going))
		return 0;
	kt_text_lock();
	syncs = disarm_all(going);
	kt_text_unlock();
	list_for_each_entry_safe(site, next, going, list) {
		kt_event_disarm(site);
		list_del(&site->list);
		hlist_del_rcu(&site->hash);
		nr_sites--;
		limbo_site(site);
	}
	schedule_work(&limbo_work);
	kt_jump_promote();	/* those they were in the way of */
	return syncs;
}

static bool movable(const struct kt_site *site)
{
	bool yes;

	kt_text_lock();
	yes = kt_jump_movable(site);
	kt_text_unlock();
	return yes;
}

static bool is_others(const struct kt_site *site, const struct kt_owner *owner)
{
	return site->owner && site->owner != owner;
}

/* All sites move to `going` but those that others own, or that somebody's probe sits on. */
static int pick_all(struct list_head *going, const struct kt_owner *owner)
{
	struct kt_site *site, *next;
	int err = 0;

	list_for_each_entry_safe(site, next, &kt_sites, list) {
		if (is_others(site, owner))
			continue;
		if (movable(site))
			list_move_tail(&site->list, going);
		else
			err = -EBUSY;
	}
	return err;
}

/* Sites move from the table to `going`; on an unknown address all move back. */
static int pick(struct kt_delete *arg, const u64 *addrs, struct list_head *going,
		const struct kt_owner *owner)
{
	struct kt_site *site;
	u32 i;

	for (i = 0; i < arg->nr; i++) {
		site = kt_site_find(addrs[i]);
		if (!site || site->internal || kt_site_is_hidden(site)) {
			arg->bad = i;
			return -ENOENT;
		}
		if (is_others(site, owner) || !movable(site)) {
			arg->bad = i;
			return is_others(site, owner) ? -EPERM : -EBUSY;
		}
		list_move_tail(&site->list, going);
	}
	return 0;
}

static void put_back(struct list_head *going)
{
	struct kt_site *site, *next, *at;

	list_for_each_entry_safe(site, next, going, list) {
		list_for_each_entry(at, &kt_sites, list)
			if (at->order > site->order)
				break;
		list_move_tail(&site->list, &at->list);
	}
}

/*
 * Hidden ones that no tracepoint which closes is left for move to `going`, too.  Its meter cannot go meanwhile:
 * the descriptors have references.
 */
static void pick_openers(struct list_head *going)
{
	struct kt_site *site, *next;

	list_for_each_entry(site, &kt_sites, list)
		if (kt_site_is_hidden(site))
			site_desc(site)->meter->closes = false;
	list_for_each_entry(site, &kt_sites, list)
		if (site_desc(site)->role & (KT_ROLE_CLOSE | KT_ROLE_STEP))
			site_desc(site)->meter->closes = true;
	list_for_each_entry_safe(site, next, &kt_sites, list)
		if (kt_site_is_hidden(site) && !site_desc(site)->meter->closes && movable(site))
			list_move_tail(&site->list, going);
}

u32 kt_openers_remove(void)
{
	LIST_HEAD(going);

	pick_openers(&going);
	return kt_sites_remove(&going);
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
	if (arg->flags & ~KT_DELETE_ALL)
		return -EOPNOTSUPP;
	if (arg->nr > KT_MAX_BATCH || (arg->flags && arg->nr))
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
		arg->syncs = kt_sites_remove(&going);
	}
	mutex_unlock(&kt_table_lock);
	kvfree(addrs);
	return err;
}

/* ------------------------------------------------------------------ orphans */

static void reap(struct work_struct *work);
static DECLARE_DELAYED_WORK(reap_work, reap);

/* Somebody's probe on a jump of ours keeps it: until it is gone. */
static void reap(struct work_struct *work)
{
	struct kt_site *site, *next;
	LIST_HEAD(going);
	bool left = false;

	mutex_lock(&kt_table_lock);
	list_for_each_entry_safe(site, next, &kt_sites, list) {
		if (site->orphan && movable(site))
			list_move_tail(&site->list, &going);
		else
			left |= site->orphan;
	}
	pick_openers(&going);
	kt_sites_remove(&going);
	mutex_unlock(&kt_table_lock);
	if (left)
		schedule_delayed_work(&reap_work, HZ);
}

void kt_table_disown(struct kt_owner *owner)
{
	struct kt_site *site;

	if (!owner->has_sites)
		return;
	mutex_lock(&kt_table_lock);
	list_for_each_entry(site, &kt_sites, list) {
		if (site->owner != owner)
			continue;
		site->owner = NULL;
		site->orphan = true;
	}
	mutex_unlock(&kt_table_lock);
	reap(NULL);
}

/* ------------------------------------------------------------------- limits */

/* Armed, its limit reached, and nobody's probe on its jump. */
static bool can_disarm(const struct kt_site *site)
{
	return site->state != KT_SITE_OFF && kt_desc_spent(site_desc(site)) &&
	       kt_jump_movable(site);
}

static void disarm_spent_events(void)
{
	struct kt_site *site;

	list_for_each_entry(site, &kt_sites, list) {
		if (!site->event_armed || !kt_desc_spent(site_desc(site)))
			continue;
		kt_event_disarm(site);
		site->spent = true;
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
	disarm_spent_events();
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

u8 kt_site_method(const struct kt_site *site)
{
	if (site->event)
		return KT_METHOD_EVENT;
	return kt_jump_planned(site) ? KT_METHOD_JUMP : KT_METHOD_BREAKPOINT;
}

static void describe(const struct kt_site *site, struct kt_list_entry *out)
{
	const struct kt_desc *desc = rcu_dereference_protected(site->desc,
							       lockdep_is_held(&kt_table_lock));
	unsigned int cpu;

	memset(out, 0, sizeof(*out));
	out->addr = site->addr;
	out->id = desc->id;
	out->planned = kt_site_method(site);
	out->method = site->event ? KT_METHOD_EVENT :
		      site->state == KT_SITE_JUMP ? KT_METHOD_JUMP : KT_METHOD_BREAKPOINT;
	out->spent = kt_desc_spent(desc);
	out->insn_len = site->insn_len;
	memcpy(out->insn, site->insn, sizeof(out->insn));
	for_each_possible_cpu(cpu) {
		const struct kt_site_counts *counts = per_cpu_ptr(site->counts, cpu);

		out->missed += READ_ONCE(counts->missed);
		out->hits += READ_ONCE(counts->recorded) + READ_ONCE(counts->missed);
	}
}

/* As many as there is room for. */
static void list_some(struct kt_list *arg, struct kt_list_entry *to, u32 room)
{
	struct kt_site *site;

	mutex_lock(&kt_table_lock);
	list_for_each_entry(site, &kt_sites, list) {
		if (site->order <= arg->cursor || kt_site_is_hidden(site))
			continue;
		if (arg->nr == room)
			break;
		describe(site, &to[arg->nr++]);
		arg->cursor = site->order;
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
	struct kt_site *site, *next;
	LIST_HEAD(going);

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&kt_table_lock);
	list_for_each_entry_safe(site, next, &kt_sites, list)
		if (site->module == data)
			list_move_tail(&site->list, &going);
	if (!list_empty(&going))
		pr_info("module %s is going: %u tracepoints in it are removed\n",
			((struct module *)data)->name, list_length(&going));
	pick_openers(&going);
	kt_sites_remove(&going);
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
	kt_limbo_flush();
}
