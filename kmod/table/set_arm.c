// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_arm.c - the end of the second step of set.c: write the breakpoints of a batch.
 *
 * All sites are prepared before the first one is armed.  The last ones are armed first: most of what this file calls for each site
 * lies near the start of the kernel's text, as the requests mostly do.  The rest, such as memcmp(), is armed at the very end (LAST
 * in range_list.h).  Otherwise a batch with tens of thousands of functions would spend most of its time in hits of its own
 * breakpoints.
 */
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/arch.h"
#include "kmod/hit/consumer.h"
#include "kmod/table/set_int.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/table/window.h"
#include "kmod/text/change.h"

void kt_batch_leave_out(struct batch *b, struct item *item)
{
	list_add_tail(&item->consumer->going, &b->dropped);
	item->consumer = NULL;
	item->is_new = false;
}

/* Add the fresh sites to the table.  They are not armed. */
static void publish_all(struct batch *b)
{
	struct kt_turn turn = kt_turn_begin(false);
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (item->is_fresh) {
			hlist_del(&item->site->hash);
			kt_site_publish(item->site);
		}
		kt_turn_next(&turn);
	}
	kt_turn_end(&turn);
}

/*
 * The text lock was free since the site was prepared.  kt_change_lock, held since then, keeps ktrace's own patches and the modules
 * as they were, and what the kernel patches itself is refused.  So only a probe of others can have come.
 */
static bool is_as_prepared(const struct kt_site *site)
{
	return !kt_arch.is_probed(site->addr) && !memcmp((void *)site->addr, site->insn, site->insn_len);
}

/* One synchronisation serves the breakpoints of all turns. */
static void armed_sync(struct batch *b)
{
	if (b->armed) {
		kt_arch.sync();
		b->arg->syncs++;
	}
	b->armed = false;
}

/* batch_arm_calls() arms the sites that are no text. */
static void turn_arm(struct batch *b, u32 from, u32 to, bool leave_last)
{
	struct kt_turn turn = kt_turn_begin(true);
	u32 i;

	for (i = from; i < to; i++) {
		struct item *item = &b->items[i];

		if (!item->is_fresh || (leave_last && item->by_name.comes_last))
			continue;
		item->is_fresh = false;
		if (!kt_site_is_text(item->site) || !is_as_prepared(item->site))
			continue;
		kt_window_arm(item->site);
		b->armed = true;
	}
	if (!from && !leave_last)
		armed_sync(b);
	kt_turn_end(&turn);
}

static bool is_unarmed(const struct kt_site *site)
{
	return kt_site_is_text(site) && site->state == KT_SITE_OFF && !kt_site_is_off(site);
}

/* Refuse the items at sites that turn_arm() has not armed. */
static void refuse_unarmed(struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++) {
		struct item *item = &b->items[i];

		if (!item->is_new || !is_unarmed(item->site))
			continue;
		batch_refuse(b, item, KT_REFUSE_BREAKPOINT);
		if (b->arg->flags & KT_TRACE_PARTIAL)
			kt_batch_leave_out(b, item);
	}
}

static int arm_all(struct batch *b, bool leave_last)
{
	u32 from, to;

	for (to = b->arg->nr; to; to = from) {
		if (fatal_signal_pending(current))
			return -EINTR;
		from = (to - 1) / KT_TURN * KT_TURN;
		turn_arm(b, from, to, leave_last);
		cond_resched();
	}
	return 0;
}

static bool has_last(const struct batch *b)
{
	u32 i;

	for (i = 0; i < b->arg->nr; i++)
		if (b->items[i].by_name.comes_last)
			return true;
	return false;
}

int kt_batch_arm(struct batch *b)
{
	int err;

	publish_all(b);
	err = (has_last(b) ? arm_all(b, true) : 0) ?: arm_all(b, false);
	if (!err)
		refuse_unarmed(b);
	return err;
}
