/* SPDX-License-Identifier: GPL-2.0-only */
/* set_int.h - one call of KT_IOC_TRACE: shared by set.c and set_prepare.c only. */
#ifndef KTRACE_SET_INT_H
#define KTRACE_SET_INT_H

#include <linux/list.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"

struct kt_consumer;
struct kt_desc;
struct kt_client;
struct kt_site;

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
	struct kt_client *client;	/* of what is set, NULL: nobody */
	struct kt_site_req *reqs;
	struct item *items;
	struct kt_scan *scans;
	struct list_head disarm;	/* jumps in whose way the new sites of a turn are */
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

static inline void batch_refuse(struct batch *b, struct item *item, enum kt_refusal refusal)
{
	item->req->refusal = refusal;
	b->arg->nr_refused++;
}

/* Is anything to be set, as it looks now? */
static inline bool batch_wanted(const struct batch *b)
{
	if (b->arg->flags & KT_TRACE_DRYRUN)
		return false;
	return !b->arg->nr_refused || b->arg->flags & KT_TRACE_PARTIAL;
}

/*
 * Prepare all sites, and arm them where they are wanted.  -EINTR: the caller is killed; -EAGAIN: after a while.
 * Under kt_change_lock alone.
 */
int kt_batch_prepare(struct batch *b);

/* Is one of them refused for what will be there when deferred frees are done? */
bool kt_batch_worth_waiting(struct batch *b, u32 from, u32 to);

#endif
