// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c - KT_IOC_TRACE: set and update tracepoints, all or none (with KT_TRACE_PARTIAL: those that are possible).
 *
 * The call takes five steps, most of them in turns (change.h), and each of them can be undone:
 *  1. copy and check the requests;
 *  2. prepare the sites (set_prepare.c); arm them, with one synchronisation of the CPUs for all breakpoints (set_arm.c);
 *  3. register events and returns with the kernel;
 *  4. report to the caller; if its memory is not there now, all is undone, and the call tried again;
 *  5. make the new consumers live, and swap the descriptors of updated ones: this cannot fail.
 *
 * If all or none are to be set, the first refusal ends the arming: the other requests are only checked.  Nothing is
 * recorded before all sites are armed, because no new consumer is live until then.  If the caller is killed meanwhile,
 * nothing is set.
 */
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/base/rest.h"
#include "kmod/text/event.h"
#include "kmod/hit/bring_in.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/retprobe.h"
#include "kmod/hit/uprobe.h"
#include "kmod/records/cases.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"
#include "kmod/table/brake.h"
#include "kmod/table/defer.h"
#include "kmod/table/jump.h"
#include "kmod/table/set_int.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/table/text.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "kmod/text/scratch.h"
#include "kmod/uprobe/file.h"

/* Try a batch at most so often; wait at most so long for slots of deleted tracepoints, which tasks may still be in. */
#define MOST_TRIES	16
#define LONGEST_WAIT	(30 * HZ)

/* A call with few sites gets suggestions: a person has probably typed these addresses. */
#define NEAREST_FOR	16

/* ------------------------------------------------------------- the requests */

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

/* Reset everything that an earlier try has left. */
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
		item->req->no_jump = KT_NO_JUMP_NONE;
		item->req->windowed = 0;
	}
	b->arg->nr_set = b->arg->nr_refused = b->arg->syncs = 0;
	b->armed = b->live = b->lacks_slots = b->lacks_memory = false;
}

static bool request_valid(const struct batch *b, const struct kt_site_req *req)
{
	if (memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return false;
	if (req->flags & KT_SITE_USER)
		return req->flags == KT_SITE_USER && KT_FILE_HAS(req->addr) && !req->nr_cases &&
		       req->semaphore < 1ULL << KT_FILE_SHIFT && req->insn_len && req->insn_len <= KT_MAX_INSN;
	if (req->process)
		return false;
	if (req->flags & KT_SITE_SCRATCH)
		return !(req->flags & ~(KT_SITE_SCRATCH | KT_SITE_RETURN)) && b->client && req->addr &&
		       !(req->flags & KT_SITE_RETURN) == !kt_scratch_is_return(req->addr);
	if (req->flags & KT_SITE_RETURN)
		return req->flags == KT_SITE_RETURN && !req->insn_len && !(req->addr & KT_RETURN_BIT);
	if (req->flags & KT_SITE_EVENT)
		return req->flags == KT_SITE_EVENT && !req->insn_len;
	return !req->flags && req->insn_len && req->insn_len <= KT_MAX_INSN && !kt_scratch_is(req->addr);
}

/* Each code is a write to text, so a call with many sites does without those of the prompt. */
static enum kt_code_for code_for(const struct batch *b, const struct kt_site_req *req)
{
	if (b->arg->flags & KT_TRACE_DRYRUN)
		return KT_CODE_FOR_NONE;
	if (req->flags & KT_SITE_EVENT)
		return KT_CODE_FOR_EVENT;
	if (req->flags & KT_SITE_RETURN)
		return KT_CODE_FOR_RETURN;
	return !(req->flags & ~KT_SITE_SCRATCH) && batch_decides_now(b) && req->method != KT_METHOD_BREAKPOINT ? KT_CODE_FOR_TYPED :
												KT_CODE_FOR_TEXT;
}

static int describe_own(struct kt_site_req *req, enum kt_own_desc which)
{
	const int err = kt_own_desc_make(which);

	if (err)
		req->refusal = err == -ENOMEM ? KT_REFUSE_NOMEM : KT_REFUSE_NOSLOT;
	return err;
}

/* A site in a function that windows disarm needs the descriptor of their records. */
static int describe_windows(struct item *item)
{
	struct kt_site_req *req = item->req;

	if (!req->flags && kt_core_kernel_text(req->addr))
		item->by_name = kt_safety_name(req->addr);
	return item->by_name.windowed ? describe_own(req, KT_OWN_DESC_WINDOW) : 0;
}

/* A hit in the kernel may read texts of a program too early.  Of the cases of a recording, too, many have texts. */
static int describe_late(const struct item *item)
{
	struct kt_site_req *req = item->req;
	const bool reads = !(req->flags & KT_SITE_USER) && (req->nr_cases || item->desc->reads_texts);

	return reads ? describe_own(req, KT_OWN_DESC_LATE) : 0;
}

/* The parts of a descriptor that few have. */
static int describe_more(const struct batch *b, struct item *item)
{
	struct kt_site_req *req = item->req;
	int err = req->aggregate ? kt_desc_aggregate(item->desc, req->aggregate, b->caller, &req->refusal) : 0;

	if (!err)
		err = describe_windows(item);
	if (!err)
		err = describe_late(item);
	return err || !req->nr_cases ? err : kt_cases_create(item->desc, b->client, req, code_for(b, req));
}

/* Create the descriptors before any lock is taken.  -EFAULT ends the call; other errors are refusals. */
static int batch_describe(struct batch *b)
{
	u32 i;
	int err;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];
		struct kt_site_req *req = item->req;

		if (!request_valid(b, req)) {
			batch_refuse(b, item, KT_REFUSE_DESC);
			continue;
		}
		req->refusal = req->flags & KT_SITE_USER ? kt_file_check(req) : KT_REFUSE_NONE;
		if (req->refusal) {
			b->arg->nr_refused++;
			continue;
		}
		err = kt_desc_create(req->desc, req->desc_len, req->addr, b->client, req->role,
				     &item->desc, &req->refusal);
		if (!err) {
			err = describe_more(b, item);
			if (err) {
				kt_desc_destroy(item->desc);
				item->desc = NULL;
			}
		}
		if (!err)
			kt_desc_generate(item->desc, item->desc, code_for(b, req));
		if (!err && req->method == KT_METHOD_BREAKPOINT)
			item->desc->no_code = KT_NO_CODE_METHOD;
		if (err == -EFAULT)
			return err;
		if (err)
			b->arg->nr_refused++;
		kt_rest();
	}
	return 0;
}

