// SPDX-License-Identifier: GPL-2.0-or-later
/* test_reader.c - the reader on rings that the module's own writer fills. */
#include "reader_module.h"

#include <pthread.h>

/* ------------------------------------------------------------------- tests */

static void test_empty(void **state)
{
	struct reader *reader = open_reader(*state);
	struct snapshot *snap = take(reader);

	assert_int_equal(snapshot_count(snap), 0);
	assert_int_equal(snapshot_total(snap), 0);
	assert_true(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	reader_destroy(reader);
}

static void test_one(void **state)
{
	struct reader *reader = open_reader(*state);
	const struct record *record;
	struct snapshot *snap;

	write_at(*state, 1, 5000, 4127);
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), 1);
	record = snapshot_at(snap, 0);
	assert_int_equal(value_of(record), 4127);
	assert_int_equal(record->ticks, 5000);
	assert_int_equal(record->cpu, 1);
	assert_int_equal(record->count, 0);
	assert_int_equal(record->desc->id, 1);
	assert_int_equal(record->desc->addr, 0xffffffff81000001);
	assert_int_equal(snapshot_total(snap), 1);
	snapshot_free(snap);
	reader_destroy(reader);
}

/* Short and long distances, small and large ids: the reader computes the full time. */
static void test_times(void **state)
{
	static const u64 steps[] = {
		1, 0xffffff, 0x1000000, 0x1000001, 5, 1ULL << 40, 0xfffffe, 3, 1ULL << 24,
	};
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;
	u64 when = ticks;

	for (u32 id = 254; id <= 256; id++)
		set_desc(module, id, 1, 0);
	for (u32 i = 0; i < 27; i++) {
		ticks = when += steps[i % 9];
		kt_ring_write(&module->rings[0], 254 + i % 3, &i, 1);
	}
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), 27);
	when = 1000;
	for (u32 i = 0; i < 27; i++) {
		assert_int_equal(snapshot_at(snap, i)->ticks, when += steps[i % 9]);
		assert_int_equal(snapshot_at(snap, i)->desc->id, 254 + i % 3);
		assert_int_equal(value_of(snapshot_at(snap, i)), i);
	}
	assert_int_equal(module->asked, 3);
	snapshot_free(snap);
	reader_destroy(reader);
}

static void test_merge(void **state)
{
	static const uint32_t cpus[] = { 2, 0, 1, 1, 0, 2, 2, 2, 0, 1 };
	struct reader *reader = open_reader(*state);
	struct snapshot *snap;

	for (u32 i = 0; i < 10; i++)
		write_at(*state, cpus[i], 2000 + i, i);
	/* At the same tick the record of the lower CPU comes first. */
	write_at(*state, 2, 3000, 11);
	write_at(*state, 0, 3000, 10);
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), 12);
	for (u32 i = 0; i < 12; i++)
		assert_int_equal(value_of(snapshot_at(snap, i)), i);
	snapshot_free(snap);
	reader_destroy(reader);
}

static void test_several_packets(void **state)
{
	struct reader *reader = open_reader(*state);
	u32 n = 2 * PER_PACKET + 17;
	struct snapshot *snap;

	write_many(*state, 0, 0, n);
	snap = take(reader);
	assert_int_equal(snapshot_count(snap), n);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(value_of(snapshot_at(snap, i)), i);
		assert_int_equal(snapshot_at(snap, i)->count, i);
	}
	snapshot_free(snap);
	reader_destroy(reader);
}

