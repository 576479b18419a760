// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_aggregate.c - the table of aggregates as the compiler made it: exact values; and hits and readers that are
 * interrupted behind each of their instructions by other hits and readers.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/aggregate.c"
#include "interrupt_step.h"

enum { CPUS = 3 };

static struct kt_agg_table table;
static u64 *values[CPUS];
static u64 lost;

/* ------------------------------------------------------------------ tables */

static void make(struct kt_aggregate_req req)
{
	req.keys = req.keys ? req.keys : 16;
	req.value_bit = KT_AGG_READABLE;
	assert_true(kt_agg_valid(&req));
	kt_agg_plan(&table, &req);
	table.slots = calloc(1, kt_agg_slot_bytes(&table));
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		values[cpu] = calloc(1, kt_agg_value_bytes(&table));
	lost = 0;
}

static void empty(void)
{
	memset(table.slots, 0, kt_agg_slot_bytes(&table));
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		memset(values[cpu], 0, kt_agg_value_bytes(&table));
	lost = 0;
}

static void drop(void)
{
	free(table.slots);
	for (u32 cpu = 0; cpu < CPUS; cpu++)
		free(values[cpu]);
}

static void hit_on(u32 cpu, u64 key, u64 value)
{
	/* Longer keys have the same number in each word. */
	const u64 words[4] = { key, key, key, key };
	const u32 at = kt_agg_find(&table, words);

	if (at == KT_AGG_NONE)
		kt_add_local(&lost, 1);
	else
		kt_agg_add(&table, values[cpu], at, value);
}

/* Add all entries of the key, over all CPUs.  Returns how many entries have it. */
static u32 read_key(u64 key, u64 *to)
{
	u32 entries = 0;

	memset(to, 0, kt_agg_read_words(&table) * sizeof(*to));
	for (u32 at = 0; at < kt_agg_entries(&table); at++) {
		if (!kt_agg_is_ready(&table, at) || (table.key_words && kt_agg_slot(&table, at)[1] != key))
			continue;
		for (u32 i = 1; i < table.key_words; i++)
			assert_int_equal(kt_agg_slot(&table, at)[1 + i], key);
		entries++;
		for (u32 cpu = 0; cpu < CPUS; cpu++)
			assert_true(kt_agg_merge(&table, to, values[cpu], at));
	}
	kt_agg_finish(&table, to);
	return entries;
}

/* ------------------------------------------------------------------- exact */

static u64 counted(u32 nr_keys)
{
	u64 to[KT_AGG_WORDS], sum = 0;

	for (u64 key = 0; key < nr_keys; key++) {
		read_key(key, to);
		sum += to[0];
	}
	return sum;
}

static void test_counts(void **state)
{
	u64 to[KT_AGG_WORDS];

	make((struct kt_aggregate_req){ .kind = KT_AGG_COUNT, .keys = 10000, .key_bytes = 4 });
	for (u32 i = 0; i < 200000; i++)
		hit_on(i % CPUS, i % 10000, 0);
	assert_int_equal(lost, 0);
	for (u64 key = 0; key < 10000; key++) {
		assert_int_equal(read_key(key, to), 1);
		assert_int_equal(to[0], 20);
	}
	drop();
}

/* More keys than room: what is not counted is lost, and what is counted stays. */
static void test_full(void **state)
{
	make((struct kt_aggregate_req){ .kind = KT_AGG_COUNT, .keys = 40, .key_bytes = 20 });
	for (u32 i = 0; i < 50000; i++)
		hit_on(i % CPUS, i % 1000, 0);
	assert_int_equal(counted(1000) + lost, 50000);
	assert_true(counted(1000) >= 40 * 50);
	assert_true(lost >= 50000 - 128 * 50);
	drop();
}

/* As many keys as were asked for find room, whatever they are. */
static void test_room(void **state)
{
	for (u32 seed = 0; seed < 20; seed++) {
		make((struct kt_aggregate_req){ .kind = KT_AGG_COUNT, .keys = 4096, .key_bytes = 8 });
		for (u64 i = 0; i < 4096; i++)
			hit_on(0, seed % 2 ? 0xffffc90000000000ULL + i * (8 << seed) : i * 0x9e3779b97f4a7c15ULL + seed, 0);
		assert_int_equal(lost, 0);
		drop();
	}
}

