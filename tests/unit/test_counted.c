// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of tracepoints that count: sorting, entries of the same key, and what each format prints. */
#include "unit.h"

#include <stdlib.h>

#include "ctl/ask/plan/plan.h"
#include "ctl/base/memory.h"
#include "ctl/live/aggregate/counted.h"
#include "ctl/live/session/session_target.h"
#include "fake_setup.h"

static struct plans plans;
static struct error err;

/* A table of this tracepoint with n entries of so many words. */
static struct counted table_of(const char *line, const uint64_t *entries, size_t n, size_t words)
{
	AUTO_REQUESTS struct requests requests = { 0 };
	AUTO_WORDS struct words typed = { 0 };
	struct target target = session_target(&fake->session);
	struct counted counted = { 0 };

	assert_int_equal(lex_command(&line, &typed, &err), LEX_COMMAND);
	if (!requests_parse(&typed, 0, &requests, &err) || !plan_request(&target, &requests.v[0], &plans, &err))
		fail_msg("%s: %s", line, err.text);
	counted.desc = plans.v[0].desc;
	counted.data = (struct aggregate_data){
		.entries = malloc(n * words * sizeof(*entries) + 1), .n = n, .words = words,
		.key_words = (aggregate_request(counted.desc).key_bytes + 7) / 8,
	};
	if (n)
		memcpy(counted.data.entries, entries, n * words * sizeof(*entries));
	counted_sort(&counted);
	return counted;
}

static void drop(struct counted *counted)
{
	counted_free(counted);
	plans_free(&plans);
}

/* An entry of `BY STR $rsi:5`: the mask, 8 bytes of text, padding, the count. */
static void text_entry(uint64_t entry[3], const char *key, uint64_t count)
{
	memset(entry, 0, 24);
	strncpy((char *)entry + 4, key, 8);
	entry[2] = count;
}

/* What is printed from here on. */
static FILE *was, *out;
static char *text;
static size_t text_len;

static void rewound(void)
{
	was = fake->session.out;
	out = fake->session.out = open_memstream(&text, &text_len);
}

/* Valid until the next call. */
static const char *printed(void)
{
	static char copy[8192];

	fclose(out);
	snprintf(copy, sizeof(copy), "%s", text);
	free(text);
	fake->session.out = was;
	return copy;
}

/* A text of just the length is whole; those that are cut after the same characters are one row. */
static void test_cut(void **state)
{
	static const char *const keys[] = { "abcde", "abcdef", "abcdefgh", "abcdeXYZ", "abc" };
	uint64_t entries[ARRAY_SIZE(keys)][3];
	struct counted counted;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		text_entry(entries[i], keys[i], 1 << i);
	counted = table_of("vfs_write COUNT BY STR $rsi:5", entries[0], ARRAY_SIZE(keys), 3);
	rewound();
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	assert_string_equal(printed(), "vfs_write COUNT BY STR $rsi:5\nstring    count\nabc          16\nabcde...     14\nabcde         1\n");
	drop(&counted);
}

static void test_count(void **state)
{
	/* Two entries have the same key; one has not counted yet. */
	const uint64_t entries[] = { 7, 5, 9, 1000, 7, 6, 8, 0 };
	struct counted counted = table_of("vfs_write COUNT BY PID", entries, 4, 2);
	const char *said;

	assert_int_equal(counted.n, 2);
	assert_int_equal(counted_hits(&counted), 1011);
	rewound();
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	assert_string_equal(printed(), "vfs_write COUNT BY PID\npid  count\n  9  1,000\n  7     11\n");
	counted.data.lost = 3;
	rewound();
	counted_text(&fake->session, &counted, NULL, 1);
	assert_contains(printed(), "... and 1 more keys\nktrace: warning: 3 hits lost");
	rewound();
	counted_json(&fake->session, &counted);
	said = printed();
	assert_contains(said, "\"rows\":[{\"key\":[{\"name\":\"pid\",\"value\":9}],\"count\":1000},");
	assert_contains(said, "\"keys\":4096,\"lost\":3,\"unreadable\":0,\"braked\":0}");
	drop(&counted);
}