static void test_overwritten(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	u32 n = 10 * PER_PACKET + 17;
	struct snapshot *snap;
	uint64_t lost;

	write_many(module, 0, 0, n);
	snap = take(reader);
	assert_int_equal(snapshot_at(snap, 0)->type, RECORD_LOST);
	assert_false(snapshot_at(snap, 0)->discarded);
	lost = snapshot_at(snap, 0)->lost;
	assert_int_equal(lost + snapshot_count(snap) - 1, n);
	for (size_t i = 1; i < snapshot_count(snap); i++)
		assert_int_equal(value_of(snapshot_at(snap, i)), lost + i - 1);
	assert_true(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	assert_int_equal(module->rings[0].ctl->lost_seen, lost);
	assert_int_equal(module->rings[0].ctl->cleared, n - lost);
	reader_destroy(reader);
}

/* No reader gets a record that another reader has cleared, inside a packet or at its end. */
static void test_clear(void **state)
{
	static const u32 sizes[] = { 5, 0, 1, PER_PACKET - 6, 7, PER_PACKET, 1 };
	u32 value = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct reader *reader = open_reader(*state);
		struct snapshot *snap;

		write_many(*state, 0, value, sizes[i]);
		snap = take(reader);
		assert_int_equal(snapshot_count(snap), sizes[i]);
		if (sizes[i])
			assert_int_equal(value_of(snapshot_at(snap, 0)), value);
		value += sizes[i];
		assert_int_equal(snapshot_total(snap), value);
		assert_true(snapshot_clear(reader, snap, NULL));
		snapshot_free(snap);
		reader_destroy(reader);
	}
}

static void test_print_twice(void **state)
{
	struct reader *reader = open_reader(*state);

	write_many(*state, 0, 0, 3);
	for (int i = 0; i < 2; i++) {
		struct snapshot *snap = take(reader);

		assert_int_equal(snapshot_count(snap), 3);
		snapshot_free(snap);
	}
	reader_destroy(reader);
}

static void test_stale(void **state)
{
	struct reader *one = open_reader(*state), *other = open_reader(*state);
	struct snapshot *snap;
	struct error err = { .text = "" };

	write_many(*state, 0, 0, 3);
	snap = take(one);
	drain(other);
	assert_false(snapshot_clear(one, snap, &err));
	assert_string_equal(err.text, "stale");
	snapshot_free(snap);
	reader_destroy(one);
	reader_destroy(other);
}

/*
 * Clear in parts, with records of two CPUs, some overwritten and some discarded: records that are not cleared
 * come again, cleared ones do not.
 */
static void test_clear_first(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct tally all, rest, left;
	struct snapshot *snap;

	for (u32 i = 0; i < 2000; i++)
		write_many(module, i % 3 == 0, i, 1);
	module->rings[0].ctl->discarded += 7;
	snap = take(reader);
	all = count(snap);
	for (size_t n = 0; n < snapshot_count(snap); n += 97) {
		struct snapshot *again;
		struct tally first = { 0 };

		assert_true(snapshot_clear_first(reader, snap, n, NULL));
		for (size_t i = 0; i < n; i++)
			first.hits += snapshot_at(snap, i)->type == RECORD_HIT;
		again = take(reader);
		rest = count(again);
		assert_int_equal(first.hits + rest.hits, all.hits);
		assert_int_equal(snapshot_count(again), snapshot_count(snap) - n);
		if (snapshot_at(snap, n)->type == RECORD_HIT)
			assert_int_equal(value_of(snapshot_at(again, 0)), value_of(snapshot_at(snap, n)));
		snapshot_free(again);
	}
	assert_true(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	left = drain(reader);
	assert_int_equal(left.hits + left.overwritten + left.discarded, 0);
	reader_destroy(reader);
}

/* ---------------------------------------------------------------- discarded */

static void discard(struct module *module, u32 n)
{
	module->rings[0].ctl->discarded += n;
}

/* Reported at once, until cleared, by any controller. */
static void test_discarded(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module), *fresh = open_reader(module);
	struct snapshot *snap;

	write_many(module, 0, 0, 3);
	discard(module, 7);
	snap = take(reader);
	assert_int_equal(snapshot_total(snap), 3 + 7);
	assert_int_equal(snapshot_count(snap), 4);
	assert_int_equal(snapshot_at(snap, 3)->type, RECORD_LOST);
	assert_int_equal(snapshot_at(snap, 3)->lost, 7);
	assert_true(snapshot_at(snap, 3)->discarded);
	assert_int_equal(count(snap).discarded, 7);
	snapshot_free(snap);
	assert_int_equal(drain(fresh).discarded, 7);
	assert_int_equal(drain(reader).discarded, 0);
	/* Without a record that has the number. */
	discard(module, 2);
	assert_int_equal(drain(reader).discarded, 2);
	assert_int_equal(drain(fresh).discarded, 0);
	assert_int_equal(module->rings[0].ctl->discarded_seen, 9);
	reader_destroy(fresh);
	reader_destroy(reader);
}

