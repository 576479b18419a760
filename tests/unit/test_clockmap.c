// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clockmap.c - ticks to wall-clock time and durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/ratio.h"
#include "ctl/base/device/clockmap.h"

#define EPOCH	1795000000000000000LL	/* 2026 */
#define S	1000000000LL

/* A clock of 2.6 GHz, ns = ticks * 10 / 26. */
static struct clockmap *make(const struct kt_anchor *anchors, size_t nr)
{
	const struct kt_clock clock = { .nr = nr, .ns_num = 10, .ns_den = 26 };

	return clockmap_create(&clock, anchors);
}

static void test_delta(void **state)
{
	struct clockmap *map = make(NULL, 0);

	assert_int_equal(clockmap_delta_ns(map, 0, 2600), 1000);
	assert_int_equal(clockmap_delta_ns(map, 2600, 0), -1000);
	assert_int_equal(clockmap_delta_ns(map, 5, 5), 0);
	/* A month of ticks: the product does not fit 64 bits. */
	assert_int_equal(clockmap_delta_ns(map, 1ULL << 60, (1ULL << 60) + 26 * 30 * 86400 * (S / 10)),
			 30 * 86400 * S);
	assert_int_equal(clockmap_wall_ns(map, 2600), 1000);
	clockmap_free(map);
}

static void test_no_ratio(void **state)
{
	const struct kt_clock clock = { .ns_num = 5 };
	struct clockmap *map = clockmap_create(&clock, NULL);

	assert_int_equal(clockmap_delta_ns(map, 10, 17), 7);
	clockmap_free(map);
}

static void test_one_anchor(void **state)
{
	const struct kt_anchor anchors[] = { { 26000, EPOCH } };
	struct clockmap *map = make(anchors, 1);

	assert_int_equal(clockmap_wall_ns(map, 26000), EPOCH);
	assert_int_equal(clockmap_wall_ns(map, 52000), EPOCH + 10000);
	assert_int_equal(clockmap_wall_ns(map, 0), EPOCH - 10000);
	clockmap_free(map);
}

/* Slewed by 100 ppm in the first interval: between two anchors their own rate counts. */
static void test_between_anchors(void **state)
{
	const struct kt_anchor anchors[] = {
		{ 0, EPOCH }, { 26 * S / 10, EPOCH + S + 100000 }, { 52 * S / 10, EPOCH + 2 * S + 100000 },
	};
	struct clockmap *map = make(anchors, 3);

	assert_int_equal(clockmap_wall_ns(map, 13 * S / 10), EPOCH + S / 2 + 50000);
	assert_int_equal(clockmap_wall_ns(map, 26 * S / 10), EPOCH + S + 100000);
	assert_int_equal(clockmap_wall_ns(map, 26 * S / 10 - 26), EPOCH + S + 100000 - 10);
	assert_int_equal(clockmap_wall_ns(map, 39 * S / 10), EPOCH + 3 * S / 2 + 100000);
	/* Behind the last anchor the rate of the last interval counts. */
	assert_int_equal(clockmap_wall_ns(map, 78 * S / 10), EPOCH + 3 * S + 100000);
	clockmap_free(map);
}

/* Prints before and after the next anchor differ at most by rounding. */
static void test_stable(void **state)
{
	struct kt_anchor anchors[4];

	/* The clock is adjusted by 37 ppm. */
	for (int i = 0; i < 4; i++)
		anchors[i] = (struct kt_anchor){ i * 52 * S / 10, EPOCH + i * (2 * S + 74000) };
	for (uint64_t ticks = 2 * 52 * S / 10; ticks < (uint64_t)(3 * 52 * S / 10); ticks += 12345677) {
		struct clockmap *early = make(anchors, 3), *late = make(anchors, 4);
		int64_t off = clockmap_wall_ns(early, ticks) - clockmap_wall_ns(late, ticks);

		assert_in_range(off + 1, 0, 2);
		clockmap_free(early);
		clockmap_free(late);
	}
}

/* The clock is set by an hour between two anchors, forward and back. */
static void test_step(void **state)
{
	for (int64_t step = -3600 * S; step <= 3600 * S; step += 7200 * S) {
		const struct kt_anchor anchors[] = {
			{ 0, EPOCH }, { 26 * S, EPOCH + 10 * S + step },
		};
		struct clockmap *map = make(anchors, 2);

		assert_int_equal(clockmap_wall_ns(map, 13 * S), EPOCH + 5 * S);
		assert_int_equal(clockmap_wall_ns(map, 26 * S), EPOCH + 10 * S + step);
		assert_int_equal(clockmap_wall_ns(map, 39 * S), EPOCH + 15 * S + step);
		clockmap_free(map);
	}
}

static void test_many_anchors(void **state)
{
	struct kt_anchor anchors[100];
	struct clockmap *map;

	for (int i = 0; i < 100; i++)
		anchors[i] = (struct kt_anchor){ i * 26 * S / 10, EPOCH + i * S };
	map = make(anchors, 100);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(clockmap_wall_ns(map, i * 26 * (S / 100)), EPOCH + i * (S / 10));
	clockmap_free(map);
}

