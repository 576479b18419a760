// SPDX-License-Identifier: GPL-2.0-only
/* aggregate.c - create, read and free aggregates.  See aggregate.h. */
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/base/memory.h"
#include "kmod/measure/aggregate.h"

#define ATTEMPTS	(1U << 20)	/* to read an entry between two hits */

static DEFINE_MUTEX(aggregates_lock);	/* protects the ids, the list, and client of each */
static DEFINE_IDR(aggregate_ids);
static LIST_HEAD(aggregates);

/* --------------------------------------------------------- create and free */

static void table_free(struct kt_aggregate_table *table)
{
	unsigned int cpu;

	if (!table)
		return;
	if (table->cpu)
		for_each_possible_cpu(cpu)
			vfree(per_cpu_ptr(table->cpu, cpu)->values);
	free_percpu(table->cpu);
	vfree(table->keys.slots);
	kfree(table);
}

static int table_alloc(struct kt_aggregate_table *table, u32 draft_words)
{
	unsigned int cpu;

	if (table->keys.key_words) {
		table->keys.slots = kt_memory_alloc(kt_agg_slot_bytes(&table->keys), 0);
		if (!table->keys.slots)
			return -ENOMEM;
	}
	table->cpu = __alloc_percpu(sizeof(*table->cpu) + KT_AGGREGATE_NEST * draft_words * sizeof(u64), sizeof(u64));
	if (!table->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct kt_aggregate_cpu *mine = per_cpu_ptr(table->cpu, cpu);

		mine->values = kt_memory_alloc(kt_agg_value_bytes(&table->keys), 0);
		if (!mine->values)
			return -ENOMEM;
	}
	return 0;
}

/* NULL: there is not enough memory. */
static struct kt_aggregate_table *table_create(const struct kt_aggregate_req *req, u32 draft_words)
{
	struct kt_aggregate_table *table = kzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return NULL;
	kt_agg_plan(&table->keys, req);
	if (kt_agg_slot_bytes(&table->keys) + num_possible_cpus() * kt_agg_value_bytes(&table->keys) > KT_AGG_MAX_BYTES ||
	    table_alloc(table, draft_words)) {
		table_free(table);
		return NULL;
	}
	table->began = kt_clock_now();
	return table;
}

/* Nobody else can reach it: no hit, and no caller that finds it by its id. */
static void aggregate_destroy(struct kt_aggregate *aggregate)
{
	table_free(rcu_dereference_protected(aggregate->table, true));
	kfree(aggregate);
}

static void aggregate_free(struct kref *users)
{
	struct kt_aggregate *aggregate = container_of(users, struct kt_aggregate, users);

	list_del(&aggregate->list);
	idr_remove(&aggregate_ids, aggregate->req.id);
	mutex_unlock(&aggregates_lock);
	aggregate_destroy(aggregate);
}

void kt_aggregate_put(struct kt_aggregate *aggregate)
{
	if (aggregate)
		kref_put_mutex(&aggregate->users, aggregate_free, &aggregates_lock);
}

static int aggregate_add(struct kt_aggregate *aggregate)
{
	int id;

	mutex_lock(&aggregates_lock);
	id = idr_alloc(&aggregate_ids, aggregate, 1, 0, GFP_KERNEL);
	if (id > 0) {
		aggregate->req.id = id;
		list_add(&aggregate->list, &aggregates);
	}
	mutex_unlock(&aggregates_lock);
	return id > 0 ? 0 : id;
}