/* Reported after the records of the packet in which it happened, before those of the next packet. */
static void test_discarded_between(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct snapshot *snap;

	write_many(module, 0, 0, 3);
	discard(module, 5);
	assert_int_equal(drain(reader).discarded, 5);
	discard(module, 7);
	write_many(module, 0, 3, PER_PACKET);
	discard(module, 1);
	snap = take(reader);
	assert_int_equal(snapshot_at(snap, PER_PACKET - 3)->lost, 7);
	assert_int_equal(value_of(snapshot_at(snap, PER_PACKET - 2)), PER_PACKET);
	assert_int_equal(snapshot_at(snap, PER_PACKET + 1)->lost, 1);
	assert_int_equal(snapshot_count(snap), PER_PACKET + 2);
	assert_int_equal(count(snap).discarded, 8);
	assert_true(snapshot_clear(reader, snap, NULL));
	snapshot_free(snap);
	/* The packets with the number are overwritten. */
	discard(module, 4);
	write_many(module, 0, 0, 7 * PER_PACKET);
	assert_int_equal(drain(reader).discarded, 4);
	assert_int_equal(drain(reader).discarded, 0);
	reader_destroy(reader);
}

/* Another controller has reported them meanwhile, and nothing else. */
static void test_discarded_stale(void **state)
{
	struct module *module = *state;
	struct reader *one = open_reader(module), *other = open_reader(module);
	struct snapshot *snap;

	discard(module, 3);
	snap = take(one);
	assert_int_equal(drain(other).discarded, 3);
	assert_false(snapshot_clear(one, snap, NULL));
	snapshot_free(snap);
	reader_destroy(one);
	reader_destroy(other);
}

/* A ring that keeps the oldest records: full, partly emptied, full again. */
static void test_discard_mode(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct tally first, second;

	module->rings[0].discard = true;
	write_many(module, 0, 0, 6 * PER_PACKET);
	first = drain(reader);
	assert_int_equal(first.hits, 4 * PER_PACKET);
	assert_int_equal(first.discarded, 2 * PER_PACKET);
	/* The newest packet is not complete yet: it stays. */
	write_many(module, 0, 0, 4 * PER_PACKET);
	second = drain(reader);
	assert_int_equal(second.hits, 3 * PER_PACKET);
	assert_int_equal(second.discarded, PER_PACKET);
	assert_int_equal(first.overwritten + second.overwritten, 0);
	reader_destroy(reader);
}

/* Newer records wait for the next snapshot, on all CPUs. */
static u64 until;

static bool now_until(void *arg, uint64_t *out, struct error *err)
{
	*out = until;
	return true;
}

static void test_cut(void **state)
{
	struct reader *reader = open_reader(*state);
	u32 next = 0;

	reader->source.now = now_until;
	for (u32 i = 0; i < 3 * PER_PACKET; i++)
		write_at(*state, i % CPUS, 2000 + i, i);
	for (until = 1500; until < 2000 + 3 * PER_PACKET + 50; until += 50) {
		struct snapshot *snap = take(reader);

		for (size_t i = 0; i < snapshot_count(snap); i++)
			assert_int_equal(value_of(snapshot_at(snap, i)), next++);
		assert_true(next == 3 * PER_PACKET || until < 2000 || next == until - 2000 + 1);
		assert_int_equal(snapshot_total(snap), next);
		assert_true(snapshot_clear(reader, snap, NULL));
		snapshot_free(snap);
	}
	assert_int_equal(next, 3 * PER_PACKET);
	reader_destroy(reader);
}

static void lap(struct module *module)
{
	write_many(module, 0, 1000000, 6 * PER_PACKET);
}

/* Everything is overwritten between reading the clock and the copy. */
static void test_lapped(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct tally tally;

	write_many(module, 0, 0, 100);
	module->at_settle = lap;
	tally = drain(reader);
	assert_true(tally.hits >= 3 * PER_PACKET);
	module->at_settle = NULL;
	assert_int_equal(tally.hits + tally.overwritten + drain(reader).hits,
			 100 + 6 * PER_PACKET);
	reader_destroy(reader);
}

