// SPDX-License-Identifier: GPL-2.0-or-later
/* test_condition.c - --fail-if. */
#include "unit.h"

#include <stdlib.h>

#include "ctl/base/duration.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/condition.h"
#include "sample.h"

/* 200 calls of 10 to 19 us, 20 of a millisecond. */
static void fill(struct measurement *m)
{
	*m = (struct measurement){ .ns_per_tick = 1, .lost = 3, .open = 1 };
	for (int i = 0; i < 200; i++)
		samples_add(&m->all, 10000 + i % 10 * 1000);
	for (int i = 0; i < 20; i++)
		samples_add(&m->all, 1000000);
}

static bool holds(const struct measurement *m, const char *text, char *buf, size_t size)
{
	struct error err;
	struct condition *c = condition_parse(text, &err);
	bool yes;

	if (!c)
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(condition_text(c), text);
	yes = condition_holds(c, m, buf, size);
	condition_free(c);
	return yes;
}

static void test_holds(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "count==220", true }, { "count != 220", false }, { "count>=220", true }, { "count>220", false }, { "lost>0", true },
		{ "max>999us", true }, { "max>=1ms", true }, { "max>1ms", false }, { "max < 1.0001ms", true }, { "max==0.001s", true },
		{ "min==10000ns", true }, { "p50>14us", true }, { "p50>20us", false }, { "p90 > 18us", true }, { "p99.9 > 0.9ms", false }, { "p99<1s", false },
		{ "mean>1s || max>0.5ms", true }, { "mean>1s&&max>0.5ms", false }, { "count==1 || lost==3 && unpaired==1", true },
		{ "lost==3 && count==1 || unpaired==2", false }, { "  stddev>1us ", true }, { "total>1ms", true }, { "ci99>1s", false },
	};
	struct measurement m;
	char buf[256];

	fill(&m);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (holds(&m, cases[i].text, buf, sizeof(buf)) != cases[i].holds)
			fail_msg("'%s' %s", cases[i].text, cases[i].holds ? "does not hold" : "holds");
	assert_true(holds(&m, "count==1 || max>0.5ms && lost==3", buf, sizeof(buf)));
	assert_string_equal(buf, "max is 1.00 ms, lost is 3");
	free(m.all.buckets);
}

/* Without calls there is no shortest time. */
static void test_nothing(void **state)
{
	const struct measurement m = { .ns_per_tick = 1 };
	char buf[256];

	assert_false(holds(&m, "p99<1us", buf, sizeof(buf)));
	assert_false(holds(&m, "p99>1us", buf, sizeof(buf)));
	assert_true(holds(&m, "count==0", buf, sizeof(buf)));
}

/* A percentile needs samples beyond it. */
static void test_unknown(void **state)
{
	static const struct {
		const char *text, *unknown;
		unsigned int least;
	} cases[] = {
		{ "max>1s || count==3", NULL, 0 }, { "p90>1s", NULL, 0 }, { "max>1s && p99>1s", "p99", 1000 }, { "p99.9<1s", "p99.9", 10000 },
	};
	struct measurement m;
	struct condition *c;
	const char *unknown;
	struct error err;
	uint64_t least;

	fill(&m);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		c = condition_parse(cases[i].text, &err);
		least = 0;
		unknown = condition_unknown(c, &m, &least);
		assert_int_equal(least, cases[i].least);
		assert_true(!unknown == !cases[i].unknown && (!unknown || !strcmp(unknown, cases[i].unknown)));
		condition_free(c);
	}
	free(m.all.buckets);
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"", " ", "p99", "p99>", "p99>50", "p99>us", "p99>50u", "p99>50 us", "count>5us", "p98>5us", "p99=5us", "p99>>5us", "5us<p99",
		"p99>5us &&", "|| p99>5us", "p99>5us & lost>0", "p99>5us lost>0", "p99>-5us", "p99>infs", "p99>nanns", "p99>0x10us",
		"p99>1e999us", "p99>5us)", "(p99>5us)",
	};
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (condition_parse(wrong[i], &err))
			fail_msg("'%s' is accepted", wrong[i]);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_contains(err.text, "--fail-if");
	}
	condition_parse("p98>5us", &err);
	assert_contains(err.text, "p99");
}

static void test_durations(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = { { 0, "0" }, { 0.4, "0.40 ns" }, { 9.994, "9.99 ns" }, { 9.996, "10.0 ns" }, { 99.94, "99.9 ns" },
		      { 99.96, "100 ns" }, { 999.4, "999 ns" }, { 999.6, "1.00 us" }, { 1234567, "1.23 ms" }, { 61e9, "61.0 s" },
		      { 5e12, "5000 s" } };
	char buf[DURATION_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(duration_text(cases[i].ns, buf), cases[i].text);
	assert_string_equal(count_text(0, buf), "0");
	assert_string_equal(count_text(999, buf), "999");
	assert_string_equal(count_text(1000, buf), "1,000");
	assert_string_equal(count_text(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds), cmocka_unit_test(test_nothing), cmocka_unit_test(test_unknown), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
