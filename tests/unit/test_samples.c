// SPDX-License-Identifier: GPL-2.0-or-later
/* test_samples.c - figures from moments and buckets, compared with the same figures from all values. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/bars.h"
#include "sample.h"

#define MOST	20000

/* The largest error of a percentile. */
#define ERROR	0.01

static void check_near(const char *what, double got, double want, double relative)
{
	if (fabs(got - want) > relative * fabs(want) + 1e-9)
		fail_msg("%s is %.17g where %.17g is right", what, got, want);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double exact_deviation(const uint64_t *v, size_t n)
{
	long double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i];
	mean /= n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sqrtl(squares / (n - 1)) : 0;
}

static void check_percentiles(const struct samples *s, const uint64_t *sorted, size_t n)
{
	static const double parts[] = { 0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const long double rank = ceill(parts[i] * (long double)n - 1e-9L * n);
		const double want = sorted[rank < 1 ? 0 : (size_t)rank - 1];
		const double got = samples_percentile(s, parts[i]);

		if (fabs(got - want) > ERROR * want)
			fail_msg("of %zu values the %g-th is %g where %g is right", n, parts[i], got, want);
	}
	assert_true(samples_percentile(s, 0) == s->min && samples_percentile(s, 1) == s->max);
}

static void check(const uint64_t *values, size_t n)
{
	AUTO_FREE uint64_t *sorted = mem_zalloc(n, sizeof(*sorted));
	struct samples s = { 0 };
	long double sum = 0;

	for (size_t i = 0; i < n; i++) {
		samples_add(&s, values[i]);
		sorted[i] = values[i];
		sum += values[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	check_near("mean", samples_mean(&s), sum / n, 1e-12);
	check_near("deviation", samples_deviation(&s), exact_deviation(values, n), 1e-6);
	check_percentiles(&s, sorted, n);
	free(s.buckets);
}

/*
 * Very different durations: even, skewed, of two kinds, of one value, from 1 to beyond the middle of all
 * buckets.
 */
static uint64_t draw(unsigned int kind, uint64_t *state)
{
	const double u = sample_uniform(state), v = sample_uniform(state);

	switch (kind) {
	case 0: return (uint64_t)(1 + 1000 * u);
	case 1: return (uint64_t)(300 * -log(u));
	case 2: return (uint64_t)exp(32 * u * u);
	case 3: return (uint64_t)((u < 0.98 ? 5000 : 8e6) * (1 + 0.1 * v));
	case 4: return 123456789;
	case 5: return u < 0.5 ? 0 : (uint64_t)(130 * v);
	default: return (uint64_t)(1e12 * (1 + 1e-4 * u));
	}
}

static void test_random(void **state)
{
	AUTO_FREE uint64_t *values = mem_zalloc(MOST, sizeof(*values));
	uint64_t random = 42;

	for (unsigned int kind = 0; kind < 7; kind++) {
		for (size_t n = 1; n <= MOST; n = n * 3 + 1) {
			for (size_t i = 0; i < n; i++)
				values[i] = draw(kind, &random);
			check(values, n);
		}
	}
}

/* From tables of Student's distribution, two-sided 99 %. */
static void test_confidence(void **state)
{
	static const struct {
		unsigned int n;
		double t;
	} table[] = { { 2, 63.657 }, { 3, 9.925 }, { 6, 4.032 }, { 11, 3.169 }, { 12, 3.106 }, { 16, 2.947 }, { 21, 2.845 },
		      { 31, 2.750 }, { 61, 2.660 }, { 121, 2.617 }, { 100001, 2.576 } };
	uint64_t random = 7;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct samples s = { 0 };

		for (unsigned int n = 0; n < table[i].n; n++)
			samples_add(&s, sample_random(&random) % 1000);
		check_near("t", samples_confidence(&s) / samples_deviation(&s) * sqrt(s.count), table[i].t, 3e-4);
		free(s.buckets);
	}
}

/* The interval contains the true mean 99 times in a hundred. */
static void test_coverage(void **state)
{
	uint64_t random = 99;
	int inside = 0;

	for (int i = 0; i < 2000; i++) {
		struct samples s = { 0 };

		for (int n = 0; n < 50; n++)
			samples_add(&s, (uint64_t)(1e6 * (sample_uniform(&random) + sample_uniform(&random))));
		inside += fabs(samples_mean(&s) - 1e6) <= samples_confidence(&s) + 0.5;
		free(s.buckets);
	}
	if (inside < 1960 || inside > 1998)
		fail_msg("in %d of 2000 trials the mean is in its interval", inside);
}

static void test_few(void **state)
{
	struct samples s = { 0 };

	assert_true(samples_mean(&s) == 0 && samples_deviation(&s) == 0 && samples_confidence(&s) == 0 &&
		    samples_percentile(&s, 0.5) == 0);
	samples_add(&s, 77);
	assert_true(samples_mean(&s) == 77 && samples_deviation(&s) == 0 && samples_confidence(&s) == 0 &&
		    samples_percentile(&s, 0.99) == 77);
	samples_add(&s, UINT64_C(1) << 60);
	assert_true(samples_percentile(&s, 0.5) == 77 && samples_percentile(&s, 0.99) == (double)(UINT64_C(1) << 60));
	free(s.buckets);
}

/* ---------------------------------------------------------------------- rows */

static void check_rows(const struct measurement *m, size_t at_most)
{
	struct bars rows = bars_make(m, &m->all, at_most);
	uint64_t sum = 0;

	assert_in_range(rows.n, 1, at_most);
	assert_true(rows.v[0].from <= measure_ns(m, m->all.min));
	assert_true(rows.v[rows.n - 1].to > measure_ns(m, m->all.max));
	for (size_t i = 0; i < rows.n; i++) {
		assert_true(rows.v[i].from < rows.v[i].to && (!i || rows.v[i].from == rows.v[i - 1].to));
		assert_true(rows.v[i].up_to == (sum += rows.v[i].count));
	}
	assert_int_equal(sum, m->all.count);
	assert_true(rows.v[0].count && rows.v[rows.n - 1].count);
	bars_free(&rows);
}

static void test_rows(void **state)
{
	static const double ticks[] = { 0.01, 0.4, 1, 100 };
	uint64_t random = 5;

	for (unsigned int kind = 0; kind < 7; kind++) {
		for (size_t i = 0; i < ARRAY_SIZE(ticks); i++) {
			struct measurement m = { .ns_per_tick = ticks[i] };

			for (int n = 0; n < 300; n++) {
				samples_add(&m.all, draw(kind, &random));
				if (n % 30 == 0) {
					check_rows(&m, 4 + n % 50);
					check_rows(&m, 20);
				}
			}
			free(m.all.buckets);
		}
	}
}

static void test_burden(void **state)
{
	struct measurement m = { .began = 1000, .ended = 3000, .all = { .count = 10, .taken_off = 1500 } };

	assert_true(measure_burden(&m) == 0.75);
	m.ended = m.began;
	assert_true(measure_burden(&m) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_confidence), cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_few),    cmocka_unit_test(test_rows),
		cmocka_unit_test(test_burden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