/* If the text has changed since the caller scanned it for these sites, refuse all of them. */
static void batch_check_scans(struct batch *b)
{
	enum kt_refusal refusal = kt_text_scans_check(b->scans, b->arg->nr_scans);
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (refusal && !b->items[i].req->refusal)
			batch_refuse(b, &b->items[i], refusal);
}

/* ------------------------------------------------------------ commit, undo */

/* The kernel has its own reasons to refuse a kretprobe: its blacklist, or a patch at the function's entry. */
static enum kt_refusal refusal_of(const struct kt_site *site, int err)
{
	if (err == -ENOMEM || site->event)
		return KT_REFUSE_NOMEM;
	if (site->retprobe)
		return KT_REFUSE_NO_KRETPROBE;
	return err == -EIO ? KT_REFUSE_FILESYSTEM : KT_REFUSE_NO_UPROBE;
}

/* Register an event, a return or a uprobe with the kernel. */
static enum kt_refusal call_arm(const struct item *item)
{
	struct kt_site *site = item->site;
	int err;

	if (site->faultable)
		kt_bring_in_begins();
	if (site->uprobe)
		err = kt_uprobe_arm(site, item->widens);
	else if (site->called)	/* another consumer of this batch has armed it */
		err = 0;
	else
		err = site->event ? kt_event_arm(site) : kt_retprobe_arm(site);
	return err ? refusal_of(site, err) : KT_REFUSE_NONE;
}

/*
 * Arm the events, returns and uprobes.  The kernel patches its own text, separately for each.  If the batch may be set in part,
 * what the kernel refuses is left out.
 */
static int batch_arm_calls(struct batch *b)
{
	enum kt_refusal refusal;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->arms_call)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		refusal = call_arm(item);
		item->site->spent &= refusal;
		if (!refusal)
			continue;
		batch_refuse(b, item, refusal);
		if (refusal == KT_REFUSE_NOMEM)
			return -ENOMEM;
		if (!(b->arg->flags & KT_TRACE_PARTIAL) || !item->is_new)
			return -EINVAL;
		kt_batch_leave_out(b, item);
	}
	return 0;
}

/*
 * Swap the descriptors: hits use the new ones from here on.  Nothing may be undone behind this: the CPUs would have
 * counted hits that no tracepoint has.
 */
static void batch_swap(struct batch *b)
{
	struct kt_turn turn = kt_turn_begin(false);
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (item->consumer && item->desc)
			item->desc = kt_consumer_describe(item->consumer, item->desc);
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
	b->live = true;
}

