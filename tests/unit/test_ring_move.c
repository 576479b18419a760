// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ring_move.c - a ring that moves to other memory, as kmod/records/resize.c does it. */
#define MOVE_STEPS
#include "ring_move.h"

/* ------------------------------------------------------------- step by step */

/* An empty ring, a part of a packet, a whole packet, several laps. */
static void test_interrupted(void **state)
{
	static const u32 prefills[] = { 0, 3, 5, 9, 23 };

	for (size_t i = 0; i < ARRAY_SIZE(prefills); i++)
		move_all_ways(prefills[i], NULL);
}

static void move_now(void)
{
	move(MOST);
	write_records(interruption.burst);
}

static void interrupted_at(u32 at, const struct geometry *way, u32 prefill)
{
	begin(way[0], way[1], false, prefill);
	interruption.at = at;
	interruption.step = 0;
	interruption.met = false;
	interruption.on = true;
}

/* A reader with the old memory gets right records or none; then it notices that the ring has moved. */
static void read_beside(const struct geometry *way, u32 prefill, u64 seq)
{
	u64 total, newest;

	interruption.what = move_now;
	interruption.met = true;
	for (u32 at = 0; interruption.met; at++) {
		interrupted_at(at, way, prefill);
		read_packet(&m.here, seq);
		interruption.on = false;
		assert_true(!interruption.met || m.ctl.generation == 1);
		if (interruption.met)
			check_rest(m.ctl.first_seq);
	}
	interruption.met = true;
	for (u32 at = 0; interruption.met; at++) {
		interrupted_at(at, way, prefill);
		if (own_ring_try_position(&m.here, &total, &newest, NULL))
			assert_true(total == prefill || total == m.taken);
		interruption.on = false;
	}
}

static void test_beside_reader(void **state)
{
	static const u32 bursts[] = { 0, 1, 5, 12, 60 };

	for (size_t i = 0; i < ARRAY_SIZE(moves) * ARRAY_SIZE(bursts); i++) {
		interruption.burst = bursts[i % ARRAY_SIZE(bursts)];
		for (u32 prefill = 0; prefill < 24; prefill++)
			for (u64 seq = 0; seq < 12; seq++)
				read_beside(moves[i / ARRAY_SIZE(bursts)], prefill, seq);
	}
}

/* Records that do not move are gone, and no reader takes zeros for a packet. */
static void test_left_behind(void **state)
{
	struct kt_read_info info;

	begin((struct geometry){ 128, 4 }, (struct geometry){ 128, 8 }, false, 23);
	memset(&m.memory[1], 0, sizeof(m.memory[1]));
	move(0);
	assert_int_equal(m.ctl.first_seq, m.next);
	for (u64 seq = 0; seq < m.next; seq++)
		assert_int_equal(own_ring_read(&m.there, seq, m.copy, &info), KT_READ_GONE);
	check_rest(m.next);
}

/* The word of larger sub-buffers, with a commit count that agrees: no more than a sub-buffer is copied. */
static void test_word_behind_the_end(void **state)
{
	struct kt_read_info info;

	begin((struct geometry){ 128, 2 }, (struct geometry){ 256, 4 }, false, 2);
	m.ctl.word = make_word(0, 256 / 4);
	m.here.commit[0] = 256;
	assert_int_equal(own_ring_read(&m.here, 0, m.copy, &info), KT_READ_BUSY);
}

/* --------------------------------------------------------- move after move */

#define SUB	4096U
#define BIG	8192U

struct area {
	u64 commit[16];
	u8 data[16 * BIG];
};

static struct kt_ring_ctl ctl;
static struct area areas[2];
static struct kt_ring ring;
static u8 buf[BIG];

static void write_some(u32 from, u32 n)
{
	for (u32 i = from; i < from + n; i++)
		kt_ring_write(&ring, 1, &i, 1);
}

/* Check the records of packet seq, which must begin with number `number`. */
static u32 check_from(u64 seq, u32 number)
{
	const struct kt_packet *packet = (struct kt_packet *)buf;
	const u32 *at = (const u32 *)(packet + 1);
	struct kt_read_info info;

	assert_int_equal(own_ring_read(&ring, seq, buf, &info), KT_READ_OK);
	assert_int_equal(packet->seq, seq);
	assert_int_equal(packet->count, number);
	for (u32 i = 0; i < info.records; i++, at += 2) {
		/* The first record of a packet may have an extended header. */
		if ((*at & KT_ID_EXT) == KT_ID_EXT)
			at += 2;
		assert_int_equal(at[1], number + i);
	}
	return info.records;
}

