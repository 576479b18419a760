// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_prepare.c - the second step of set.c: check and prepare each requested site.
 *
 * A new site stays out of the table, in the batch's own hash of fresh sites, until set_arm.c arms all of them.
 */
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/rest.h"
#include "kmod/text/event.h"
#include "kmod/text/entry_path.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/hit/uprobe.h"
#include "kmod/measure/client.h"
#include "kmod/records/desc.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/set_int.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "kmod/text/scratch.h"

/* -------------------------------------------------------------- fresh sites */

/* Find a site in the table or among the fresh ones. */
static struct kt_site *site_find(const struct batch *b, unsigned long addr)
{
	struct kt_site *site = kt_site_find(addr);

	if (site)
		return site;
	hlist_for_each_entry(site, batch_fresh_at(b, addr), hash)
		if (site->addr == addr)
			return site;
	return NULL;
}

static bool fresh_inside(const struct batch *b, const struct kt_site *site)
{
	u32 i;

	for (i = 1; i < site->displaced_len; i++)
		if (site_find(b, site->addr + i))
			return true;
	return false;
}

/* ------------------------------------------------------------------ prepare */

/* Set site->wants_jump, and refuse a method that is not possible.  A jump serves all consumers of a site, or none. */
static enum kt_refusal method_choose(const struct batch *b, struct kt_site *site, bool others_want_jump,
				     struct kt_site_req *req)
{
	const u8 method = req->method;

	if (!kt_site_is_text(site))
		return method == KT_METHOD_AUTO ? KT_REFUSE_NONE : KT_REFUSE_METHOD;
	if (method > KT_METHOD_JUMP)
		return KT_REFUSE_METHOD;
	site->wants_jump = method != KT_METHOD_BREAKPOINT && others_want_jump;
	if (method == KT_METHOD_JUMP || (site->wants_jump && batch_decides_now(b)))
		kt_jump_analyse(site);
	if (method != KT_METHOD_JUMP)
		return KT_REFUSE_NONE;
	req->no_jump = fresh_inside(b, site) ? KT_NO_JUMP_SITE : kt_jump_obstacle(site);
	return kt_jump_planned(site) && !req->no_jump ? KT_REFUSE_NONE : KT_REFUSE_METHOD;
}

static enum kt_refusal as_planned(const struct kt_site *site, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_SCRATCH)
		return KT_REFUSE_NONE;
	if (site->insn_len != req->insn_len || memcmp(site->insn, req->insn, req->insn_len))
		return KT_REFUSE_CHANGED;
	return KT_REFUSE_NONE;
}

/* Let the site's jump become a breakpoint at the end of this turn. */
static enum kt_refusal disarm(struct batch *b, struct kt_site *site)
{
	if (!kt_jump_movable(site))
		return KT_REFUSE_BREAKPOINT;
	if (list_empty(&site->jump))
		list_add_tail(&site->jump, &b->disarm);
	return KT_REFUSE_NONE;
}

static enum kt_refusal uncover(struct batch *b, unsigned long addr)
{
	struct kt_site *jump_site = kt_jump_covering(addr);

	return jump_site ? disarm(b, jump_site) : KT_REFUSE_NONE;
}

static enum kt_refusal site_prepare(struct batch *b, struct kt_site *site, const struct item *item)
{
	struct kt_site_req *req = item->req;
	enum kt_refusal refusal = kt_safety_text(site);

	site->windowed = item->by_name.windowed;
	if (!refusal)
		refusal = as_planned(site, req);
	if (!refusal)
		refusal = method_choose(b, site, true, req);
	if (!refusal)
		refusal = uncover(b, site->addr);
	if (!refusal)
		refusal = kt_arch.prepare(site);
	return refusal;
}

/* Refuse a static tracepoint on the breakpoint entry path: every breakpoint passes it. */
static enum kt_refusal event_prepare(struct kt_site *site)
{
	enum kt_refusal refusal = kt_event_prepare(site);

	if (!refusal && kt_entry_path_has(site->event))
		refusal = KT_REFUSE_ENTRY_PATH;
	return refusal;
}

static enum kt_refusal prepare_of_kind(struct kt_site *site, const struct kt_site_req *req)
{
	if (req->flags & KT_SITE_EVENT)
		return event_prepare(site);
	return req->flags & KT_SITE_USER ? kt_uprobe_prepare(site, req) : kt_retprobe_prepare(site);
}

/* Prepare an event, a return or a uprobe: the kernel calls ktrace for it, and ktrace patches nothing. */
static enum kt_refusal call_prepare(struct batch *b, struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal = prepare_of_kind(site, item->req);

	if (!refusal)
		refusal = method_choose(b, site, true, item->req);
	item->arms_call = !refusal;
	return refusal;
}

static bool is_call(const struct kt_site_req *req)
{
	return req->flags & (KT_SITE_EVENT | KT_SITE_RETURN | KT_SITE_USER);
}

/*
 * Add a consumer to the site.  It stays there if the batch is refused later, until batch_undo(): hits do nothing for it
 * before it is live.
 */
static enum kt_refusal consumer_add(struct batch *b, struct item *item, struct kt_site *site)
{
	struct kt_consumer *consumer = kt_consumer_alloc(b->client, item->desc);

