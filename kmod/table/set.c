// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c - KT_IOC_TRACE: set and update tracepoints, all or none.
 *
 * In five steps, each of which can be undone, most of them in turns (change.h): copy and check what was asked
 * for; prepare and arm the sites, all with one synchronisation; have the kernel call us; make the consumers live,
 * or swap the descriptors of those that are only updated; tell the caller.
 *
 * Where all are to be set or none, nothing is armed any more once one is refused: the rest is only looked at.
 * Nothing is recorded before all are armed, since no new consumer is live.  A caller that is killed meanwhile has
 * set nothing.
 */
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/event.h"
#include "kmod/base/way.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/measure/owner.h"
#include "kmod/records/desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/table/text.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "kmod/text/scratch.h"

struct item {
	struct kt_site_req *req;	/* our copy, handed back at the end */
	u8 method;			/* as it was asked for */
	struct kt_site *site;
	struct kt_consumer *consumer;
	struct kt_desc *desc;		/* the new one; after commit the one it replaced */
	bool is_new;			/* the consumer is, */
	bool is_fresh;			/* the site is */
	bool arms_call;			/* what the kernel calls us for and does not yet */
	bool wants_jump;		/* the method that is asked for allows one */
};

struct batch {
	struct kt_trace *arg;
	struct kt_owner *owner;		/* of what is set, NULL: nobody */
	struct kt_site_req *reqs;
	struct item *items;
	struct kt_scan *scans;
	struct list_head demote;	/* jumps in whose way the new sites of a turn are */
	/* New sites that are not in the table, by address: of this turn, or where nothing is armed of all. */
	struct hlist_head *fresh;
	unsigned int fresh_bits;
	bool armed;			/* some are, and the CPUs not synchronised since */
	bool live;			/* the descriptors are swapped */
	/* What is not to be had now is waited for without a lock, and all tried again: */
	bool lacks_slots, lacks_memory;	/* slots; the caller's memory, which is not there at the moment */
	unsigned int tries;
	unsigned long until;		/* jiffies */
};

/* So often; and so long for slots of deleted tracepoints that tasks may still be in. */
#define MOST_TRIES	16
#define LONGEST_WAIT	(30 * HZ)

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
	if (!b->items)
		goto free_reqs;
	b->fresh_bits = ilog2(roundup_pow_of_two(nr + 1));
	b->fresh = kvcalloc(1UL << b->fresh_bits, sizeof(*b->fresh), GFP_KERNEL);
	if (!b->fresh)
		goto free_items;
	for (i = 0; i < nr; i++) {
		struct kt_site_req *req = &b->reqs[i];

		b->items[i].req = req;
		b->items[i].method = req->method;
		if (req->flags & KT_SITE_SCRATCH)
			req->addr = kt_scratch_address(req->addr);
	}
	return 0;

free_items:
	kvfree(b->items);
free_reqs:
	kvfree(b->reqs);
	return -ENOMEM;
}

static void batch_free(struct batch *b)
{
	kvfree(b->fresh);
	kvfree(b->items);
	kvfree(b->reqs);
}

/* As if it had not been tried before. */
static void batch_reset(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		*item = (struct item){ .req = item->req, .method = item->method };
		item->req->method = item->method;
		item->req->updated = item->req->refusal = 0;
		item->req->id = 0;
		item->req->nearest = 0;
	}
	b->arg->nr_set = b->arg->nr_refused = b->arg->syncs = 0;
	b->armed = b->live = b->lacks_slots = b->lacks_memory = false;
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

/* -------------------------------------------------------------- fresh sites */

static struct hlist_head *fresh_at(const struct batch *b, unsigned long addr)
{
	return &b->fresh[hash_long(addr, b->fresh_bits)];
}

/* In the table or fresh. */
static struct kt_site *site_find(const struct batch *b, unsigned long addr)
{
	struct kt_site *site = kt_site_find(addr);

	if (site)
		return site;
	hlist_for_each_entry(site, fresh_at(b, addr), hash)
		if (site->addr == addr)
			return site;
	return NULL;
}

static bool fresh_inside(const struct batch *b, const struct kt_site *site)
{
	u32 i;

	for (i = 1; i < site->region_len; i++)
		if (site_find(b, site->addr + i))
			return true;
	return false;
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
	if (method == KT_METHOD_JUMP && (!kt_jump_planned(site) || fresh_inside(b, site)))
		return KT_REFUSE_METHOD;
	return KT_REFUSE_NONE;
}

static enum kt_refusal as_planned(const struct kt_site *site, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_SCRATCH)
		return KT_REFUSE_NONE;
	if (site->insn_len != req->insn_len || memcmp(site->insn, req->insn, req->insn_len))
		return KT_REFUSE_CHANGED;
	return KT_REFUSE_NONE;
}

/* Its jump becomes a breakpoint before the sites of this turn are armed. */
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

/* A static tracepoint that every breakpoint passes is refused. */
static enum kt_refusal event_prepare(struct kt_site *site)
{
	enum kt_refusal refusal = kt_event_prepare(site);

