/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * aggregate.h - aggregates: see KT_IOC_AGGREGATE.  core/aggregate.h has the table.
 *
 * The file that made an aggregate and each descriptor that counts in it hold a reference.  A descriptor drops its own
 * when no hit can use it any more, so the last reference frees the aggregate.
 */
#ifndef KTRACE_AGGREGATE_KMOD_H
#define KTRACE_AGGREGATE_KMOD_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>

#include "core/aggregate.h"

struct kt_client;

#define KT_AGGREGATE_NEST	4	/* KT_MAX_NEST of kmod/records/buffer.h */

struct kt_aggregate_cpu {
	u64 *values;
	u64 lost, unreadable;
	u64 drafts[];		/* kt_aggregate.draft_words for each of KT_AGGREGATE_NEST nested hits: what the program emits */
};

/* What KT_AGGREGATE_CLEAR replaces.  Hits read it under RCU. */
struct kt_aggregate_table {
	struct kt_agg_table keys;
	struct kt_aggregate_cpu __percpu *cpu;
	u64 began;
};

struct kt_aggregate {
	/* Read by hits. */
	struct kt_aggregate_table __rcu *table;
	u32 key_bytes;
	u32 draft_words;
	u32 value_bit;		/* KT_AGG_READABLE: the value cannot be unreadable */
	bool has_value;

	struct kt_aggregate_req req;
	struct kref users;
	const struct kt_client *client;	/* NULL: its file holds it no longer */
	struct list_head list;
	struct mutex lock;	/* one KT_IOC_AGGREGATE_GET at a time */
};

/* The ioctls.  Errors of ktrace_abi.h.  Sleepable. */
int kt_aggregate_create(struct kt_aggregate_req *arg, const struct kt_client *client);
int kt_aggregate_release(const struct kt_aggregate_release *arg, const struct kt_client *client);
int kt_aggregate_read(struct kt_aggregate_get *arg);

/* Find an aggregate that this client holds.  The caller gets a reference.  NULL: there is none with this id.  Sleepable. */
struct kt_aggregate *kt_aggregate_get(u32 id, const struct kt_client *client);
/* Drop a reference.  No hit can use the aggregate through its holder any more.  NULL is allowed.  Sleepable. */
void kt_aggregate_put(struct kt_aggregate *aggregate);
/* The client's file is closed: drop its references.  Sleepable. */
void kt_aggregate_client_gone(const struct kt_client *client);

#endif
