/* SPDX-License-Identifier: GPL-2.0-only */
/* set_int.h - one call of KT_IOC_TRACE.  Only set.c, set_prepare.c and set_arm.c share this header. */
#ifndef KTRACE_SET_INT_H
#define KTRACE_SET_INT_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/ktrace_abi.h"
#include "kmod/text/safety.h"

struct kt_consumer;
struct kt_desc;
struct kt_client;
struct kt_site;

struct item {
	struct kt_site_req *req;	/* ktrace's copy of the request; copied back at the end */
	u8 method;			/* the requested one */
	struct kt_site *site;
	struct kt_consumer *consumer;
	struct kt_desc *desc;		/* the new descriptor; after batch_swap() the one that it replaced, or NULL */
	struct kt_safety_name by_name;	/* of an instruction of the kernel itself */
	bool is_new;			/* this call creates the consumer */
	bool is_fresh;			/* the site is new and not in the table yet */
	bool arms_call;			/* an event, a return or a uprobe that the kernel does not call ktrace for yet */
	bool widens;			/* a uprobe that must be extended to all processes */
	bool wants_jump;		/* the requested method allows a jump */
};

struct batch {
	struct kt_trace *arg;
	struct kt_client *client;	/* owner of the new tracepoints; NULL: they are persistent */
	const struct kt_client *caller;	/* the open file that sets them, also if they are persistent */
	struct kt_site_req *reqs;
	struct item *items;
	struct kt_scan *scans;
	struct list_head disarm;	/* sites whose jump must become a breakpoint at the end of this turn */
	struct list_head dropped;	/* new consumers that are left out after all, by ->going */
	/* New sites that are not in the table yet, by address. */
	struct hlist_head *fresh;
	unsigned int fresh_bits;
	bool armed;			/* breakpoints were written, and the CPUs not synchronised since */
	bool live;			/* the descriptors are swapped */
	/* Something is missing right now.  The call waits for it without a lock, and then tries all of it again. */
	bool lacks_slots, lacks_memory;	/* slots; the caller's memory, which is paged out */
	unsigned int tries;		/* how many are left */
	unsigned long until;		/* jiffies: do not wait longer for slots */
};

static inline struct hlist_head *batch_fresh_at(const struct batch *b, unsigned long addr)
{
	return &b->fresh[hash_long(addr, b->fresh_bits)];
}

static inline void batch_refuse(struct batch *b, struct item *item, enum kt_refusal refusal)
{
	item->req->refusal = refusal;
	b->arg->nr_refused++;
}

/* Will this call set anything, after the refusals so far? */
static inline bool batch_wanted(const struct batch *b)
{
	if (b->arg->flags & KT_TRACE_DRYRUN)
		return false;
	return !b->arg->nr_refused || b->arg->flags & KT_TRACE_PARTIAL;
}

/* For sites without METHOD: does the module decide before the call returns whether a jump is possible? */
static inline bool batch_decides_now(const struct batch *b)
{
	return b->arg->nr <= (b->arg->flags & KT_TRACE_DRYRUN ? KT_ANALYSE_DRY : KT_ANALYSE_NOW);
}

/*
 * Prepare all sites, and arm them if batch_wanted().  -EINTR: the caller was killed; -EAGAIN: slots are missing now, so
 * try again after a while.  Sleepable, under kt_change_lock alone.
 */
int kt_batch_prepare(struct batch *b);

/* Leave out a refused item whose consumer is new. */
void kt_batch_leave_out(struct batch *b, struct item *item);

/* The end of kt_batch_prepare(): write the breakpoints. */
int kt_batch_arm(struct batch *b);

/* Was one of these items refused for lack of a slot, and will deferred frees give slots back? */
bool kt_batch_worth_waiting(struct batch *b, u32 from, u32 to);

#endif
