// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c - KT_IOC_TRACE: set and update tracepoints, all or none.
 *
 * In five steps, each of which can be undone: copy and check what was asked
 * for; prepare every site under the text lock; arm them all with one
 * synchronisation; swap the descriptors of those that are only updated; tell
 * the caller.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ktrace.h"
#include "arch.h"
#include "consumer.h"
#include "defer.h"
#include "desc.h"
#include "event.h"
#include "jump.h"
#include "owner.h"
#include "retprobe.h"
#include "safety.h"
#include "scratch.h"
#include "table.h"
#include "table_int.h"
#include "text.h"

struct item {
	struct kt_site_req *req;	/* our copy, handed back at the end */
	struct kt_site *site;
	struct kt_consumer *consumer;
	struct kt_desc *desc;		/* the new one; after commit the one it replaced */
	bool is_new;			/* the consumer is, */
	bool arms;			/* the site is, and is to be patched */
	bool arms_call;			/* what the kernel calls us for and does not yet */
	bool wants_jump;		/* the method that is asked for allows one */
	bool site_wanted_jump;		/* before an update */
};

struct batch {
	struct kt_trace *arg;
	struct kt_owner *owner;		/* of what is set, NULL: nobody */
	struct kt_site_req *reqs;
	struct item *items;
	struct kt_scan *scans;
	struct list_head demote;	/* jumps in whose way the new sites are */
	bool committed;
};

/* Of few sites the nearest good address is told, since people have named them. */
#define NEAREST_FOR	16

static void refuse(struct batch *b, struct item *item, enum kt_refusal refusal)
{
	item->req->refusal = refusal;
	b->arg->nr_refused++;
}

/* ------------------------------------------------------- what was asked for */

static int batch_copy(struct batch *b)
{
	u32 i, nr = b->arg->nr;

	b->reqs = vmemdup_user(u64_to_user_ptr(b->arg->sites), array_size(nr, sizeof(*b->reqs)));
	if (IS_ERR(b->reqs))
		return PTR_ERR(b->reqs);
	b->items = kvcalloc(nr, sizeof(*b->items), GFP_KERNEL);
	if (!b->items) {
		kvfree(b->reqs);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		struct kt_site_req *req = &b->reqs[i];

		b->items[i].req = req;
		req->updated = req->refusal = 0;
		req->id = 0;
		req->nearest = 0;
		if (req->flags & KT_SITE_SCRATCH)
			req->addr = kt_scratch_address(req->addr);
	}
	return 0;
}

static bool request_valid(const struct batch *b, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_SCRATCH)
		return !(req->flags & ~(KT_SITE_SCRATCH | KT_SITE_RETURN)) && b->owner && req->addr &&
		       !(req->flags & KT_SITE_RETURN) == !kt_scratch_is_return(req->addr);
	if (req->flags & KT_SITE_RETURN)
		return req->flags == KT_SITE_RETURN && !req->insn_len && !(req->addr & KT_RETURN_BIT);
	if (req->flags & KT_SITE_EVENT)
		return req->flags == KT_SITE_EVENT && !req->insn_len;
	return !req->flags && req->insn_len && req->insn_len <= KT_MAX_INSN && !kt_scratch_is(req->addr);
}

/* Descriptors are made before any lock is taken.  -EFAULT ends the call. */
static int batch_describe(struct batch *b)
{
	u32 i;
	int err;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];
		struct kt_site_req *req = item->req;

		if (!request_valid(b, req)) {
			refuse(b, item, KT_REFUSE_DESC);
			continue;
		}
		err = kt_desc_create(req->desc, req->desc_len, req->addr, b->owner, req->role,
				     &item->desc, &req->refusal);
		if (err == -EFAULT)
			return err;
		if (err)
			b->arg->nr_refused++;
		cond_resched();
	}
	return 0;
}

/* ------------------------------------------------------------------ prepare */

