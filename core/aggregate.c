// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* aggregate.c - see aggregate.h. */
#include "core/aggregate.h"

#define MOST	(~0ULL >> 1)	/* the largest signed value */

static bool range_valid(const struct kt_aggregate_req *req)
{
	if (req->kind != KT_AGG_LHIST)
		return !req->low && !req->step && !req->buckets;
	if (!req->step || !req->buckets || req->buckets > KT_AGG_MAX_BUCKETS || (req->low < 0 && !(req->flags & KT_AGGREGATE_SIGNED)))
		return false;
	/* The end of the last bucket is a value, too. */
	return req->step <= MOST / req->buckets && req->low <= (s64)(MOST - req->step * req->buckets);
}

bool kt_agg_valid(const struct kt_aggregate_req *req)
{
	return req->kind < KT_NR_AGGS && req->keys && req->keys <= KT_AGG_MAX_KEYS && req->key_bytes <= KT_MAX_PAYLOAD &&
	       req->key_bytes % 4 == 0 && (req->value_bit < 32 || req->value_bit == KT_AGG_READABLE) && range_valid(req);
}

static u32 words_of(const struct kt_aggregate_req *req)
{
	switch (req->kind) {
	case KT_AGG_COUNT:
		return 1;
	case KT_AGG_HIST:
		return KT_AGG_HIST_BUCKETS;
	case KT_AGG_LHIST:
		return req->buckets + 2;
	default:
		return KT_AGG_WORDS;
	}
}

void kt_agg_plan(struct kt_agg_table *table, const struct kt_aggregate_req *req)
{
	u32 entries = 1;

	while (req->key_bytes && entries < 2 * req->keys)
		entries *= 2;
	*table = (struct kt_agg_table){
		.mask = entries - 1, .key_words = (req->key_bytes + 7) / 8, .value_words = words_of(req), .kind = req->kind,
		.is_signed = req->flags & KT_AGGREGATE_SIGNED, .buckets = req->buckets, .low = req->low, .step = req->step,
	};
}

size_t kt_agg_slot_bytes(const struct kt_agg_table *table)
{
	return (size_t)kt_agg_entries(table) * (1 + table->key_words) * sizeof(u64);
}

size_t kt_agg_value_bytes(const struct kt_agg_table *table)
{
	return (size_t)kt_agg_entries(table) * table->value_words * sizeof(u64);
}

/* Claim the first free entry from `at` on, the n-th of the key; or find the one that another hit has made meanwhile. */
kt_noinline u32 kt_agg_claim(const struct kt_agg_table *table, const u64 *key, u64 tag, u32 at, u32 n)
{
	const u32 words = table->key_words;
	u32 i;

	for (; n < KT_AGG_REACH; at += ++n) {
		u64 *slot = kt_agg_slot(table, at & table->mask);

		if (!kt_load_acquire(&slot[0]) && !kt_cmpxchg(&slot[0], 0ULL, (tag & ~KT_AGG_READY) | KT_AGG_CLAIMED)) {
			for (i = 0; i < words; i++)
				slot[1 + i] = key[i];
			/* Pairs with each acquire of a tag. */
			kt_store_release(&slot[0], tag);
			return at & table->mask;
		}
		if (kt_load_acquire(&slot[0]) == tag && kt_agg_same(slot + 1, key, words))
			return at & table->mask;
	}
	return KT_AGG_NONE;
}
NOKPROBE_SYMBOL(kt_agg_claim);

/* Bucket 0 is for values below the range, the last one for those above. */
static u32 range_bucket(const struct kt_agg_table *table, u64 value)
{
	const bool below = table->is_signed ? (s64)value < table->low : value < (u64)table->low;
	u64 n;

	if (below)
		return 0;
	n = (value - (u64)table->low) / table->step;
	return n < table->buckets ? n + 1 : table->buckets + 1;
}
NOKPROBE_SYMBOL(range_bucket);

/*
 * A number in the order of the values: the extreme value has the largest, and none has one below 0.  Applied to that
 * number, the function gives the value back.
 */
static u64 order_of(const struct kt_agg_table *table, u64 value)
{
	const u64 ordered = table->is_signed ? value ^ 1ULL << 63 : value;

	return table->kind == KT_AGG_MIN ? ~ordered : ordered;
}
NOKPROBE_SYMBOL(order_of);

/* The adder that wraps the low half adds the carry, so the order of nested adders does not matter. */
static void add_sum(const struct kt_agg_table *table, u64 *words, u64 value)
{
	u64 high = table->is_signed && (s64)value < 0 ? ~0ULL : 0;

	if (kt_add_return_local(&words[KT_AGG_LOW], value) < value)
		high++;
	if (unlikely(high))
		kt_add_local(&words[KT_AGG_HIGH], high);
}
NOKPROBE_SYMBOL(add_sum);

kt_noinline void kt_agg_add_value(const struct kt_agg_table *table, u64 *words, u64 value)
{
	if (table->kind == KT_AGG_LHIST) {
		kt_add_local(&words[range_bucket(table, value)], 1);
		return;
	}
	kt_add_local(&words[KT_AGG_BEGUN], 1);
	/* The two barriers pair with the acquire and the barrier in merge_words(). */
	kt_smp_wmb();
	if (table->kind <= KT_AGG_AVG)
		add_sum(table, words, value);
	else
		kt_most(&words[KT_AGG_LOW], order_of(table, value));
	kt_smp_wmb();
	kt_add_local(&words[KT_AGG_DONE], 1);
}
NOKPROBE_SYMBOL(kt_agg_add_value);

/* ----------------------------------------------------------------- reading */

static bool merge_words(const struct kt_agg_table *table, u64 *to, const u64 *from)
{
	const u64 done = kt_load_acquire(&from[KT_AGG_DONE]);
	u64 low, high;

	low = READ_ONCE(from[KT_AGG_LOW]);
	high = READ_ONCE(from[KT_AGG_HIGH]);
	kt_smp_rmb();
	if (READ_ONCE(from[KT_AGG_BEGUN]) != done)
		return false;
	to[KT_AGG_DONE] += done;
	if (table->kind <= KT_AGG_AVG) {
		to[KT_AGG_LOW] += low;
		to[KT_AGG_HIGH] += high + (to[KT_AGG_LOW] < low);
	} else if (low > to[KT_AGG_LOW]) {
		to[KT_AGG_LOW] = low;
	}
	return true;
}

bool kt_agg_merge(const struct kt_agg_table *table, u64 *to, const u64 *values, u32 at)
{
	const u64 *from = values + (size_t)at * table->value_words;
	u32 i;

	if (kt_agg_is_composed(table))
		return merge_words(table, to, from);
	for (i = 0; i < table->value_words; i++)
		to[i] += READ_ONCE(from[i]);
	return true;
}

void kt_agg_finish(const struct kt_agg_table *table, u64 *words)
{
	if (table->kind == KT_AGG_MIN || table->kind == KT_AGG_MAX)
		words[KT_AGG_LOW] = order_of(table, words[KT_AGG_LOW]);
}
