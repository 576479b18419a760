/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * consumer.h - the consumers of a site.  A consumer is a tracepoint that a user has set.
 *
 * A site patches its instruction once.  Each consumer of the site has its own descriptor, client and counts.  A site
 * with one consumer points at the descriptor of that consumer, so such a hit pays nothing for the list.  A site with
 * several consumers points at kt_shared_desc, and a hit walks the list.
 *
 * Lists change under both locks of change.h.  Hits only read them, with interrupts off, so a consumer is freed after
 * an RCU grace period.
 */
#ifndef KTRACE_CONSUMER_H
#define KTRACE_CONSUMER_H

#include <linux/percpu.h>
#include <linux/rculist.h>

#include "core/ktrace_abi.h"
#include "kmod/hit/counts.h"

struct kt_desc;
struct kt_measurement;
struct kt_client;
struct kt_site;

struct kt_consumer {
	struct list_head peers;		/* consumers of its site; RCU */
	struct list_head list;		/* all consumers by order, or those to be freed */
	struct list_head going;		/* those that are being removed */
	struct kt_site *site;
	struct kt_desc __rcu *desc;	/* NULL until it is live */
	struct kt_counts __percpu *counts;	/* over all descriptors that it has had */
	struct kt_counts_block *counts_block;
	const struct kt_client *client;	/* the open file that set it; NULL: it stays when files are closed */
	const struct kt_measurement *opens;	/* KT_ROLE_HIDDEN: the measurement that it opens calls for */
	u64 order;			/* counts all consumers ever set; `list` is in this order */
	u64 each;			/* brake_disarm.c: ticks that one of its hits takes */
	bool wants_jump;		/* the requested method allows a jump */
	bool in_batch;			/* set or updated by the current call */
	bool orphaned;			/* its client is gone; remove it */
	bool unseen;			/* its site was never published: no hit can be on the list */
};

/* A site with several consumers points at this one. */
extern struct kt_desc kt_shared_desc;

/* Allocate a consumer that is in no list yet.  NULL: no memory. */
struct kt_consumer *kt_consumer_alloc(const struct kt_client *client, const struct kt_desc *desc);
void kt_consumer_free(struct kt_consumer *consumer);

/* Call those that change something under both locks of change.h, the others under either. */

/* Add it to the site.  It is not live yet: hits do nothing for it. */
void kt_consumer_join(struct kt_site *site, struct kt_consumer *consumer);
/* Make it live, or replace its descriptor.  Returns the descriptor before, NULL if there was none. */
struct kt_desc *kt_consumer_describe(struct kt_consumer *consumer, struct kt_desc *desc);
/* Remove it from its site.  Not for the last consumer: a site that is removed keeps it. */
void kt_consumer_leave(struct kt_consumer *consumer);
bool kt_consumer_is_alone(const struct kt_consumer *consumer);

/* Find the consumer of that client that this descriptor would update.  NULL: there is none. */
struct kt_consumer *kt_consumer_find(const struct kt_site *site, const struct kt_client *client,
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