static void check_all(u64 first, u64 newest, u32 number, u32 end)
{
	for (u64 seq = first; seq <= newest; seq++)
		number += check_from(seq, number);
	assert_int_equal(number, end);
}

/* Move to the other area, with the packets from `first` on. */
static void move_on(u64 first, u32 sub, u32 nr)
{
	struct area *area = ring.data == areas[0].data ? &areas[1] : &areas[0];
	struct kt_read_info info;
	struct kt_ring to;
	u64 seq = first, next;

	memset(area, 0xa5, sizeof(*area));
	own_ring_attach(&to, &ctl, area->commit, area->data, sub, nr, 3, false);
	/*
	 * Copy complete packets first: the oldest of a full ring disappears when the next packet is announced.
	 */
	for (; seq < ctl.seq; seq++)
		assert_int_equal(own_ring_read(&ring, seq, kt_ring_subbuf(&to, seq), &info),
				 KT_READ_OK);
	next = own_ring_close(&ring);
	/* A writer that comes now is refused and counted. */
	assert_false(kt_ring_write(&ring, 1, &(u32){ 0 }, 1));
	for (; seq < next; seq++)
		assert_int_equal(own_ring_read(&ring, seq, kt_ring_subbuf(&to, seq), &info),
				 KT_READ_OK);
	own_ring_open(&ring, &to, first);
}

static int setup(void **state)
{
	static const u8 uuid[16] = { 7 };

	memset(&ctl, 0, sizeof(ctl));
	memset(areas, 0, sizeof(areas));
	own_ring_init(&ring, &ctl, areas[0].commit, areas[0].data, SUB, 4, 3, false, uuid);
	return 0;
}

/* Back and forth, to more, larger and fewer sub-buffers: every record stays in its place. */
static void test_moves(void **state)
{
	u64 total, newest, oldest;

	write_some(0, 1200);
	move_on(0, SUB, 8);
	write_some(1200, 1500);
	own_ring_position(&ring, &total, &newest, &oldest);
	assert_int_equal(total, 2700);
	assert_int_equal(oldest, 0);
	check_all(0, newest, 0, 2700);

	move_on(2, BIG, 16);
	own_ring_position(&ring, &total, &newest, &oldest);
	write_some(2700, 3000);
	assert_int_equal(ctl.first_seq, 2);
	own_ring_position(&ring, &total, &newest, NULL);
	assert_int_equal(total, 5700);
	check_all(2, newest, oldest, 5700);
	assert_int_equal(ctl.discarded, 2);
	assert_int_equal(ctl.generation, 2);
}

/*
 * As move_on(), to smaller sub-buffers: write every record of the closed ring again. Returns the first one's
 * number.
 */
static u64 replay_on(u32 sub, u32 nr, u64 ts_step)
{
	struct area *area = ring.data == areas[0].data ? &areas[1] : &areas[0];
	struct kt_ring_ctl own = { 0 };
	const u64 next = own_ring_close(&ring);
	const u64 oldest = next < ring.nr_subbufs ? 0 : next - ring.nr_subbufs;
	const u64 number = ((struct kt_packet *)kt_ring_subbuf(&ring, oldest))->count;
	struct kt_ring to;
	u64 ts = 1;

	own_ring_attach(&to, &own, area->commit, area->data, sub, nr, 3, false);
	own_ring_replay_begin(&to, next, number, ts);
	for (u64 seq = oldest; seq < next; seq++) {
		const struct kt_packet *packet = (struct kt_packet *)kt_ring_subbuf(&ring, seq);
		const void *at = packet + 1, *end = (const u8 *)packet + packet->content_bits / 8;
		u64 was = packet->ts_begin;
		u32 id;

		for (; at < end; at += 4) {
			assert_true(kt_event_header(false, &at, end, &id, &was));
			assert_true(own_ring_replay(&to, id, ts += ts_step, at, 1));
		}
	}
	own_ring_adopt(&ring, &to, own.seq - next < nr ? next : own.seq - nr + 1);
	return number;
}