/* A jump serves all consumers of a site, or none. */
static enum kt_refusal method_choose(const struct batch *b, struct kt_site *site, bool others_want_jump, u8 method)
{
	if (!kt_site_is_text(site))
		return method == KT_METHOD_AUTO ? KT_REFUSE_NONE : KT_REFUSE_METHOD;
	if (method > KT_METHOD_JUMP)
		return KT_REFUSE_METHOD;
	site->wants_jump = method != KT_METHOD_BREAKPOINT && others_want_jump;
	if (method == KT_METHOD_JUMP || (site->wants_jump && b->arg->nr <= KT_ANALYSE_NOW))
		kt_jump_analyse(site);
	return method == KT_METHOD_JUMP && !kt_jump_planned(site) ? KT_REFUSE_METHOD
								  : KT_REFUSE_NONE;
}

static enum kt_refusal as_planned(const struct kt_site *site, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_SCRATCH)
		return KT_REFUSE_NONE;
	if (site->insn_len != req->insn_len || memcmp(site->insn, req->insn, req->insn_len))
		return KT_REFUSE_CHANGED;
	return KT_REFUSE_NONE;
}

/* Its jump is to become a breakpoint when the batch is committed. */
static enum kt_refusal demote(struct batch *b, struct kt_site *site)
{
	if (!kt_jump_movable(site))
		return KT_REFUSE_BREAKPOINT;
	if (list_empty(&site->jump))
		list_add_tail(&site->jump, &b->demote);
	return KT_REFUSE_NONE;
}

static enum kt_refusal uncover(struct batch *b, unsigned long addr)
{
	struct kt_site *cover = kt_jump_covering(addr);

	return cover ? demote(b, cover) : KT_REFUSE_NONE;
}

static enum kt_refusal site_prepare(struct batch *b, struct kt_site *site,
				    const struct kt_site_req *req)
{
	enum kt_refusal refusal = kt_safety_check(site);

	if (!refusal)
		refusal = as_planned(site, req);
	if (!refusal)
		refusal = method_choose(b, site, true, req->method);
	if (!refusal)
		refusal = uncover(b, site->addr);
	if (!refusal)
		refusal = kt_arch.prepare(site);
	return refusal;
}

/* What the kernel calls us for: nothing is patched by us. */
static enum kt_refusal call_prepare(struct batch *b, struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal = item->req->flags & KT_SITE_EVENT ? kt_event_prepare(site)
								   : kt_retprobe_prepare(site);

	if (!refusal)
		refusal = method_choose(b, site, true, item->req->method);
	item->arms_call = !refusal;
	return refusal;
}

static bool is_call(const struct kt_site_req *req)
{
	return req->flags & (KT_SITE_EVENT | KT_SITE_RETURN);
}

/* One more consumer of the site, which keeps it when it is refused: nothing is done for it before it is live. */
static enum kt_refusal consumer_add(struct batch *b, struct item *item, struct kt_site *site)
{
	struct kt_consumer *consumer = kt_consumer_alloc(b->owner, item->desc);

	if (!consumer)
		return KT_REFUSE_NOMEM;
	if (b->owner)
		b->owner->has_sites = true;
	consumer->wants_jump = item->wants_jump;
	consumer->in_batch = true;
	kt_consumer_publish(site, consumer);
	item->site = site;
	item->consumer = consumer;
	item->is_new = true;
	return KT_REFUSE_NONE;
}

static enum kt_refusal prepare_new(struct batch *b, struct item *item)
{
	struct kt_site *site;
	enum kt_refusal refusal;

	site = kt_site_alloc(item->req->addr);
	if (!site)
		return KT_REFUSE_NOMEM;
	if (is_call(item->req))
		refusal = call_prepare(b, item, site);
	else
		refusal = site_prepare(b, site, item->req);
	if (!refusal)
		refusal = consumer_add(b, item, site);
	if (refusal) {
		if (site->plain)
			kt_arch.release(site);
		kt_site_free(site);
		return refusal;
	}
	/* From here on it belongs to the table, unarmed. */
	kt_consumer_describe(item->consumer, item->desc);
	item->desc = NULL;
	item->arms = kt_site_is_text(site);
	kt_site_publish(site);
	return KT_REFUSE_NONE;
}

