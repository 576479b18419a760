/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * consumer.h - who asks about a site: a tracepoint that somebody has set.
 *
 * A site patches an instruction once; each of its consumers has a descriptor, an owner and counts of
 * its own.  With one consumer the site points at that descriptor, so that a hit costs what it costs
 * without all this; with several it points at kt_shared_desc, and a hit goes through the list.
 *
 * Changed under both locks of change.h.  Hits only read: a consumer is freed when no
 * hit can be on the list any more (RCU: hits have interrupts off).
 */
#ifndef KTRACE_CONSUMER_H
#define KTRACE_CONSUMER_H

#include <linux/percpu.h>
#include <linux/rculist.h>

#include "core/ktrace_abi.h"

struct kt_desc;
struct kt_meter;
struct kt_owner;
struct kt_site;

/* Of one consumer, over all descriptors that it had. */
struct kt_counts {
	u64 recorded;
	u64 missed;
	u64 braked;			/* of the missed */
	u64 spent;			/* ticks that its hits took, of the dear ones */
	u64 looked;			/* brake_disarm.c: hits when it last looked */
};

struct kt_consumer {
	struct list_head peers;		/* of its site; RCU */
	struct list_head list;		/* all consumers by order, or those to be freed */
	struct list_head going;		/* those that are being removed */
	struct kt_site *site;
	struct kt_desc __rcu *desc;	/* NULL until it is live */
	struct kt_counts __percpu *counts;
	const struct kt_owner *owner;	/* the open file whose it is; NULL: nobody's, it stays */
	const struct kt_meter *opens;	/* KT_ROLE_HIDDEN: the measurement that it opens calls for */
	u64 order;			/* rises with each one ever set: the order of list */
	u64 each;			/* brake_disarm.c: ticks that one of its hits takes */
	bool wants_jump;		/* the method that was asked for allows it */
	bool in_batch;			/* set or updated by the call that is under way */
	bool orphan;			/* its owner is gone, and it is to go */
	bool unseen;			/* its site was never published: no hit can be on the list */
};

/* What a site with several consumers points at. */
extern struct kt_desc kt_shared_desc;

/* One that nobody knows yet; NULL without memory. */
struct kt_consumer *kt_consumer_alloc(const struct kt_owner *owner, const struct kt_desc *desc);
void kt_consumer_free(struct kt_consumer *consumer);

/* What changes something under both locks, the rest under either. */

/* It is one of the site's from now on, and not live: nothing is done for it. */
void kt_consumer_join(struct kt_site *site, struct kt_consumer *consumer);
/* Hits are its from now on, or under another descriptor; returns the one before, NULL for none. */
struct kt_desc *kt_consumer_describe(struct kt_consumer *consumer, struct kt_desc *desc);
/* It is none of its site's any more.  Not for the last one: a site that goes keeps it. */
void kt_consumer_leave(struct kt_consumer *consumer);
bool kt_consumer_is_alone(const struct kt_consumer *consumer);

/* The consumer of that owner that the descriptor would update; NULL: there is none. */
struct kt_consumer *kt_consumer_find(const struct kt_site *site, const struct kt_owner *owner,
				     const struct kt_desc *desc);
u32 kt_consumers_at(const struct kt_site *site);
/* Does none of them ask for a breakpoint?  Is the limit of each reached? */
bool kt_consumers_want_jump(const struct kt_site *site);
bool kt_consumers_spent(const struct kt_site *site);

struct kt_desc *kt_consumer_desc(const struct kt_consumer *consumer);	/* NULL: it is not live */

/* KT_ROLE_HIDDEN. */
static inline bool kt_consumer_is_hidden(const struct kt_consumer *consumer)
{
	return consumer->opens;
}

/* Over all CPUs. */
struct kt_counts kt_consumer_counts(const struct kt_consumer *consumer);

#endif