/* Each record keeps its time; the one with this number came one step behind 1. */
static void check_times(u64 newest, u64 number, u64 ts_step)
{
	const struct kt_packet *packet = (struct kt_packet *)buf;
	struct kt_read_info info;

	for (u64 seq = ctl.first_seq; seq <= newest; seq++) {
		assert_int_equal(own_ring_read(&ring, seq, buf, &info), KT_READ_OK);
		const void *at = packet + 1, *end = buf + info.bytes;
		u64 ts = packet->ts_begin;
		u32 id;

		for (; at < end; at += 4) {
			assert_true(kt_event_header(false, &at, end, &id, &ts));
			assert_int_equal(ts, 1 + (*(const u32 *)at - number + 1) * ts_step);
		}
	}
}

/* Smaller sub-buffers keep the newest records, as many as a ring of this size would have. */
static void test_smaller(void **state)
{
	static const u64 steps[] = { 1, 1 << KT_TS_BITS };	/* for compact and extended headers */
	static const u32 records[] = { 0, 58, 1000, 5000 };
	u64 total, newest, oldest, number;

	for (size_t i = 0; i < ARRAY_SIZE(records) * ARRAY_SIZE(steps); i++) {
		const u64 step = steps[i % ARRAY_SIZE(steps)];
		const u32 n = records[i / ARRAY_SIZE(steps)], bytes = step == 1 ? 8 : 16;

		setup(state);
		memset(&areas[1], 0xa5, sizeof(areas[1]));
		write_some(0, 300);
		move_on(0, BIG, 8);
		write_some(300, n);
		number = replay_on(SUB, 2, step);
		own_ring_position(&ring, &total, &newest, &oldest);
		assert_int_equal(total, n + 300);
		check_times(newest, number, step);
		/* At least one sub-buffer is full of them. */
		assert_true((total - oldest) * bytes > SUB - sizeof(struct kt_packet) - bytes || !oldest);
		check_all(ctl.first_seq, newest, oldest, total);
		for (u32 more = 0; more < 3000; more += 100) {
			write_some(n + 300 + more, 100);
			own_ring_position(&ring, &total, &newest, &oldest);
			assert_int_equal(total, n + 400 + more);
			check_all(newest - (newest > ctl.first_seq), newest, oldest, total);
		}
	}
}

/* A record that fits into no sub-buffer is reported. */
static void test_too_large(void **state)
{
	static const u32 payload[256];
	struct kt_ring_ctl own = { 0 };
	struct kt_ring to;

	own_ring_attach(&to, &own, areas[1].commit, areas[1].data, 1024, 2, 3, false);
	own_ring_replay_begin(&to, 7, 0, 1);
	assert_true(own_ring_replay(&to, 1, 1, payload, 200));
	assert_false(own_ring_replay(&to, 1, 1, payload, 256));
}

/* A ring that keeps nothing, and later laps: the oldest packet is never one from before the move. */
static void test_empty_move(void **state)
{
	u64 total, newest, oldest, was;

	write_some(0, 3000);
	own_ring_position(&ring, &total, &newest, NULL);
	move_on(newest + 1, SUB, 2);
	own_ring_position(&ring, &total, &was, &oldest);
	assert_int_equal(was, newest + 1);
	assert_int_equal(oldest, 3000);
	for (u32 n = 3000; n < 6000; n += 100) {
		write_some(n, 100);
		own_ring_position(&ring, &total, &newest, &oldest);
		assert_int_equal(total, n + 100);
		assert_true(oldest >= 3000);
		check_all(newest > was ? newest - 1 : was, newest, oldest, n + 100);
	}
}

/* In discard mode unseen records stay, even if there is less room than they take. */
static void test_discard(void **state)
{
	u64 total, newest, oldest;

	ring.discard = true;
	write_some(0, 5000);
	own_ring_position(&ring, &total, &newest, &oldest);
	assert_int_equal(oldest, 0);
	move_on(0, SUB, 8);
	write_some(total, 10);
	own_ring_position(&ring, &oldest, &newest, NULL);
	assert_int_equal(oldest, total + 10);
	check_all(0, newest, 0, total + 10);
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_beside_reader),
		cmocka_unit_test(test_left_behind), cmocka_unit_test(test_word_behind_the_end),
		TEST(test_moves), TEST(test_empty_move), TEST(test_discard),
		TEST(test_smaller), TEST(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