/* Is it the same kind of site, and as it was planned for; armed, if it is not? */
static enum kt_refusal site_fits(struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal;

	if (site->internal)
		return KT_REFUSE_SELF;
	if (kt_site_is_text(site) == is_call(item->req))
		return KT_REFUSE_DESC;
	refusal = as_planned(site, item->req);
	if (!refusal && kt_site_is_text(site))
		refusal = kt_site_rearm(site);
	if (!kt_site_is_text(site))
		item->arms_call = site->spent;
	return refusal;
}

static enum kt_refusal method_change(struct batch *b, struct item *item, struct kt_site *site, bool others_want_jump)
{
	enum kt_refusal refusal;

	item->site_wanted_jump = site->wants_jump;
	refusal = method_choose(b, site, others_want_jump, item->req->method);
	if (!refusal && !site->wants_jump && site->state > KT_SITE_BREAKPOINT)
		refusal = demote(b, site);
	if (refusal)
		site->wants_jump = item->site_wanted_jump;
	return refusal;
}

/* Another consumer of a site that is there already, perhaps since a moment ago in the same batch. */
static enum kt_refusal prepare_join(struct batch *b, struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal;

	if (kt_scratch_is(site->addr))
		return KT_REFUSE_TAKEN;
	if (kt_consumers_at(site) >= KT_MAX_CONSUMERS)
		return KT_REFUSE_CROWDED;
	refusal = site_fits(item, site);
	if (!refusal)
		refusal = method_change(b, item, site, kt_consumers_want_jump(site));
	return refusal ?: consumer_add(b, item, site);
}

static enum kt_refusal prepare_update(struct batch *b, struct item *item, struct kt_consumer *consumer)
{
	struct kt_site *site = consumer->site;
	enum kt_refusal refusal;
	bool wanted;

	if (consumer->in_batch)
		return KT_REFUSE_TWICE;
	refusal = site_fits(item, site);
	if (refusal)
		return refusal;
	wanted = consumer->wants_jump;
	consumer->wants_jump = true;
	refusal = method_change(b, item, site, kt_consumers_want_jump(site));
	consumer->wants_jump = wanted;
	if (refusal)
		return refusal;
	item->site = site;
	item->consumer = consumer;
	consumer->in_batch = true;
	item->req->updated = 1;
	return KT_REFUSE_NONE;
}

static enum kt_refusal item_prepare(struct batch *b, struct item *item)
{
	struct kt_site *site = kt_site_find(item->req->addr);
	struct kt_consumer *same = site ? kt_consumer_find(site, b->owner, item->desc) : NULL;

	item->wants_jump = item->req->method != KT_METHOD_BREAKPOINT;
	if (same)
		return prepare_update(b, item, same);
	if (kt_table_count() >= KT_MAX_SITES)
		return KT_REFUSE_FULL;
	return site ? prepare_join(b, item, site) : prepare_new(b, item);
}

/* Where the text is not what the sites were found in, none of them is what it is taken for. */
static void batch_check_scans(struct batch *b)
{
	enum kt_refusal refusal = kt_text_scans_check(b->scans, b->arg->nr_scans);
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (refusal && !b->items[i].req->refusal)
			refuse(b, &b->items[i], refusal);
}

static void batch_prepare(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];
		enum kt_refusal refusal;

		if (item->req->refusal)
			continue;
		refusal = fatal_signal_pending(current) ? KT_REFUSE_INTERRUPTED : item_prepare(b, item);
		if (refusal)
			refuse(b, item, refusal);
		cond_resched();
	}
}

/* ------------------------------------------------------------ commit, undo */

static void batch_arm(struct batch *b)
{
	bool any = false;
	u32 i;

	b->arg->syncs += kt_jumps_demote(&b->demote);
	for (i = 0; i < b->arg->nr; i++) {
		if (!b->items[i].arms)
			continue;
		kt_arch.poke(b->items[i].site, KT_POKE_BREAKPOINT);
		b->items[i].site->state = KT_SITE_BREAKPOINT;
		any = true;
	}
	if (any) {
		kt_arch.sync();
		b->arg->syncs++;
	}
}

