// SPDX-License-Identifier: GPL-2.0-or-later
/* The buckets of durations, and sums of squares, compared with plain arithmetic. */
#include "unit.h"

#include <stdlib.h>

#include "core/samples.h"

/* Values around each power of two, and some between. */
static void each_value(void (*check)(uint64_t value))
{
	for (uint64_t value = 0; value < 4096; value++)
		check(value);
	for (unsigned int bit = 12; bit < 64; bit++)
		for (int64_t off = -3; off <= 3; off++)
			check((1ULL << bit) + off);
	for (unsigned int i = 0; i < 100000; i++)
		check(((uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ rand()) >> rand() % 60);
	check(UINT64_MAX);
}

static void check_bounds(uint64_t value)
{
	const uint32_t i = kt_hist_index(value);

	if (value >> KT_HIST_BITS) {
		assert_int_equal(i, KT_HIST_OVER);
		return;
	}
	assert_true(i < KT_HIST_OVER);
	assert_true(kt_hist_low(i) <= value);
	assert_true(value - kt_hist_low(i) < kt_hist_width(i));
}

static void check_error(uint64_t value)
{
	const uint64_t middle = kt_hist_middle(kt_hist_index(value));
	const uint64_t error = middle > value ? middle - value : value - middle;

	if (!(value >> KT_HIST_BITS))
		assert_true(error * 128 <= value);
}

static void test_bounds(void **state)
{
	each_value(check_bounds);
}

static void test_error_below_one_percent(void **state)
{
	each_value(check_error);
}

static void test_buckets_adjoin(void **state)
{
	for (uint32_t i = 0; i + 1 < KT_HIST_OVER; i++)
		assert_int_equal(kt_hist_low(i) + kt_hist_width(i), kt_hist_low(i + 1));
	assert_int_equal(kt_hist_low(KT_HIST_OVER - 1) + kt_hist_width(KT_HIST_OVER - 1), 1ULL << KT_HIST_BITS);
}

static struct kt_samples counted;
static unsigned __int128 squares, sum;
static uint64_t count, least, most;

static void add_value(uint64_t value)
{
	/* A sum never needs more than 128 bits. */
	value >>= 8;
	kt_samples_add(&counted, value, 1);
	squares += (unsigned __int128)value * value;
	sum += value;
	least = value < least ? value : least;
	most = value > most ? value : most;
	count++;
}

static void test_samples(void **state)
{
	kt_samples_clear(&counted);
	least = UINT64_MAX;
	each_value(add_value);
	assert_int_equal(counted.count, count);
	assert_int_equal(counted.sum, (uint64_t)sum);
	assert_int_equal(counted.taken_off, count);
	assert_int_equal(counted.square_low, (uint64_t)squares);
	assert_int_equal(counted.square_high, (uint64_t)(squares >> 64));
	assert_int_equal(counted.min, least);
	assert_int_equal(counted.max, most);
}

static void test_merge(void **state)
{
	struct kt_samples a, b, both, merged;

	kt_samples_clear(&a);
	kt_samples_clear(&b);
	kt_samples_clear(&both);
	kt_samples_clear(&merged);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t value = 0xffffffffffULL * i + i;

		kt_samples_add(i % 3 ? &a : &b, value, i);
		kt_samples_add(&both, value, i);
	}
	kt_samples_merge(&merged, &a);
	kt_samples_merge(&merged, &b);
	assert_memory_equal(&merged, &both, sizeof(both));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_error_below_one_percent),
		cmocka_unit_test(test_buckets_adjoin),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