/* Sums of 128 bits, negative ones, and those that carry where entries of the same key are added. */
static void test_sum(void **state)
{
	const uint64_t entries[] = { 1, 2, UINT64_MAX, 0, 1, 1, 1, 0, 2, 1, -5ULL, UINT64_MAX };
	struct counted counted = table_of("vfs_write SUM (s64)$rdi BY PID", entries, 3, 4);

	rewound();
	counted.braked = 7;
	counted_csv(&fake->session, &counted);
	assert_string_equal(printed(),
			    "type,name,options,key,count,value,low,high,lost,unreadable,braked\n"
			    "aggregate,\"vfs_write\",\"SUM (s64)$rdi BY PID\",\"pid=1\",3,18446744073709551616,,,,,\n"
			    "aggregate,\"vfs_write\",\"SUM (s64)$rdi BY PID\",\"pid=2\",1,-5,,,,,\n"
			    "aggregate,\"vfs_write\",\"SUM (s64)$rdi BY PID\",\"\",,,,,0,0,7\n");
	drop(&counted);
}

static void check_extreme(const char *line, const char *expected)
{
	const uint64_t entries[] = { 1, 2, -3ULL, 0, 1, 1, 4, 0 };
	struct counted counted = table_of(line, entries, 2, 4);
	const char *said;

	rewound();
	counted.braked = 3;
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	said = printed();
	assert_contains(said, expected);
	assert_contains(said, "\nktrace: warning: 3 hits not counted since it was set, because the brake turned them away");
	drop(&counted);
}

static void test_extremes(void **state)
{
	check_extreme("vfs_write MIN (s64)$rdi BY PID", "\n  1   -3      3\n");
	check_extreme("vfs_write MAX (s64)$rdi BY PID", "\n  1    4      3\n");
	check_extreme("vfs_write MAX $rdi BY PID", "18,446,744,073,709,551,613");
}

static void test_average(void **state)
{
	const uint64_t entries[] = { 3, 10, 0 };
	struct counted counted = table_of("vfs_write AVG $rdi", entries, 1, 3);

	rewound();
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	assert_string_equal(printed(), "vfs_write AVG $rdi\navg  count\n3.3      3\n");
	drop(&counted);
}

static void test_histogram(void **state)
{
	uint64_t entries[1 + KT_AGG_HIST_BUCKETS] = { 5 };
	struct counted counted;
	const char *said;

	entries[1 + 2] = 3;		/* the value 1 */
	entries[1 + 12] = 6;		/* 1,024 to 2,047 */
	entries[1 + 65] = 1;
	counted = table_of("vfs_write HIST $rdi BY PID", entries, 1, 1 + KT_AGG_HIST_BUCKETS);
	rewound();
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	said = printed();
	assert_contains(said, "pid 5  count 10\n");
	assert_contains(said, " 1,024 - ");
	assert_contains(said, " 2,047            6  ########################################\n");
	assert_contains(said, "9,223,372,036,854,775,808 - 18,446,744,073,709,551,615            1  ");
	rewound();
	counted_json(&fake->session, &counted);
	assert_contains(printed(), "\"count\":10,\"buckets\":[{\"low\":1,\"high\":2,\"count\":3},");
	drop(&counted);
}

static void test_empty(void **state)
{
	struct counted counted = table_of("vfs_write COUNT BY COMM", NULL, 0, 3);

	rewound();
	counted_text(&fake->session, &counted, NULL, NO_LIMIT);
	assert_string_equal(printed(), "vfs_write COUNT BY COMM\n  nothing was counted\n");
	drop(&counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count), cmocka_unit_test(test_cut),	cmocka_unit_test(test_sum),	  cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_average), cmocka_unit_test(test_histogram), cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