/* A kretprobe that is refused has its own reason: the blacklist, or another's patch at the entry. */
static enum kt_refusal call_arm(struct kt_site *site)
{
	int err = site->event ? kt_event_arm(site) : kt_retprobe_arm(site);

	if (!err)
		return KT_REFUSE_NONE;
	return err == -ENOMEM || site->event ? KT_REFUSE_NOMEM : KT_REFUSE_NO_KRETPROBE;
}

/*
 * The kernel patches its own text, for each event or function by itself.  What it refuses then is left out of a
 * batch that may be set in part: new consumers move to `dropped`.
 */
static int batch_arm_calls(struct batch *b, struct list_head *dropped)
{
	enum kt_refusal refusal;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->arms_call)
			continue;
		refusal = call_arm(item->site);
		item->site->spent &= refusal;
		if (!refusal)
			continue;
		refuse(b, item, refusal);
		if (refusal == KT_REFUSE_NOMEM)
			return -ENOMEM;
		if (!(b->arg->flags & KT_TRACE_PARTIAL) || !item->is_new)
			return -EINVAL;
		list_move_tail(&item->consumer->list, dropped);
		item->consumer = NULL;
		item->is_new = false;
	}
	return 0;
}

/* Hits are under the new descriptors from here on.  Twice is nothing for those that are updated: the undo of a swap. */
static void batch_swap(struct batch *b, bool undo)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (item->consumer && item->desc && !(undo && item->is_new))
			item->desc = kt_consumer_describe(item->consumer, item->desc);
	}
}

static void batch_report(struct batch *b)
{
	const struct kt_desc *desc;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->consumer)
			continue;
		desc = kt_consumer_desc(item->consumer) ?: item->desc;
		item->consumer->in_batch = false;
		item->req->id = desc->id;
		item->req->method = kt_site_method(item->site);
		b->arg->nr_set++;
	}
}

/* Nothing of the batch is to stay; jumps that were taken back come again by themselves. */
static void batch_undo(struct batch *b)
{
	struct kt_site *site, *next;
	LIST_HEAD(going);
	u32 i;

	list_for_each_entry_safe(site, next, &b->demote, jump)
		list_del_init(&site->jump);
	for (i = 0; i < b->arg->nr; i++) {
		if (b->items[i].is_new)
			list_move_tail(&b->items[i].consumer->list, &going);
	}
	b->arg->syncs += kt_consumers_remove(&going);
	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].consumer && !b->items[i].is_new)
			b->items[i].site->wants_jump = b->items[i].site_wanted_jump;
	b->arg->nr_set = 0;
}

/* Descriptors that are left: never used ones, or those that were replaced. */
static void batch_drop_descs(struct batch *b, bool were_used)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->desc)
			continue;
		if (item->consumer && !item->is_new && were_used)
			kt_defer_desc(item->desc);
		else
			kt_desc_destroy(item->desc);
	}
}

static int refusal_errno(const struct batch *b)
{
	int err = -EINVAL;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		if (b->reqs[i].refusal == KT_REFUSE_NOMEM)
			return -ENOMEM;
		if (b->reqs[i].refusal == KT_REFUSE_NOSLOT || b->reqs[i].refusal == KT_REFUSE_FULL)
			err = -ENOSPC;
	}
	return err;
}

/* Refused for what stands there: it may be different near it. */
static const bool about_place[KT_NR_REFUSALS] = {
	[KT_REFUSE_BOUNDARY] = true,	 [KT_REFUSE_UNDECODABLE] = true,
	[KT_REFUSE_BLACKLIST] = true,	 [KT_REFUSE_IDLE] = true,
	[KT_REFUSE_FTRACE] = true,	 [KT_REFUSE_JUMP_LABEL] = true,
	[KT_REFUSE_STATIC_CALL] = true,	 [KT_REFUSE_ALTERNATIVE] = true,
	[KT_REFUSE_BUG] = true,		 [KT_REFUSE_EXTABLE] = true,
	[KT_REFUSE_BREAKPOINT] = true,	 [KT_REFUSE_TRAP] = true,
	[KT_REFUSE_SYSTEM] = true,	 [KT_REFUSE_SHADOW] = true,
	[KT_REFUSE_RANGE] = true,	 [KT_REFUSE_UNKNOWN_INSN] = true,
	[KT_REFUSE_PADDING] = true,	 [KT_REFUSE_ENDBR] = true,
	[KT_REFUSE_EXCLUSIVE] = true,
};