	if (!consumer)
		return KT_REFUSE_NOMEM;
	if (b->client)
		b->client->has_sites = true;
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
		refusal = site_prepare(b, site, item);
	if (!refusal)
		refusal = consumer_add(b, item, site);
	if (refusal) {
		if (site->plain)
			kt_arch.release(site);
		kt_site_free(site);
		return refusal;
	}
	item->is_fresh = true;
	hlist_add_head(&site->hash, batch_fresh_at(b, site->addr));
	return KT_REFUSE_NONE;
}

/* Check that the site is of the requested kind and has the expected instruction.  Arm it again if it is off. */
static enum kt_refusal site_fits(struct item *item, struct kt_site *site)
{
	enum kt_refusal refusal;

	if (site->internal)
		return KT_REFUSE_SELF;
	if (kt_site_is_text(site) == is_call(item->req))
		return KT_REFUSE_DESC;
	if (site->uprobe && !kt_uprobe_fits(site, item->req))
		return KT_REFUSE_DESC;
	refusal = as_planned(site, item->req);
	if (!refusal && kt_site_is_text(site))
		refusal = kt_site_rearm(site);
	if (!kt_site_is_text(site))
		item->arms_call = kt_site_is_off(site);
	item->widens = site->uprobe && kt_uprobe_lacks(site, item->req->process);
	item->arms_call |= item->widens;
	return refusal;
}

static enum kt_refusal method_change(struct batch *b, struct item *item, struct kt_site *site, bool others_want_jump)
{
	const bool wanted = site->wants_jump;
	enum kt_refusal refusal;

	refusal = method_choose(b, site, others_want_jump, item->req);
	if (!refusal && !site->wants_jump && site->state > KT_SITE_BREAKPOINT)
		refusal = disarm(b, site);
	if (refusal)
		site->wants_jump = wanted;
	return refusal;
}

/* Add a consumer to an existing site; the same batch may have created the site. */
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

static enum kt_refusal item_prepare_at(struct batch *b, struct item *item)
{
	struct kt_site *site = site_find(b, item->req->addr);
	struct kt_consumer *same = site ? kt_consumer_find(site, b->client, item->desc) : NULL;

	item->wants_jump = item->req->method != KT_METHOD_BREAKPOINT;
	if (same)
		return prepare_update(b, item, same);
	if (kt_table_count() >= KT_MAX_SITES)
		return KT_REFUSE_FULL;
	return site ? prepare_join(b, item, site) : prepare_new(b, item);
}

static enum kt_refusal item_prepare(struct batch *b, struct item *item)
{
	enum kt_refusal refusal = item_prepare_at(b, item);

	item->req->windowed = !refusal && item->site->windowed;
	if (!refusal && item->site->event)
		kt_desc_set_event(item->desc, item->site->event->name);
	return refusal;
}

static void turn_forget_disarmed(struct batch *b)
{
	struct kt_site *site, *next;

	list_for_each_entry_safe(site, next, &b->disarm, jump)
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
			batch_refuse(b, &b->items[i], refusal);
		kt_rest();
	}
	if (batch_wanted(b))
		b->arg->syncs += kt_jumps_disarm(&b->disarm);
	else
		turn_forget_disarmed(b);
	kt_turn_end(&turn);
}

/* Analysing text for jumps takes long the first time: do it under kt_change_lock alone. */
static void batch_look_around(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->reqs[i].method == KT_METHOD_JUMP || batch_decides_now(b))
			kt_jump_look_around(b->reqs[i].addr);
}

/* batch_describe() has asked for the name, which in a module may be that of another module since. */
static enum kt_refusal check_address(const struct item *item)
{
	const u64 addr = item->req->addr;
	const bool is_known = !item->req->flags && kt_core_kernel_text(addr);

	return kt_safety_unnamed(addr, item->by_name.is_plain) ?: is_known ? item->by_name.refusal : kt_safety_name(addr).refusal;
}

/*
 * Refuse the addresses that no site may have, before the text lock is taken, and before the batch has breakpoints: one in the
 * kernel's search for symbols would be hit a million times by each further search.
 */
static int batch_check_addresses(struct batch *b)
{
	enum kt_refusal refusal;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (item->req->refusal || is_call(item->req) || kt_site_find(item->req->addr))
			continue;
		refusal = check_address(item);
		if (refusal)
			batch_refuse(b, item, refusal);
		if (fatal_signal_pending(current))
			return -EINTR;
		kt_rest();
	}
	return 0;
}

bool kt_batch_worth_waiting(struct batch *b, u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to && b->tries; i++)
		b->lacks_slots |= b->items[i].req->refusal == KT_REFUSE_NOSLOT && kt_defer_pending();
	return b->lacks_slots;
}

int kt_batch_prepare(struct batch *b)
{
	const u32 nr = b->arg->nr;
	u32 from, to;
	int err = batch_check_addresses(b);

	if (err)
		return err;
	kt_change_expect(nr);
	batch_look_around(b);
	for (from = 0; from < nr; from = to) {
		if (fatal_signal_pending(current))
			return -EINTR;
		to = min(from + KT_TURN, nr);
		if (!is_call(b->items[from].req) && kt_is_text(b->reqs[from].addr))
			kt_arch.reserve(b->reqs[from].addr, false);
		turn_prepare(b, from, to);
		if (kt_batch_worth_waiting(b, from, to))
			return -EAGAIN;
		kt_change_done(to - from);
		kt_rest();
	}
	return batch_wanted(b) ? kt_batch_arm(b) : 0;
}
