// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring.c - the trace ring. Writers and readers are interrupted at each of their steps by nested writers,
 * which are interrupted themselves. At each of these instants readers read all packets.
 */
#define GHOST_STEPS
#include "ring_scene.h"

/*
 * In these rings a packet holds five plain records. Eleven records reach the second lap, and so every situation
 * of a write: the middle of a packet, its last place, the exchange of packets, the first and later laps.
 */
static void play_both_clocks(const struct scene *scene)
{
	clock_is_raw = true;
	play(scene);
	clock_is_raw = false;
	play(scene);
	clock_is_raw = true;
}

static void test_one_nested(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 1 } },
		{ SCENE(motley, 256, 2, 30, 1), .burst = { 1 } },
		{ SCENE(slow, 128, 2, 22, 1), .burst = { 1 } },
		{ SCENE(wild, 256, 2, 30, 1), .burst = { 1 } },
		{ SCENE(wild, 256, 4, 40, 1), .burst = { 1 } },
		{ SCENE(wide, 256, 2, 30, 1), .burst = { 1 } },
		{ SCENE(wide_slow, 256, 4, 40, 1), .burst = { 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play_both_clocks(&scenes[i]);
}

/* Nested writers go on to the next packet, or around the whole ring to an incomplete packet. */
static void test_many_nested(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 5 } },
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 6 } },
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 10 } },
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 35 } },
		{ SCENE(wild, 256, 2, 30, 1), .burst = { 12 } },
		{ SCENE(wild, 256, 2, 30, 1), .burst = { 60 } },
		{ SCENE(wild, 256, 4, 40, 1), .burst = { 100 } },
		{ SCENE(wide, 256, 2, 30, 1), .burst = { 12 } },
		{ SCENE(wide_slow, 256, 2, 30, 1), .burst = { 60 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play_both_clocks(&scenes[i]);
}

static void test_nested_nested(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 12, 2), .burst = { 1, 1 } },
		{ SCENE(slow, 128, 2, 12, 2), .burst = { 1, 1 } },
		{ SCENE(wild, 256, 2, 30, 2), .burst = { 1, 1 } },
		{ SCENE(plain, 128, 2, 12, 2), .burst = { 6, 1 } },
		{ SCENE(plain, 128, 2, 12, 2), .burst = { 1, 12 } },
		{ SCENE(wild, 256, 2, 14, 2), .burst = { 2, 17 } },
		{ SCENE(wide, 256, 2, 30, 2), .burst = { 1, 1 } },
		{ SCENE(wide_slow, 256, 2, 14, 2), .burst = { 2, 17 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play_both_clocks(&scenes[i]);
}

static void test_three_deep(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 11, 3), .burst = { 1, 1, 1 } },
		{ SCENE(wild, 256, 2, 8, 3), .burst = { 1, 1, 7 } },
		{ SCENE(wide_slow, 256, 2, 8, 3), .burst = { 1, 1, 7 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play(&scenes[i]);
}

static void test_interrupted_twice(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 12, 1), .burst = { 1 }, .twice = true },
		{ SCENE(plain, 128, 2, 12, 1), .burst = { 5 }, .twice = true },
		{ SCENE(wild, 256, 2, 24, 1), .burst = { 1 }, .twice = true },
		{ SCENE(wild, 256, 2, 24, 1), .burst = { 12 }, .twice = true },
		{ SCENE(plain, 128, 2, 12, 1), .burst = { 12 }, .twice = true, .discard = true, .clears = true },
		{ SCENE(wide, 256, 2, 24, 1), .burst = { 12 }, .twice = true },
		{ SCENE(wide_slow, 256, 2, 24, 1), .burst = { 1 }, .twice = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play(&scenes[i]);
}

