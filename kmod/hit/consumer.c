// SPDX-License-Identifier: GPL-2.0-only
/* consumer.c - see consumer.h. */
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/each_cpu.h"
#include "kmod/base/site.h"
#include "kmod/hit/consumer.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/desc.h"
#include "kmod/text/change.h"

/* Trampolines store all registers for it, because a consumer may read them. */
struct kt_desc kt_shared_desc = {
	.flags = KT_DESC_SHARED, .all_regs = true, .path = KT_PATH_SLOW,
};

static const struct kt_measurement *opens_for(const struct kt_desc *desc)
{
	return desc->role & KT_ROLE_HIDDEN ? desc->measurement : NULL;
}

struct kt_consumer *kt_consumer_alloc(const struct kt_client *client, const struct kt_desc *desc)
{
	struct kt_consumer *consumer = kzalloc(sizeof(*consumer), GFP_KERNEL);

	if (!consumer)
		return NULL;
	consumer->counts = kt_counts_alloc(&consumer->counts_block);
	if (!consumer->counts) {
		kfree(consumer);
		return NULL;
	}
	consumer->client = client;
	consumer->opens = opens_for(desc);
	INIT_LIST_HEAD(&consumer->peers);
	INIT_LIST_HEAD(&consumer->list);
	INIT_LIST_HEAD(&consumer->going);
	return consumer;
}

void kt_consumer_free(struct kt_consumer *consumer)
{
	kt_counts_free(consumer->counts_block, consumer->counts);
	kfree(consumer);
}

struct kt_desc *kt_consumer_desc(const struct kt_consumer *consumer)
{
	return rcu_dereference_protected(consumer->desc, lockdep_is_held(&kt_table_lock) ||
					 lockdep_is_held(&kt_change_lock));
}

struct kt_counts kt_consumer_counts(const struct kt_consumer *consumer)
{
	struct kt_counts sum = { 0 };
	unsigned int cpu;

	kt_each_cpu(cpu) {
		const struct kt_counts *counts = per_cpu_ptr(consumer->counts, cpu);

		sum.recorded += READ_ONCE(counts->recorded);
		sum.missed += READ_ONCE(counts->missed);
		sum.braked += READ_ONCE(counts->braked);
		sum.spent += READ_ONCE(counts->spent);
	}
	return sum;
}

/* An event leads to the code of its recording, too. */
static const void *code_of(const struct kt_site *site, const struct kt_desc *desc)
{
	return site->event && !desc->direct.hit_bytes ? desc->code.hit : desc->direct.hit;
}

/* What a hit costs the calls that are measured here changes with `shared`: tell their measurements. */
static void note_shared(struct kt_site *site, const struct kt_consumer *without, enum kt_shared shared)
{
	struct kt_consumer *at;

	if (site->shared == shared)
		return;
	site->shared = shared;
	list_for_each_entry(at, &site->consumers, peers)
		if (at != without && kt_consumer_desc(at) && kt_consumer_desc(at)->measurement)
			kt_measurement_changes(kt_consumer_desc(at)->measurement);
}

/*
 * Make the site point at the descriptor of its one live consumer, or at kt_shared_desc.  Leave out `without`.  A hit
 * that has just read an old pointer may still use it until the RCU grace period is over.
 */
static void publish(struct kt_site *site, const struct kt_consumer *without)
{
	struct kt_desc *desc = NULL, *one;
	u32 nr = 0, nr_measured = 0;
	struct kt_consumer *at;

	list_for_each_entry(at, &site->consumers, peers) {
		one = at == without ? NULL : kt_consumer_desc(at);
		if (!one)
			continue;
		nr++;
		nr_measured += one->measurement != NULL;
		desc = desc || one->role & KT_ROLE_SHARED_PATH ? &kt_shared_desc : one;
	}
	note_shared(site, without, nr < 2 ? KT_SHARED_NOT : nr_measured < 2 ? KT_SHARED_OTHERS : KT_SHARED_MEASURED);
	desc = desc ?: &kt_shared_desc;
	rcu_assign_pointer(site->desc, desc);
	/* A hit may find one of the two still as it was: what both lead to stays until that grace period is over. */
	WRITE_ONCE(site->direct, code_of(site, desc));
}

void kt_consumer_join(struct kt_site *site, struct kt_consumer *consumer)
{
	lockdep_assert_held(&kt_table_lock);
	consumer->site = site;
	list_add_tail_rcu(&consumer->peers, &site->consumers);
}

struct kt_desc *kt_consumer_describe(struct kt_consumer *consumer, struct kt_desc *desc)
{
	struct kt_desc *was;

	if (!desc->consumer) {
		desc->consumer = consumer;
		desc->records_before = kt_consumer_counts(consumer).recorded;
		desc->counts = consumer->counts;
	}
	was = rcu_replace_pointer(consumer->desc, desc, lockdep_is_held(&kt_table_lock));
	publish(consumer->site, NULL);
	return was;
}

void kt_consumer_leave(struct kt_consumer *consumer)
{
	lockdep_assert_held(&kt_table_lock);
	publish(consumer->site, consumer);
	list_del_rcu(&consumer->peers);
}

bool kt_consumer_is_alone(const struct kt_consumer *consumer)
{
	kt_assert_change_or_table();
	return list_is_singular(&consumer->site->consumers);
}

struct kt_consumer *kt_consumer_find(const struct kt_site *site, const struct kt_client *client,
				     const struct kt_desc *desc)
{
	struct kt_consumer *at;

	kt_assert_change_or_table();
	list_for_each_entry(at, &site->consumers, peers)
		if (at->client == client && !at->orphaned && at->opens == opens_for(desc))
			return at;
	return NULL;
}

u32 kt_consumers_at(const struct kt_site *site)
{
	struct kt_consumer *at;
	u32 n = 0;

	kt_assert_change_or_table();
	list_for_each_entry(at, &site->consumers, peers)
		n++;
	return n;
}

bool kt_consumers_want_jump(const struct kt_site *site)
{
	struct kt_consumer *at;

	kt_assert_change_or_table();
	list_for_each_entry(at, &site->consumers, peers)
		if (!at->wants_jump)
			return false;
	return true;
}

bool kt_consumers_spent(const struct kt_site *site)
{
	struct kt_consumer *at;

	kt_assert_change_or_table();
	list_for_each_entry(at, &site->consumers, peers)
		if (!kt_consumer_desc(at) || !kt_desc_spent(kt_consumer_desc(at)))
			return false;
	return true;
}