static void test_sums(void **state)
{
	const s64 negative[] = { -5, 3, -5, 0, 7 };
	u64 to[KT_AGG_WORDS];

	make((struct kt_aggregate_req){ .kind = KT_AGG_SUM, .flags = KT_AGGREGATE_SIGNED });
	for (u32 i = 0; i < 5; i++)
		hit_on(i % CPUS, 0, negative[i]);
	read_key(0, to);
	assert_int_equal(to[KT_AGG_DONE], 5);
	assert_int_equal(to[KT_AGG_LOW], 0);
	assert_int_equal(to[KT_AGG_HIGH], 0);
	hit_on(0, 0, -1);
	read_key(0, to);
	assert_true(to[KT_AGG_LOW] == ~0ULL && to[KT_AGG_HIGH] == ~0ULL);
	drop();

	make((struct kt_aggregate_req){ .kind = KT_AGG_AVG });
	for (u32 i = 0; i < 9; i++)
		hit_on(i % CPUS, 0, ~0ULL);
	read_key(0, to);
	assert_true(to[KT_AGG_DONE] == 9 && to[KT_AGG_LOW] == -9ULL && to[KT_AGG_HIGH] == 8);
	drop();
}

static void check_extreme(u32 kind, u32 flags, const u64 *all, size_t n, u64 expected)
{
	u64 to[KT_AGG_WORDS];

	make((struct kt_aggregate_req){ .kind = kind, .flags = flags });
	for (size_t i = 0; i < n; i++)
		hit_on(i % 2, 0, all[i]);
	read_key(0, to);
	assert_int_equal(to[KT_AGG_DONE], n);
	assert_true(to[KT_AGG_LOW] == expected);
	drop();
}

static void test_extremes(void **state)
{
	const u64 all[] = { 5, -7ULL, 100, 0, 1ULL << 63, 42 }, one[] = { 1ULL << 63 }, most[] = { ~0ULL };

	check_extreme(KT_AGG_MIN, KT_AGGREGATE_SIGNED, all, 6, 1ULL << 63);
	check_extreme(KT_AGG_MAX, KT_AGGREGATE_SIGNED, all, 6, 100);
	check_extreme(KT_AGG_MIN, 0, all, 6, 0);
	check_extreme(KT_AGG_MAX, 0, all, 6, -7ULL);
	check_extreme(KT_AGG_MAX, KT_AGGREGATE_SIGNED, one, 1, 1ULL << 63);
	check_extreme(KT_AGG_MIN, 0, most, 1, ~0ULL);
}

static void test_hist(void **state)
{
	u64 to[KT_AGG_HIST_BUCKETS];

	make((struct kt_aggregate_req){ .kind = KT_AGG_HIST, .flags = KT_AGGREGATE_SIGNED });
	for (s64 value = -3; value <= 16; value++)
		hit_on(value & 1, 0, value);
	read_key(0, to);
	assert_int_equal(to[0], 3);
	assert_int_equal(to[1], 1);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(to[2 + i], 1U << i);
	assert_int_equal(to[6], 1);
	drop();

	make((struct kt_aggregate_req){ .kind = KT_AGG_HIST });
	hit_on(0, 0, ~0ULL);
	read_key(0, to);
	assert_int_equal(to[65], 1);
	drop();
}

static void test_lhist(void **state)
{
	const struct kt_aggregate_req wanted = {
		.kind = KT_AGG_LHIST, .flags = KT_AGGREGATE_SIGNED, .low = -20, .step = 10, .buckets = 4,
	};
	u64 to[6];

	make(wanted);
	for (s64 value = -25; value < 25; value++)
		hit_on(0, 0, value);
	hit_on(1, 0, 1ULL << 63);
	hit_on(1, 0, ~0ULL >> 1);
	read_key(0, to);
	assert_int_equal(to[0], 6);
	for (u32 i = 1; i <= 4; i++)
		assert_int_equal(to[i], 10);
	assert_int_equal(to[5], 6);
	drop();
}

static void test_valid(void **state)
{
	const struct kt_aggregate_req good = { .kind = KT_AGG_LHIST, .keys = 1, .step = 1, .buckets = 1 };
	struct kt_aggregate_req bad[10];

	for (size_t i = 0; i < 10; i++)
		bad[i] = good;
	bad[0].kind = KT_NR_AGGS;
	bad[1].keys = 0;
	bad[2].keys = KT_AGG_MAX_KEYS + 1;
	bad[3].key_bytes = 6;
	bad[4].key_bytes = KT_MAX_PAYLOAD + 4;
	bad[5].value_bit = 32;
	bad[6].step = 0;
	bad[7].buckets = KT_AGG_MAX_BUCKETS + 1;
	bad[8].low = -1;
	bad[9].step = ~0ULL;
	assert_true(kt_agg_valid(&good));
	for (size_t i = 0; i < 10; i++)
		assert_false(kt_agg_valid(&bad[i]));
}

/* ------------------------------------------------------------ interruptions */

/* Run outer() once for each of its instructions, interrupted behind it by nested().  first(), or NULL, runs before. */
static void play(void (*first)(void), void (*outer)(void), void (*nested)(void), void (*check)(void))
{
	plan.nested = nested;
	plan.met = true;
	for (plan.at = 0; plan.met; plan.at++) {
		empty();
		if (first)
			first();
		plan_run(outer);
		check();
	}
	assert_true(plan.at > 20);
}

