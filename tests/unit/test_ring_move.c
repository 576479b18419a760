// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ring_move.c - a ring that goes on in other memory, as kmod/resize.c moves it. */
#include "unit.h"

#include <stdlib.h>

#include "own_ring.h"

#define SUB	4096U
#define BIG	8192U

static u64 ticks;

u64 kt_clock_read(void)
{
	return ++ticks;
}

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

/* Records of packet seq, which must be the ones from `number` on. */
static u32 check_packet(u64 seq, u32 number)
{
	const struct kt_packet *packet = (struct kt_packet *)buf;
	const u32 *at = (const u32 *)(packet + 1);
	struct kt_read_info info;

	assert_int_equal(own_ring_read(&ring, seq, buf, &info), KT_READ_OK);
	assert_int_equal(packet->seq, seq);
	assert_int_equal(packet->count, number);
	for (u32 i = 0; i < info.records; i++, at += 2) {
		/* The first one of a packet may have an extended header. */
		if ((*at & KT_ID_EXT) == KT_ID_EXT)
			at += 2;
		assert_int_equal(at[1], number + i);
	}
	return info.records;
}

static void check_all(u64 first, u64 newest, u32 number, u32 end)
{
	for (u64 seq = first; seq <= newest; seq++)
		number += check_packet(seq, number);
	assert_int_equal(number, end);
}

/* Over to the other area, with the packets from `first` on. */
static void move(u64 first, u32 sub, u32 nr)
{
	struct area *area = ring.data == areas[0].data ? &areas[1] : &areas[0];
	struct kt_read_info info;
	struct kt_ring to;
	u64 seq = first, next;

	memset(area, 0xa5, sizeof(*area));
	own_ring_attach(&to, &ctl, area->commit, area->data, sub, nr, 3);
	/* Complete ones ahead: the oldest of a full ring is gone once the next packet is announced. */
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

	(void)state;
	memset(&ctl, 0, sizeof(ctl));
	memset(areas, 0, sizeof(areas));
	own_ring_init(&ring, &ctl, areas[0].commit, areas[0].data, SUB, 4, 3, uuid);
	return 0;
}

/* Back and forth, to more and larger sub-buffers, to fewer: every record in its place. */
static void test_moves(void **state)
{
	u64 total, newest, oldest;

	(void)state;
	write_some(0, 1200);
	move(0, SUB, 8);
	write_some(1200, 1500);
	own_ring_position(&ring, &total, &newest, &oldest);
	assert_int_equal(total, 2700);
	assert_int_equal(oldest, 0);
	check_all(0, newest, 0, 2700);

	move(2, BIG, 16);
	own_ring_position(&ring, &total, &newest, &oldest);
	write_some(2700, 3000);
	assert_int_equal(ctl.first_seq, 2);
	own_ring_position(&ring, &total, &newest, NULL);
	assert_int_equal(total, 5700);
	check_all(2, newest, oldest, 5700);
	assert_int_equal(ctl.discarded, 2);
	assert_int_equal(ctl.generation, 2);
}

/* A ring that keeps nothing, and laps after that: the oldest packet is never one from before. */
static void test_empty_move(void **state)
{
	u64 total, newest, oldest, was;

	(void)state;
	write_some(0, 3000);
	own_ring_position(&ring, &total, &newest, NULL);
	move(newest + 1, SUB, 2);
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

/* In discard mode what was not seen stays, also where there is less room than it takes. */
static void test_discard(void **state)
{
	u64 total, newest, oldest;

	(void)state;
	ring.discard = true;
	write_some(0, 5000);
	own_ring_position(&ring, &total, &newest, &oldest);
	assert_int_equal(oldest, 0);
	move(0, SUB, 8);
	write_some(total, 10);
	own_ring_position(&ring, &oldest, &newest, NULL);
	assert_int_equal(oldest, total + 10);
	check_all(0, newest, 0, total + 10);
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_moves), TEST(test_empty_move), TEST(test_discard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