/* Two anchors at the same tick must not cause a division by zero. */
static void test_twin_anchors(void **state)
{
	const struct kt_anchor anchors[] = { { 26, EPOCH }, { 26, EPOCH + 5 } };
	struct clockmap *map = make(anchors, 2);

	assert_int_equal(clockmap_wall_ns(map, 26), EPOCH + 5);
	assert_int_equal(clockmap_wall_ns(map, 0), EPOCH - 10);
	clockmap_free(map);
}

static uint64_t dice(uint64_t sides)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 24) % sides;
}

/*
 * A recording has the clock of other readers of CTF, who round down. It fits the newest anchors; the time of day was set before
 * them.
 */
static void test_line(void **state)
{
	const struct kt_clock clock = { .nr = 5, .ns_num = 10, .ns_den = 26 };
	struct kt_anchor anchors[5] = { { 0, EPOCH - 3600 * S } };
	struct clockmap *map, *plain;
	struct clock_line line;

	/* Slewed by 40 ppm. */
	for (int i = 1; i < 5; i++)
		anchors[i] = (struct kt_anchor){ i * 52 * S / 10, EPOCH + i * (2 * S + 80000) };
	line = clockmap_line(&clock, anchors);
	assert_int_equal(line.frequency, 2599896004);
	assert_int_equal(line.from, anchors[1].ticks);
	map = clockmap_create_line(&clock, anchors);
	plain = clockmap_create(&clock, anchors);
	for (uint64_t ticks = anchors[1].ticks; ticks < (uint64_t)(30 * S); ticks += 98765431) {
		const int64_t reader = line.seconds * S + (int64_t)(1e9 * line.cycles / line.frequency) +
				       (int64_t)(1e9 * ticks / line.frequency);

		assert_int_equal(clockmap_wall_ns(map, ticks), reader);
		assert_in_range(reader - clockmap_wall_ns(plain, ticks) + 10, 0, 20);
	}
	assert_int_equal(clockmap_wall_ns(map, 26), EPOCH - 3600 * S + 10);
	assert_false(clockmap_is_set_between(map, anchors[1].ticks, anchors[3].ticks));
	assert_true(clockmap_is_set_between(map, 26, anchors[3].ticks));
	assert_true(clockmap_is_set_between(plain, anchors[3].ticks, 26));
	assert_false(clockmap_is_set_between(plain, 26, 52));
	clockmap_free(map);
	clockmap_free(plain);
	line = clockmap_line(&(struct kt_clock){ .ns_num = 10, .ns_den = 26 }, NULL);
	assert_true(line.frequency == 2600000000 && !line.seconds && !line.cycles && !line.from);
}

/* Other readers divide in floating point: of ticks just below a whole nanosecond, they show the next one. */
static void test_line_rounds(void **state)
{
	const struct kt_clock clock = { .nr = 2, .ns_num = 10, .ns_den = 26 };
	const struct kt_anchor anchors[] = { { 0, EPOCH }, { 52 * S / 10, EPOCH + 2 * S + 80000 } };
	const struct clock_line line = clockmap_line(&clock, anchors);
	struct clockmap *map = clockmap_create_line(&clock, anchors);
	int others = 0;

	for (int i = 0; i < 100000; i++) {
		const uint64_t ticks = (unsigned __int128)(dice(24 * 3600) * S + dice(S)) * line.frequency / S;
		const int64_t ns = 1e9 * (double)ticks / (double)line.frequency;

		others += ns != (int64_t)((unsigned __int128)ticks * S / line.frequency);
		assert_int_equal(clockmap_wall_ns(map, ticks) - clockmap_wall_ns(map, 0), ns);
	}
	assert_in_range(others, 100, 10000);
	clockmap_free(map);
}

/* The measured rate is off by less than 1 ns; from 2^(shift + 1) ticks on it is the kernel's ratio. */
static void check_ratio(uint64_t mult, unsigned int shift, uint64_t ticks)
{
	const unsigned __int128 frac = dice(1ULL << shift);
	const uint64_t ns = (frac + (unsigned __int128)ticks * mult) >> shift;
	const struct kt_ratio got = kt_ratio(ns, ticks);
	const __int128 off = (__int128)ticks * got.num - (__int128)ns * got.den;

	assert_int_not_equal(got.num, 0);
	assert_true(off > -(__int128)got.den && off < (__int128)got.den);
	if (ticks < 2ULL << shift)
		return;
	assert_true((unsigned __int128)got.num << shift == (unsigned __int128)mult * got.den);
	assert_true(got.den <= 1ULL << shift);
}

static void test_ratio(void **state)
{
	for (unsigned int i = 0; i < 200000; i++) {
		const unsigned int shift = dice(33);

		check_ratio(1 + dice(1ULL << 31), shift, 1 + dice(1ULL << (1 + dice(31))));
	}
	/* 2.6 GHz for a month; a counter of 62.5 MHz at once. */
	check_ratio(6453056, 24, 2600000000ULL * 30 * 86400);
	assert_int_equal(kt_ratio(1600, 100).num, 16);
	assert_int_equal(kt_ratio(1600, 100).den, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_no_ratio),
		cmocka_unit_test(test_one_anchor),
		cmocka_unit_test(test_between_anchors),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_many_anchors),
		cmocka_unit_test(test_twin_anchors), cmocka_unit_test(test_line), cmocka_unit_test(test_line_rounds),
		cmocka_unit_test(test_ratio),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