#define BIG	0xc000000000000001ULL	/* every second one carries */

static void hit_one(void)
{
	hit_on(0, 1, BIG);
}

/* The same key on the same CPU and on another, and keys that take the entries near its home. */
static void hit_many(void)
{
	for (u32 i = 0; i < 6; i++)
		hit_on(i % 2, i / 2, BIG);
	hit_on(0, 1, BIG);
}

static u64 expected(u64 key)
{
	return (plan.met ? key == 1 ? 3 : 2 : 0) + (key == 1);
}

static u64 times_big(u64 n, u64 *high)
{
	const unsigned __int128 sum = (unsigned __int128)n * BIG;

	*high = sum >> 64;
	return sum;
}

/* Every hit is in exactly one entry, and none is lost. */
static void check_all(void)
{
	u64 to[KT_AGG_HIST_BUCKETS], high;

	assert_int_equal(lost, 0);
	for (u64 key = 0; key < 3; key++) {
		const u32 entries = read_key(key, to);

		assert_true(entries <= 2);
		assert_int_equal(to[table.kind == KT_AGG_HIST ? 65 : 0], expected(key));
		if (table.kind == KT_AGG_SUM) {
			assert_true(to[KT_AGG_LOW] == times_big(expected(key), &high));
			assert_true(to[KT_AGG_HIGH] == high);
		}
		if (table.kind == KT_AGG_MAX && expected(key))
			assert_true(to[KT_AGG_LOW] == BIG);
	}
}

static void test_nested_hits(void **state)
{
	static const struct kt_aggregate_req scenes[] = {
		{ .kind = KT_AGG_COUNT, .keys = 8, .key_bytes = 4 }, { .kind = KT_AGG_SUM, .keys = 8, .key_bytes = 24 },
		{ .kind = KT_AGG_MAX, .keys = 8, .key_bytes = 4 },   { .kind = KT_AGG_HIST, .keys = 8, .key_bytes = 8 },
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		make(scenes[i]);
		play(NULL, hit_one, hit_many, check_all);
		drop();
	}
}

/* A table with two entries: hits that find no room are counted. */
static void check_few(void)
{
	assert_int_equal(counted(3) + lost, plan.met ? 8 : 1);
}

static void test_nested_without_room(void **state)
{
	make((struct kt_aggregate_req){ .kind = KT_AGG_COUNT, .keys = 1, .key_bytes = 8 });
	play(NULL, hit_one, hit_many, check_few);
	drop();
}

/* What a reader got of the only entry.  Asserts would be too many instructions to interrupt. */
static struct {
	bool merged;
	u64 to[KT_AGG_WORDS];
} got;

static void read_once(void)
{
	got.to[KT_AGG_DONE] = got.to[KT_AGG_LOW] = got.to[KT_AGG_HIGH] = 0;
	got.merged = kt_agg_merge(&table, got.to, values[0], 0);
}

/* It fits together, or the reader was told to try again. */
static void check_read(void)
{
	const u64 done = got.to[KT_AGG_DONE];
	u64 high;

	if (!got.merged)
		return;
	assert_true(done <= 2);
	if (table.kind != KT_AGG_SUM)
		assert_true(got.to[KT_AGG_LOW] == (done ? BIG : 0));
	else
		assert_true(got.to[KT_AGG_LOW] == times_big(done, &high) && got.to[KT_AGG_HIGH] == high);
}

/* It gets what was counted before, and so it does when nobody writes. */
static void check_read_now(void)
{
	check_read();
	read_once();
	assert_true(got.merged);
	assert_int_equal(got.to[KT_AGG_DONE], 1 + plan.met);
}

static void test_readers(void **state)
{
	for (u32 kind = KT_AGG_SUM; kind <= KT_AGG_MAX; kind++) {
		if (kind == KT_AGG_AVG || kind == KT_AGG_MIN)
			continue;
		make((struct kt_aggregate_req){ .kind = kind });
		play(hit_one, read_once, hit_one, check_read_now);
		play(hit_one, hit_one, read_once, check_read);
		drop();
	}
}

int main(void)
{
	const struct CMUnitTest exact[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_full),	cmocka_unit_test(test_room),
		cmocka_unit_test(test_sums),   cmocka_unit_test(test_extremes), cmocka_unit_test(test_hist),
		cmocka_unit_test(test_lhist),  cmocka_unit_test(test_valid),
	};
	const struct CMUnitTest steps[] = {
		cmocka_unit_test(test_nested_hits), cmocka_unit_test(test_nested_without_room), cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests_name("aggregates", exact, NULL, NULL) +
	       cmocka_run_group_tests_name("aggregates, instruction by instruction", steps, plan_setup, NULL);
}