	if (!refusal && kt_way_has(site->event))
		refusal = KT_REFUSE_OWN_WAY;
	return refusal;
}

/* What the kernel calls us for: nothing is patched by us. */
static enum kt_refusal call_prepare(struct batch *b, struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal = item->req->flags & KT_SITE_EVENT ? event_prepare(site) : kt_retprobe_prepare(site);

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
	item->is_fresh = true;
	hlist_add_head(&site->hash, fresh_at(b, site->addr));
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
		item->arms_call = kt_site_is_off(site);
	return refusal;
}

static enum kt_refusal method_change(struct batch *b, struct item *item, struct kt_site *site, bool others_want_jump)
{
	const bool wanted = site->wants_jump;
	enum kt_refusal refusal;

	refusal = method_choose(b, site, others_want_jump, item->req->method);
	if (!refusal && !site->wants_jump && site->state > KT_SITE_BREAKPOINT)
		refusal = demote(b, site);
	if (refusal)
		site->wants_jump = wanted;
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
	struct kt_site *site = site_find(b, item->req->addr);
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

static bool wanted(const struct batch *b)
{
	if (b->arg->flags & KT_TRACE_DRYRUN)
		return false;
	return !b->arg->nr_refused || b->arg->flags & KT_TRACE_PARTIAL;
}

/* Into the table, and a breakpoint there; what is to be called is armed by the kernel, later. */
static void fresh_arm(struct batch *b, struct item *item)
{
	struct kt_site *site = item->site;

	item->is_fresh = false;
	hlist_del(&site->hash);
	kt_site_publish(site);
	if (!kt_site_is_text(site))
		return;
	kt_arch.poke(site, KT_POKE_BREAKPOINT);
	site->state = KT_SITE_BREAKPOINT;
	b->armed = true;
}

/* Those of a turn, while the text is what they were prepared for. */
static void turn_arm(struct batch *b, u32 from, u32 to)
{
	u32 i;

	b->arg->syncs += kt_jumps_demote(&b->demote);
	for (i = from; i < to; i++)
		if (b->items[i].is_fresh)
			fresh_arm(b, &b->items[i]);
}

/* One synchronisation serves all of them, and is not needed where they go again. */
static void armed_sync(struct batch *b)
{
	if (b->armed) {
		kt_arch.sync();
		b->arg->syncs++;
	}
	b->armed = false;
}

static void turn_forget_demoted(struct batch *b)
{
	struct kt_site *site, *next;

	list_for_each_entry_safe(site, next, &b->demote, jump)
		list_del_init(&site->jump);
}

static void turn_prepare(struct batch *b, u32 from, u32 to)
{
	struct kt_turn turn = kt_turn_begin(true);
	enum kt_refusal refusal;
	u32 i;

	for (i = from; i < to; i++) {
		if (b->items[i].req->refusal)
			continue;
		refusal = item_prepare(b, &b->items[i]);
		if (refusal)
			refuse(b, &b->items[i], refusal);
		cond_resched();
	}
	if (wanted(b))
		turn_arm(b, from, to);
	else
		turn_forget_demoted(b);
	if (wanted(b) && to == b->arg->nr)
		armed_sync(b);
	kt_turn_end(&turn);
}

/* What jumps need to know of a text takes long to find out the first time: not under the other locks. */
static void batch_look_around(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->reqs[i].method == KT_METHOD_JUMP || b->arg->nr <= KT_ANALYSE_NOW)
			kt_jump_look_around(b->reqs[i].addr);
}

/* Is one refused for what will be there when deferred frees are done? */
static bool worth_waiting(struct batch *b, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to && b->tries; i++)
		b->lacks_slots |= b->items[i].req->refusal == KT_REFUSE_NOSLOT && kt_defer_pending();
	return b->lacks_slots;
}

/* -EINTR: the caller is killed; -EAGAIN: after a while. */
static int batch_prepare(struct batch *b)
{
	const u32 nr = b->arg->nr;
	u32 from, to;

	kt_change_expect(nr);
	batch_look_around(b);
	for (from = 0; from < nr; from = to) {
		if (fatal_signal_pending(current))
			return -EINTR;
		to = min(from + KT_TURN, nr);
		if (!is_call(b->items[from].req) && kt_is_text(b->reqs[from].addr))
			kt_arch.reserve(b->reqs[from].addr, false);
		turn_prepare(b, from, to);
		if (worth_waiting(b, from, to))
			return -EAGAIN;
		kt_change_done(to - from);
		cond_resched();
	}
	return 0;
}

/* ------------------------------------------------------------ commit, undo */

/* A kretprobe that is refused has its own reason: the blacklist, or another's patch at the entry. */
static enum kt_refusal call_arm(struct kt_site *site)
{
	int err;