/* Full; full until an interruption clears it; or with room. */
static void test_discard(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 1 }, .discard = true },
		{ SCENE(plain, 128, 2, 22, 1), .burst = { 1 }, .discard = true, .clears = true },
		{ SCENE(wild, 256, 2, 30, 1), .burst = { 20 }, .discard = true },
		{ SCENE(wild, 256, 2, 30, 1), .burst = { 20 }, .discard = true, .clears = true },
		{ SCENE(slow, 128, 4, 22, 2), .burst = { 1, 1 }, .discard = true, .clears = true },
		{ SCENE(wide, 256, 2, 30, 1), .burst = { 20 }, .discard = true },
		{ SCENE(wide_slow, 256, 2, 30, 1), .burst = { 20 }, .discard = true, .clears = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play_both_clocks(&scenes[i]);
}

/* The word has 32 bits of the packet's number. */
static void test_number_wraps(void **state)
{
	static const struct scene scenes[] = {
		{ SCENE(plain, 128, 2, 30, 1), .burst = { 1 }, .first = 0xfffffffdULL },
		{ SCENE(wild, 256, 4, 40, 1), .burst = { 30 }, .first = 0xfffffffdULL },
		{ SCENE(plain, 128, 2, 25, 1), .burst = { 7 }, .first = 0x4fffffffeULL, .discard = true,
		  .clears = true },
		{ SCENE(wide_slow, 256, 4, 40, 1), .burst = { 30 }, .first = 0xfffffffdULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		play_both_clocks(&scenes[i]);
}

/* Random events, many times, in a ring that continues. */
static void play_by_chance(const struct shape *shape, u32 sub, u32 nr, bool discard, u32 chance)
{
	ghost_create(sub, nr);
	plan.chance = chance;
	for (int round = 0; round < 60; round++) {
		plan.on = false;
		plan.clears = discard && rand() % 2;
		clock_is_raw = rand() % 2;
		ghost_reset(shape, discard, rand() % 2 ? 0 : 0xfffffff0U + rand() % 16);
		while (ghost->writes < 300) {
			plan.on = true;
			ghost_write();
			plan.on = false;
			if (discard && !(rand() % 20))
				clear_all();
			ghost_check();
		}
	}
	plan.chance = 0;
	clock_is_raw = true;
	ghost_free();
}

static void test_by_chance(void **state)
{
	srand(4127);
	for (u32 chance = 10; chance <= 160; chance *= 2)
		for (u32 nr = 2; nr <= MAX_SUBBUFS; nr *= 2) {
			play_by_chance(&plain, 128, nr, false, chance);
			play_by_chance(&wild, 256, nr, false, chance);
			play_by_chance(&wild, 256, nr, true, chance);
			play_by_chance(&wide, 256, nr, false, chance);
			play_by_chance(&wide_slow, 256, nr, true, chance);
		}
}

/* ----------------------------------------------------------------- readers */

static void expect(u64 seq, enum kt_read expected)
{
	enum kt_read result = ghost_read(seq);

	plan.on = false;
	if (expected != KT_READ_BUSY)
		assert_true(result == expected || result == KT_READ_BUSY);
}

/* Writers at each step of a reader: the reader gets whole records, or none. */
static void test_reader_interrupted(void **state)
{
	static const u32 bursts[] = { 1, 4, 5, 6, 10, 11, 40 };

	ghost_create(128, 2);
	memset(plan.at, 0xff, sizeof(plan.at));
	memset(plan.again, 0xff, sizeof(plan.again));
	for (u32 prefill = 0; prefill < 24 * ARRAY_SIZE(bursts); prefill++) {
		plan.burst[0] = bursts[prefill % ARRAY_SIZE(bursts)];
		for (u64 seq = 0; seq < 7; seq++)
			for (plan.at[0] = 0; plan.at[0] < 4; plan.at[0]++) {
				ghost_reset(&plain, false, 0);
				ghost_fill(prefill / ARRAY_SIZE(bursts));
				plan.steps[0] = 0;
				plan.on = true;
				expect(seq, KT_READ_BUSY);
				ghost_check();
			}
	}
	ghost_free();
}

/* The same beside an incomplete record: as many bytes of newer records must not be taken for it. */
static void test_reader_beside_unfinished(void **state)
{
	struct kt_room room;
	u32 write;

	ghost_create(128, 2);
	memset(plan.at, 0xff, sizeof(plan.at));
	memset(plan.again, 0xff, sizeof(plan.again));
	for (u32 n = 0; n < 12 * 4 * 5 * 9; n++) {
		ghost_reset(&plain, false, 0);
		ghost_fill(n % 12);
		room = begin_write(&write);
		plan.at[0] = n / 12 / 4 % 5;
		plan.burst[0] = 1 + n / 12 / 4 / 5;
		plan.steps[0] = 0;
		plan.on = true;
		ghost_read(n / 12 % 4);
		plan.on = false;
		ghost_read_all();
		end_write(room, write);
		ghost_check();
	}
	ghost_free();
}

/* The position is consistent, whatever is written meanwhile. */
static void test_position_interrupted(void **state)
{
	u64 total, seq, oldest;

	ghost_create(128, 4);
	for (u32 n = 0; n < 60 * 12; n++) {
		ghost_reset(&plain, false, 0);
		ghost_fill(n % 60);
		plan.at[0] = n / 60;
		plan.burst[0] = 1 + n % 11;
		plan.steps[0] = 0;
		plan.on = true;
		own_ring_position(&ghost->ring, &total, &seq, &oldest);
		plan.on = false;
		assert_true(total == n % 60 || total == ghost->taken);
		assert_int_equal(seq, total ? (total - 1) / 5 : 0);
		assert_int_equal(oldest, seq < 4 ? 0 : (seq - 3) * 5);
		own_ring_position(&ghost->ring, NULL, NULL, NULL);
	}
	ghost_free();
}

/* A record with room that is not committed keeps its packet from readers, and from being reused. */
static void test_unfinished(void **state)
{
	struct kt_room room, other;
	u32 i;

	ghost_create(128, 2);
	ghost_reset(&plain, false, 0);
	ghost_fill(2);
	assert_int_equal(ghost_read(0), KT_READ_OK);
	room = kt_ring_reserve(&ghost->ring, false, 1, 1);
	assert_non_null(room.at);
	assert_int_equal(ghost_read(0), KT_READ_BUSY);
	ghost_fill(2);
	assert_int_equal(ghost->taken, 4);
	assert_int_equal(ghost_read(0), KT_READ_BUSY);
	ghost_fill(5);
	assert_int_equal(ghost_read(0), KT_READ_BUSY);
	assert_int_equal(ghost_read(1), KT_READ_OK);
	/* The next lap waits for it, again and again. */
	for (i = 1; i < 4; i++) {
		other = kt_ring_reserve(&ghost->ring, false, 1, 1);
		assert_null(other.at);
		assert_int_equal(ghost->ctl.discarded, i);
	}
	*(u32 *)room.at = ghost->writes++;
	kt_ring_commit(room, false, 1);
	assert_int_equal(ghost_read(0), KT_READ_OK);
	ghost_fill(1);
	assert_int_equal(ghost_read(0), KT_READ_GONE);
	assert_int_equal(ghost_read(2), KT_READ_OK);
	ghost_free();
}

/* ---------------------------------------------------------------- geometry */

static u32 none(u32 write)
{
	return 0;
}

static u32 largest(u32 write)
{
	return 64;
}

/* Write two laps of records with `len` bytes each; count the records in a packet. */
static void fill_laps(u32 sub, u32 nr, const struct shape *shape, u32 len)
{
	const u32 per_packet = (sub - (u32)sizeof(struct kt_packet)) / len;
	u32 words = shape->words(0), payload[64] = { 0 };
	struct kt_read_info info;
	u64 total, seq, oldest;

	ghost_create(sub, nr);
	ghost_reset(shape, false, 0);
	for (u32 i = 0; i < (2 * nr + 1) * per_packet; i++) {
		assert_true(kt_ring_write(&ghost->ring, shape->id(0), payload, ghost_units(words)));
		own_ring_position(&ghost->ring, &total, &seq, &oldest);
		assert_int_equal(total, i + 1);
		assert_int_equal(seq, i / per_packet);
		assert_int_equal(oldest, seq < nr ? 0 : (seq - nr + 1) * per_packet);
	}
	for (u64 i = seq - nr + 1; i <= seq; i++) {
		assert_int_equal(own_ring_read(&ghost->ring, i, ghost_copy(), &info), KT_READ_OK);
		assert_int_equal(info.records, per_packet);
		assert_int_equal(info.complete, i < seq);
		assert_int_equal(info.bytes, sizeof(struct kt_packet) + per_packet * len);
	}
	ghost_free();
}

static void test_geometry(void **state)
{
	static const struct shape bare = { none, one, tick, false }, big = { largest, one, tick, false };
	static const struct shape wide_bare = { none, one, tick, true }, wide_big = { largest, one, tick, true };

	for (u32 sub = KT_SUBBUF_MIN; sub <= KT_SUBBUF_MAX; sub *= 32) {
		fill_laps(sub, 2, &bare, 4);
		fill_laps(sub, 2, &plain, 8);
		fill_laps(sub, 8, &big, 4 * 65);
	}
	for (u32 sub = KT_SUBBUF_MIN; sub <= KT_SUBBUF_WIDE_MAX; sub *= 16) {
		fill_laps(sub, 2, &wide_bare, 6);
		fill_laps(sub, 8, &wide_big, 6 + 4 * 64);
	}
}

/* The largest sub-buffer full of the smallest records, of `bytes` each: the largest numbers of the word. */
static void fill_to_limits(const struct shape *shape, u32 sub, u32 bytes, u32 unit)
{
	const u32 most = (sub - (u32)sizeof(struct kt_packet)) / bytes;

	assert_true(most < 0xffff);
	assert_true(sub / unit < KT_WORD_CLOSED);
	ghost_create(sub, 2);
	ghost_reset(shape, false, 0);
	for (u32 i = 0; i < most; i++)
		assert_true(kt_ring_write(&ghost->ring, 1, NULL, 0));
	assert_int_equal(kt_word_records(ghost->ctl.word), most);
	assert_int_equal(kt_word_off(ghost->ctl.word), (sizeof(struct kt_packet) + most * bytes) / unit);
	assert_int_equal(kt_word_seq(ghost->ctl.word), 0);
	assert_true(kt_ring_write(&ghost->ring, 1, NULL, 0));
	assert_int_equal(kt_word_seq(ghost->ctl.word), 1);
	assert_int_equal(kt_word_records(ghost->ctl.word), 1);
	ghost_free();
}

static void test_word_limits(void **state)
{
	fill_to_limits(&plain, KT_SUBBUF_MAX, 4, 4);
	fill_to_limits(&wide, KT_SUBBUF_WIDE_MAX, 6, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_nested),
		cmocka_unit_test(test_many_nested),
		cmocka_unit_test(test_nested_nested),
		cmocka_unit_test(test_three_deep),
		cmocka_unit_test(test_interrupted_twice),
		cmocka_unit_test(test_discard),
		cmocka_unit_test(test_number_wraps),
		cmocka_unit_test(test_by_chance),
		cmocka_unit_test(test_reader_interrupted),
		cmocka_unit_test(test_reader_beside_unfinished),
		cmocka_unit_test(test_position_interrupted),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_word_limits),
	};
	int failed = cmocka_run_group_tests_name("ring", tests, NULL, NULL);

	if (getenv("V"))
		fprintf(stderr, "%u writes were interrupted in different ways\n", runs);
	return failed;
}