/* goes_live: batch_swap() follows. */
static void batch_report(struct batch *b, bool goes_live)
{
	const struct kt_desc *desc;
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->consumer)
			continue;
		desc = goes_live && item->desc ? item->desc : kt_consumer_desc(item->consumer) ?: item->desc;
		item->consumer->in_batch = false;
		item->req->id = desc->id;
		item->req->method = kt_site_method(item->site);
		item->req->no_jump = kt_jump_obstacle(item->site);
		b->arg->nr_set++;
	}
}

/* Remove all that the batch has set.  Jumps that were disarmed for it are armed again by the worker of jump.c. */
static void batch_undo(struct batch *b)
{
	LIST_HEAD(going);
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].is_new)
			list_add_tail(&b->items[i].consumer->going, &going);
	b->arg->syncs += kt_consumers_remove(&going);
	kt_defer_trim();	/* free an area that was reserved in vain */
	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].consumer && !b->items[i].is_new) {
			b->items[i].consumer->in_batch = false;
			b->items[i].site->wants_jump = kt_consumers_want_jump(b->items[i].site);
		}
	b->arg->nr_set = 0;
	/* Disarm the sites that kt_site_rearm() armed for this batch. */
	kt_table_disarm();
}

/* Free the descriptors that the items still have: unused ones at once, replaced ones after their last hit. */
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

/* Refusals that depend on the instruction: an address nearby may be possible. */
static const bool depends_on_address[KT_NR_REFUSALS] = {
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

/* Suggest the nearest possible address for each refused probe point. */
static void batch_nearest(struct batch *b)
{
	struct kt_turn turn;
	u32 i;

	if (!b->arg->nr_refused || b->arg->nr > NEAREST_FOR)
		return;
	turn = kt_turn_begin(true);
	for (i = 0; i < b->arg->nr; i++)
		if (depends_on_address[b->reqs[i].refusal])
			b->reqs[i].nearest = kt_safety_nearest(b->reqs[i].addr);
	kt_turn_end(&turn);
}

/* Copy the results to the caller.  Without a lock, because this may sleep for the caller's memory. */
static int batch_tell(struct batch *b)
{
	if (copy_to_user(u64_to_user_ptr(b->arg->sites), b->reqs,
			 array_size(b->arg->nr, sizeof(*b->reqs))))
		return -EFAULT;
	return 0;
}

/* The same under kt_change_lock: it fails rather than wait for memory that was paged out since batch_try(). */
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
	bool goes_live;
	int err;

	batch_check_scans(b);
	/* Start the brake before the first hit: the new tracepoints may hit so often that the CPUs do nothing else. */
	kt_brake_start();
	err = kt_batch_prepare(b);
	if (!err && batch_wanted(b))
		err = batch_arm_calls(b);
	goes_live = !err && batch_wanted(b);
	if (err != -EINTR && err != -EAGAIN) {
		batch_report(b, goes_live);
		batch_nearest(b);
		b->lacks_memory = batch_tell_now(b);
	}
	if (!err && b->lacks_memory)
		err = -EAGAIN;
	if (!err && goes_live)
		batch_swap(b);
	b->arg->syncs += kt_consumers_remove(&b->dropped);
	if (!b->live)
		batch_undo(b);
	else
		batch_settle(b);
	if (b->arg->nr > KT_TURN)
		kt_jump_arm_later();
	else
		kt_jump_arm();
	batch_drop_descs(b, b->live);
	kt_brake_follow();
	return err;
}

/* One try as a change of the table (change.h). */
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

/* Write to the caller's memory first: this pages it in, or fails before anything is set. */
static int batch_try(struct batch *b)
{
	int err;

	batch_reset(b);
	err = batch_tell(b);
	if (err)
		return err;
	err = batch_describe(b);
	if (!err && kt_batch_worth_waiting(b, 0, b->arg->nr))
		err = -EAGAIN;
	if (!err)
		return batch_change(b);
	batch_drop_descs(b, false);
	return err;
}

/* Wait for missing slots.  If no tries are left, the next one is the last: it does not wait, and its refusals count. */
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

int kt_table_trace(struct kt_trace *arg, struct kt_client *client)
{
	struct batch b = {
		.arg = arg, .client = arg->flags & KT_TRACE_OWNED ? client : NULL, .caller = client,
		.tries = MOST_TRIES, .until = jiffies + LONGEST_WAIT,
	};
	int err;

	INIT_LIST_HEAD(&b.disarm);
	INIT_LIST_HEAD(&b.dropped);
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