	/* For another consumer of the same batch. */
	if (site->called)
		return KT_REFUSE_NONE;
	err = site->event ? kt_event_arm(site) : kt_retprobe_arm(site);
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
		if (fatal_signal_pending(current))
			return -EINTR;
		refusal = call_arm(item->site);
		item->site->spent &= refusal;
		if (!refusal)
			continue;
		refuse(b, item, refusal);
		if (refusal == KT_REFUSE_NOMEM)
			return -ENOMEM;
		if (!(b->arg->flags & KT_TRACE_PARTIAL) || !item->is_new)
			return -EINVAL;
		list_add_tail(&item->consumer->going, dropped);
		item->consumer = NULL;
		item->is_new = false;
	}
	return 0;
}

/* Hits are under the new descriptors from here on.  Twice is nothing for those that are updated: the undo of a swap. */
static void batch_swap(struct batch *b, bool undo)
{
	struct kt_turn turn = kt_turn_begin(false);
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (item->consumer && item->desc && !(undo && item->is_new))
			item->desc = kt_consumer_describe(item->consumer, item->desc);
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
	b->live = true;
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
	LIST_HEAD(going);
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].is_new)
			list_add_tail(&b->items[i].consumer->going, &going);
	b->arg->syncs += kt_consumers_remove(&going);
	kt_defer_trim();	/* an area that was reserved for nothing */
	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].consumer && !b->items[i].is_new) {
			b->items[i].consumer->in_batch = false;
			b->items[i].site->wants_jump = kt_consumers_want_jump(b->items[i].site);
		}
	b->arg->nr_set = 0;
	/* What was armed again for it. */
	kt_table_disarm();
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
	struct kt_turn turn;
	u32 i;

	if (!b->arg->nr_refused || b->arg->nr > NEAREST_FOR)
		return;
	turn = kt_turn_begin(true);
	for (i = 0; i < b->arg->nr; i++)
		if (about_place[b->reqs[i].refusal])
			b->reqs[i].nearest = kt_safety_nearest(b->reqs[i].addr);
	kt_turn_end(&turn);
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

static void batch_settle(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		if (!b->items[i].consumer)
			continue;
		b->items[i].consumer->wants_jump = b->items[i].wants_jump;
		b->items[i].site->braked = false;
	}
	b->arg->syncs += kt_openers_remove();
}

static int batch_run(struct batch *b)
{
	LIST_HEAD(dropped);
	int err;

	batch_check_scans(b);
	/* Before the first hit: what is set may hit so often that nobody gets any further. */
	kt_brake_start();
	err = batch_prepare(b);
	if (!err && wanted(b))
		err = batch_arm_calls(b, &dropped);
	if (!err && wanted(b))
		batch_swap(b, false);
	if (err != -EINTR && err != -EAGAIN) {
		batch_report(b);
		batch_nearest(b);
		b->lacks_memory = batch_tell_now(b);
	}
	if (!err && b->lacks_memory)
		err = -EAGAIN;
	if (err && b->live)
		batch_swap(b, true);
	b->arg->syncs += kt_consumers_remove(&dropped);
	if (err || !b->live)
		batch_undo(b);
	else
		batch_settle(b);
	kt_jump_promote();
	batch_drop_descs(b, b->live);
	kt_brake_follow();
	return err;
}

/* One change of the table. */
static int batch_change(struct batch *b)
{
	int err = kt_change_begin();

	if (err) {
		batch_drop_descs(b, false);
		return err;
	}
	err = batch_run(b);
	kt_change_end();
	if (!err && b->arg->nr_refused && !(b->arg->flags & KT_TRACE_PARTIAL))
		err = refusal_errno(b);
	return err;
}

/* The caller's memory is there when it begins, or it is an error before anything is set. */
static int batch_try(struct batch *b)
{
	int err;

	batch_reset(b);
	err = batch_tell(b);
	if (err)
		return err;
	err = batch_describe(b);
	if (!err && worth_waiting(b, 0, b->arg->nr))
		err = -EAGAIN;
	if (!err)
		return batch_change(b);
	batch_drop_descs(b, false);
	return err;
}

/* Whatever was lacking is to be had now, or it is not worth to wait for it any more: what comes of it then is told. */
static int batch_wait(struct batch *b)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (b->lacks_memory && !b->tries)
		return -EFAULT;
	b->tries -= b->tries > 0;
	if (b->lacks_slots && !kt_defer_wait(b->until))
		b->tries = 0;
	return 0;
}

int kt_table_trace(struct kt_trace *arg, struct kt_owner *owner)
{
	struct batch b = {
		.arg = arg, .owner = arg->flags & KT_TRACE_OWNED ? owner : NULL,
		.tries = MOST_TRIES, .until = jiffies + LONGEST_WAIT,
	};
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
	if (err)
		goto free_scans;
	kt_desc_collect();
	do {
		err = batch_try(&b);
		if (err != -EAGAIN)
			break;
		err = batch_wait(&b);
	} while (!err);
	batch_free(&b);
free_scans:
	kvfree(b.scans);
	return err;
}