int kt_aggregate_create(struct kt_aggregate_req *arg, const struct kt_client *client)
{
	struct kt_aggregate *aggregate;
	struct kt_aggregate_table *table;
	int err;

	arg->id = 0;
	if (arg->flags & ~KT_AGGREGATE_SIGNED)
		return -EOPNOTSUPP;
	if (!kt_agg_valid(arg))
		return -EINVAL;
	aggregate = kzalloc(sizeof(*aggregate), GFP_KERNEL);
	if (!aggregate)
		return -ENOMEM;
	kref_init(&aggregate->users);
	mutex_init(&aggregate->lock);
	aggregate->client = client;
	aggregate->req = *arg;
	aggregate->key_bytes = arg->key_bytes;
	aggregate->value_bit = arg->value_bit;
	aggregate->has_value = arg->kind != KT_AGG_COUNT;
	/* The key and the value, and what fills up the last word. */
	aggregate->draft_words = (arg->key_bytes + 7) / 8 + 1;
	table = table_create(arg, aggregate->draft_words);
	RCU_INIT_POINTER(aggregate->table, table);
	err = table ? aggregate_add(aggregate) : -ENOMEM;
	if (err) {
		aggregate_destroy(aggregate);
		return err;
	}
	arg->id = aggregate->req.id;
	return 0;
}

/* ------------------------------------------------------------- find, let go */

static struct kt_aggregate *find(u32 id)
{
	lockdep_assert_held(&aggregates_lock);
	return idr_find(&aggregate_ids, id);
}

struct kt_aggregate *kt_aggregate_get(u32 id, const struct kt_client *client)
{
	struct kt_aggregate *aggregate;

	mutex_lock(&aggregates_lock);
	aggregate = find(id);
	if (aggregate && client && aggregate->client == client)
		kref_get(&aggregate->users);
	else
		aggregate = NULL;
	mutex_unlock(&aggregates_lock);
	return aggregate;
}

static struct kt_aggregate *get_any(u32 id)
{
	struct kt_aggregate *aggregate;

	mutex_lock(&aggregates_lock);
	aggregate = find(id);
	if (aggregate)
		kref_get(&aggregate->users);
	mutex_unlock(&aggregates_lock);
	return aggregate;
}

int kt_aggregate_release(const struct kt_aggregate_release *arg, const struct kt_client *client)
{
	struct kt_aggregate *aggregate;

	mutex_lock(&aggregates_lock);
	aggregate = find(arg->id);
	if (!aggregate || aggregate->client != client) {
		mutex_unlock(&aggregates_lock);
		return -ENOENT;
	}
	aggregate->client = NULL;
	mutex_unlock(&aggregates_lock);
	kt_aggregate_put(aggregate);
	return 0;
}

static struct kt_aggregate *held_by(const struct kt_client *client)
{
	struct kt_aggregate *aggregate;

	lockdep_assert_held(&aggregates_lock);
	list_for_each_entry(aggregate, &aggregates, list)
		if (aggregate->client == client)
			return aggregate;
	return NULL;
}

void kt_aggregate_client_gone(const struct kt_client *client)
{
	struct kt_aggregate *aggregate;

	do {
		mutex_lock(&aggregates_lock);
		aggregate = held_by(client);
		if (aggregate)
			aggregate->client = NULL;
		mutex_unlock(&aggregates_lock);
		kt_aggregate_put(aggregate);
	} while (aggregate);
}

/* -------------------------------------------------------------------- read */

/* One entry of a table for a reader: the key, then the words of its value. */
struct entry {
	u32 key_words, words;
	u64 v[];
};