/* People who name one place want to know what would do instead. */
static void batch_nearest(struct batch *b)
{
	u32 i;

	if (!b->arg->nr_refused || b->arg->nr > NEAREST_FOR)
		return;
	kt_text_lock();
	for (i = 0; i < b->arg->nr; i++)
		if (about_place[b->reqs[i].refusal])
			b->reqs[i].nearest = kt_safety_nearest(b->reqs[i].addr);
	kt_text_unlock();
}

/* Without a lock: the caller's memory may have to be waited for. */
static int batch_tell(struct batch *b)
{
	if (copy_to_user(u64_to_user_ptr(b->arg->sites), b->reqs,
			 array_size(b->arg->nr, sizeof(*b->reqs))))
		return -EFAULT;
	return 0;
}

/* Under the lock: it was there a moment ago, and is not waited for. */
static int batch_tell_now(struct batch *b)
{
	int err;

	pagefault_disable();
	err = batch_tell(b);
	pagefault_enable();
	return err;
}

static bool wanted(const struct batch *b)
{
	if (b->arg->flags & KT_TRACE_DRYRUN)
		return false;
	return !b->arg->nr_refused || b->arg->flags & KT_TRACE_PARTIAL;
}

static void batch_settle(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].consumer)
			b->items[i].consumer->wants_jump = b->items[i].wants_jump;
	b->arg->syncs += kt_openers_remove();
}

static int batch_run(struct batch *b)
{
	LIST_HEAD(dropped);
	int err = 0;

	mutex_lock(&kt_table_lock);
	batch_check_scans(b);
	kt_text_lock();
	batch_prepare(b);
	b->committed = wanted(b);
	if (b->committed)
		batch_arm(b);
	kt_text_unlock();
	if (b->committed)
		err = batch_arm_calls(b, &dropped);
	if (b->committed)
		batch_swap(b, false);
	batch_report(b);
	batch_nearest(b);
	if (!err)
		err = batch_tell_now(b);
	else if (batch_tell_now(b))
		err = -EFAULT;
	if (err && b->committed)
		batch_swap(b, true);
	if (err || !b->committed)
		batch_undo(b);
	else
		batch_settle(b);
	b->arg->syncs += kt_consumers_remove(&dropped);
	kt_jump_promote();
	batch_drop_descs(b, b->committed);
	mutex_unlock(&kt_table_lock);
	if (err)
		return err;
	if (b->arg->nr_refused && !(b->arg->flags & KT_TRACE_PARTIAL))
		return refusal_errno(b);
	return 0;
}

int kt_table_trace(struct kt_trace *arg, struct kt_owner *owner)
{
	struct batch b = { .arg = arg, .owner = arg->flags & KT_TRACE_OWNED ? owner : NULL };
	int err;

	INIT_LIST_HEAD(&b.demote);
	arg->nr_set = arg->nr_refused = arg->syncs = 0;
	if (arg->flags & ~(KT_TRACE_DRYRUN | KT_TRACE_PARTIAL | KT_TRACE_OWNED))
		return -EOPNOTSUPP;
	if (!arg->nr || arg->nr > KT_MAX_BATCH)
		return -EINVAL;
	err = kt_text_scans_copy(arg, &b.scans);
	if (err)
		return err;
	err = batch_copy(&b);
	if (err) {
		kvfree(b.scans);
		return err;
	}
	kt_desc_collect();
	/* The caller's memory is there from here on, or it is an error before anything is set. */
	err = batch_tell(&b);
	if (!err)
		err = batch_describe(&b);
	if (err)
		batch_drop_descs(&b, false);
	else
		err = batch_run(&b);
	kvfree(b.items);
	kvfree(b.reqs);
	kvfree(b.scans);
	return err;
}