/* An incomplete record stops the reader before its packet and all later ones. */
static void test_unfinished(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	struct kt_ring *ring = &module->rings[0];
	u32 off, *p;

	write_many(module, 0, 0, 3);
	off = kt_word_off(ring->ctl->word);
	ring->ctl->word += (2ULL << 16) + 1;
	discard(module, 2);
	assert_int_equal(drain(reader).hits, 0);
	assert_int_equal(ring->ctl->discarded_seen, 0);
	p = (u32 *)(kt_ring_subbuf(ring, 0) + off * 4);
	p[0] = 1 | (u32)ticks << 8;
	p[1] = 3;
	*kt_ring_count(ring, 0) += 8;
	assert_int_equal(drain(reader).hits, 4);
	assert_int_equal(ring->ctl->discarded_seen, 2);
	reader_destroy(reader);
}

/* ------------------------------------------------------------------ at large */

/* Any events in any order: written = read + lost + discarded, each record exactly once. */
static void play(struct module *module)
{
	struct reader *reader = open_reader(module);
	u32 written[CPUS] = { 0 };
	struct tally sum = { 0 };
	uint64_t all = 0;

	for (int round = 0; round < 400; round++) {
		for (int burst = rand() % 4; burst > 0; burst--) {
			uint32_t cpu = rand() % CPUS;
			u32 n = rand() % (rand() % 4 ? 60 : 6 * PER_PACKET);

			write_many(module, cpu, written[cpu], n);
			written[cpu] += n;
			all += n;
			ticks += rand() % 3 ? 0 : rand();
		}
		if (!(rand() % 10)) {
			reader_destroy(reader);
			reader = open_reader(module);
		}
		if (rand() % 3) {
			struct tally tally = drain(reader);

			sum.hits += tally.hits;
			sum.overwritten += tally.overwritten;
			sum.discarded += tally.discarded;
			assert_int_equal(sum.hits + sum.overwritten + sum.discarded, all);
		}
	}
	assert_true(sum.hits && sum.overwritten && sum.discarded);
	reader_destroy(reader);
}

static void test_random(void **state)
{
	struct module *module = *state;

	srand(1);
	module->rings[0].discard = true;
	play(module);
}

#define LIVE	400000U

static void *write_live(void *arg)
{
	struct module *module = arg;

	for (u32 i = 0; i < LIVE; i++) {
		__atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
		kt_ring_write(&module->rings[0], 1, &i, 1);
	}
	return NULL;
}

/* Read during writes: no record is torn, double or out of order, and every gap is counted. */
static void test_live(void **state)
{
	struct module *module = *state;
	struct reader *reader = open_reader(module);
	uint64_t next = 0, hits = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, write_live, module), 0);
	while (next < LIVE) {
		struct snapshot *snap = take(reader);

		for (size_t i = 0; i < snapshot_count(snap); i++) {
			const struct record *record = snapshot_at(snap, i);

			if (record->type == RECORD_LOST) {
				next += record->lost;
				continue;
			}
			assert_int_equal(value_of(record), next);
			assert_int_equal(record->ticks, 1001 + next);
			next++;
			hits++;
		}
		assert_true(snapshot_clear(reader, snap, NULL));
		snapshot_free(snap);
	}
	pthread_join(thread, NULL);
	assert_int_equal(next, LIVE);
	assert_true(hits > 0);
	assert_int_equal(module->rings[0].ctl->cleared, hits);
	assert_int_equal(module->rings[0].ctl->lost_seen, LIVE - hits);
	reader_destroy(reader);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty), TEST(test_one), TEST(test_times), TEST(test_merge),
		TEST(test_several_packets), TEST(test_overwritten), TEST(test_clear),
		TEST(test_print_twice), TEST(test_stale), TEST(test_clear_first), TEST(test_discarded),
		TEST(test_discarded_between), TEST(test_discarded_stale), TEST(test_discard_mode),
		TEST(test_cut),
		TEST(test_lapped), TEST(test_unfinished), TEST(test_random), TEST(test_live),
	};

	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