static struct entry *entry_alloc(const struct kt_agg_table *keys)
{
	const u32 words = keys->key_words + kt_agg_read_words(keys);
	struct entry *entry = kmalloc(struct_size(entry, v, words), GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->key_words = keys->key_words;
	entry->words = words;
	return entry;
}

/* A hit that writes the entry is soon done, unless the host does not run its CPU. */
static int merge_cpu(const struct kt_agg_table *keys, u64 *to, const u64 *values, u32 at)
{
	u32 i;

	for (i = 1; i <= ATTEMPTS; i++) {
		if (kt_agg_merge(keys, to, values, at))
			return 0;
		cpu_relax();
		if (i % 1024)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return -EAGAIN;
}

static int entry_fill(const struct kt_aggregate_table *table, u32 at, struct entry *entry)
{
	const struct kt_agg_table *keys = &table->keys;
	u64 *value = entry->v + entry->key_words;
	unsigned int cpu;
	int err = 0;

	if (entry->key_words)
		memcpy(entry->v, kt_agg_slot(keys, at) + 1, entry->key_words * sizeof(u64));
	memset(value, 0, (entry->words - entry->key_words) * sizeof(u64));
	for_each_possible_cpu(cpu) {
		err = merge_cpu(keys, value, per_cpu_ptr(table->cpu, cpu)->values, at);
		if (err)
			return err;
	}
	kt_agg_finish(keys, value);
	return 0;
}

static int read_entries(const struct kt_aggregate_table *table, struct entry *entry, struct kt_aggregate_get *arg)
{
	u64 __user *to = u64_to_user_ptr(arg->entries);
	u32 at;
	int err;

	for (at = 0; at < kt_agg_entries(&table->keys); at++) {
		if (at % 64 == 63) {
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
		if (!kt_agg_is_ready(&table->keys, at))
			continue;
		err = entry_fill(table, at, entry);
		if (err)
			return err;
		if (copy_to_user(to + (size_t)arg->nr * entry->words, entry->v, entry->words * sizeof(u64)))
			return -EFAULT;
		arg->nr++;
	}
	return 0;
}

static int read_table(const struct kt_aggregate_table *table, struct entry *entry, struct kt_aggregate_get *arg)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct kt_aggregate_cpu *from = per_cpu_ptr(table->cpu, cpu);

		arg->lost += READ_ONCE(from->lost);
		arg->unreadable += READ_ONCE(from->unreadable);
	}
	arg->began = table->began;
	return read_entries(table, entry, arg);
}

/* Give the hits an empty table.  Returns the table of before, which no hit uses any more. */
static struct kt_aggregate_table *replace(struct kt_aggregate *aggregate, struct kt_aggregate_table *fresh)
{
	struct kt_aggregate_table *old = rcu_replace_pointer(aggregate->table, fresh, lockdep_is_held(&aggregate->lock));

	/* Hits have interrupts off. */
	synchronize_rcu();
	return old;
}

static int read_locked(struct kt_aggregate *aggregate, struct kt_aggregate_get *arg)
{
	struct kt_aggregate_table *table = rcu_dereference_protected(aggregate->table, lockdep_is_held(&aggregate->lock));
	struct entry *entry = entry_alloc(&table->keys);
	struct kt_aggregate_table *fresh;
	int err = -ENOMEM;

	if (!entry)
		return err;
	arg->entry_bytes = entry->words * sizeof(u64);
	arg->bytes = (u64)kt_agg_entries(&table->keys) * arg->entry_bytes;
	if (arg->room < arg->bytes) {
		err = -ENOSPC;
	} else if (!(arg->flags & KT_AGGREGATE_CLEAR)) {
		err = read_table(table, entry, arg);
	} else {
		fresh = table_create(&aggregate->req, aggregate->draft_words);
		if (fresh) {
			table = replace(aggregate, fresh);
			err = read_table(table, entry, arg);
			table_free(table);
		}
	}
	kfree(entry);
	return err;
}

int kt_aggregate_read(struct kt_aggregate_get *arg)
{
	struct kt_aggregate *aggregate;
	int err;

	arg->nr = arg->entry_bytes = 0;
	arg->bytes = arg->lost = arg->unreadable = arg->began = 0;
	if (arg->flags & ~KT_AGGREGATE_CLEAR)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	aggregate = get_any(arg->id);
	if (!aggregate)
		return -ENOENT;
	err = mutex_lock_killable(&aggregate->lock);
	if (!err) {
		err = read_locked(aggregate, arg);
		mutex_unlock(&aggregate->lock);
	}
	kt_aggregate_put(aggregate);
	return err;
}
