/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * aggregate.h - values that hits count by key, in a table of fixed size.
 *
 * All CPUs share the keys; each CPU has values of its own for every entry.  So a hit usually only reads what other CPUs
 * read, too, and writes what no other CPU writes.  An entry is never removed.  The table has at least twice as many
 * entries as keys were asked for, and a hit examines at most KT_AGG_REACH of them: the home of its key, then entries at
 * distances 1, 3, 6, 10 ... from there (triangular probing, which visits different entries of a power of two).
 *
 * `tag` of an entry is 0 while it is free.  A hit claims a free entry by exchanging the tag, copies its key, and stores the
 * final tag, which is the hash of the key.  A hit that meets an entry in between, on another CPU or because it interrupts
 * the claim, goes on to the next entry.  So two entries may get the same key: the reader adds them.
 *
 * Each word of a value changes by one instruction of its CPU, so contexts may interrupt each other anywhere.  Values of
 * several words begin by counting `begun` and end by counting `done`.  A reader reads `done` first and `begun` last: if
 * they are equal, no hit was between the two, and the words fit together.
 *
 * Also compiled in user space (unit tests).
 */
#ifndef KTRACE_AGGREGATE_H
#define KTRACE_AGGREGATE_H

#include "core/ktrace_abi.h"
#include "core/samples.h"

#define KT_AGG_REACH	32U		/* entries examined at most */
#define KT_AGG_NONE	0xffffffffU
#define KT_AGG_HASH	0x9e3779b97f4a7c15ULL	/* the factor of kt_agg_tag() */
#define KT_AGG_READY	3ULL		/* these bits are set in a final tag; KT_AGG_CLAIMED in one of a claimed entry */
#define KT_AGG_CLAIMED	2ULL

/* Words of a value that is not a count or a histogram. */
enum { KT_AGG_DONE, KT_AGG_LOW, KT_AGG_HIGH, KT_AGG_BEGUN, KT_AGG_WORDS };

struct kt_agg_table {
	u64 *slots;		/* kt_agg_slot_bytes() of zeroed memory; the caller's */
	u32 mask;		/* entries - 1 */
	u32 key_words;		/* of 8 bytes; 0: one entry without a key */
	u32 value_words;	/* of one entry */
	u32 kind;		/* enum kt_agg */
	bool is_signed;
	u32 buckets;
	s64 low;
	u64 step;
};

/* Is the request within the limits of ktrace_abi.h? */
bool kt_agg_valid(const struct kt_aggregate_req *req);
/* Plan a table for a valid request.  The caller then allocates the slots, and values for each CPU, all zeroed. */
void kt_agg_plan(struct kt_agg_table *table, const struct kt_aggregate_req *req);
size_t kt_agg_slot_bytes(const struct kt_agg_table *table);
size_t kt_agg_value_bytes(const struct kt_agg_table *table);	/* for one CPU */

static __always_inline u32 kt_agg_entries(const struct kt_agg_table *table)
{
	return table->mask + 1;
}

/* Does a value consist of the words KT_AGG_DONE, ...? */
static __always_inline bool kt_agg_is_composed(const struct kt_agg_table *table)
{
	return table->kind >= KT_AGG_SUM && table->kind <= KT_AGG_MAX;
}

/* The tag of an entry; its key follows. */
static __always_inline u64 *kt_agg_slot(const struct kt_agg_table *table, u32 at)
{
	return table->slots + (size_t)at * (1 + table->key_words);
}

/* D. Knuth's multiplicative hash, over all words.  The upper half is the better one. */
static __always_inline u64 kt_agg_tag(const u64 *key, u32 words)
{
	u64 mixed = 0;

	do {
		mixed = (mixed ^ *key++) * KT_AGG_HASH;
		mixed ^= mixed >> 32;
	} while (--words);
	return mixed | KT_AGG_READY;
}

static __always_inline bool kt_agg_same(const u64 *a, const u64 *b, u32 words)
{
	do {
		if (*a++ != *b++)
			return false;
	} while (--words);
	return true;
}

u32 kt_agg_claim(const struct kt_agg_table *table, const u64 *key, u64 tag, u32 at, u32 n);

/*
 * Find the entry of a key, or make it.  key: key_words words, zeros behind its end.  KT_AGG_NONE: there is no room.
 * Context: any, NMI included.
 */
static __always_inline u32 kt_agg_find(const struct kt_agg_table *table, const u64 *key)
{
	const u32 words = table->key_words;
	u32 at, n;
	u64 tag;

	if (!words)
		return 0;
	tag = kt_agg_tag(key, words);
	at = tag >> 32;
	for (n = 0; n < KT_AGG_REACH; at += ++n) {
		const u64 *slot = kt_agg_slot(table, at & table->mask);
		/* Pairs with the release in kt_agg_claim(): the key is complete. */
		const u64 found = kt_load_acquire(&slot[0]);

		if (likely(found == tag) && likely(kt_agg_same(slot + 1, key, words)))
			return at & table->mask;
		if (!found)
			return kt_agg_claim(table, key, tag, at, n);
	}
	return KT_AGG_NONE;
}

/* The bucket of KT_AGG_HIST: 0 for negative values, 1 for 0, n + 2 from 2^n on. */
static __always_inline u32 kt_agg_bucket(u64 value, bool is_signed)
{
	if (is_signed && (s64)value < 0)
		return 0;
	return value ? 65 - __builtin_clzll(value) : 1;
}

/* Add a value of another kind than KT_AGG_COUNT to the words of its entry. */
void kt_agg_add_value(const struct kt_agg_table *table, u64 *words, u64 value);

/* Count a value for an entry; values: those of this CPU.  Context: any, NMI included, on that CPU. */
static __always_inline void kt_agg_add(const struct kt_agg_table *table, u64 *values, u32 at, u64 value)
{
	u64 *words = values + (size_t)at * table->value_words;

	if (likely(table->kind == KT_AGG_COUNT))
		kt_add_local(words, 1);
	else if (table->kind == KT_AGG_HIST)
		kt_add_local(&words[kt_agg_bucket(value, table->is_signed)], 1);
	else
		kt_agg_add_value(table, words, value);
}

/* ----------------------------------------------------------------- reading */

/* Words of a value for a reader: see struct kt_aggregate_get. */
static inline u32 kt_agg_read_words(const struct kt_agg_table *table)
{
	return kt_agg_is_composed(table) ? KT_AGG_BEGUN : table->value_words;
}

/* Is the entry in use and its key complete?  Pairs with the release in kt_agg_claim(). */
static inline bool kt_agg_is_ready(const struct kt_agg_table *table, u32 at)
{
	return !table->key_words || (kt_load_acquire(kt_agg_slot(table, at)) & KT_AGG_READY) == KT_AGG_READY;
}

/*
 * Add what one CPU counted for an entry to the words for a reader.  False: a hit is writing it; to is unchanged, and the
 * caller tries again.  values: of that CPU.  to: kt_agg_read_words() words, zeros at first.
 */
bool kt_agg_merge(const struct kt_agg_table *table, u64 *to, const u64 *values, u32 at);

/* The merged words of a value hold the extreme value in the order of kt_agg_add_value(): turn it into the value itself. */
void kt_agg_finish(const struct kt_agg_table *table, u64 *words);

#endif
