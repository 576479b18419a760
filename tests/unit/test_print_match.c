// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print_match.c - conditions of a print: which records match. */
#include "print_scene.h"

#include <math.h>

#include "ctl/trace/print/match.h"

static void add_for_match(void)
{
	add_example();
	records[1].cpu = 3;
	add_several(50000);
}

/* How many of the records match?  Closes the printer. */
static size_t count_matches(struct printer *printer, const char *condition)
{
	struct error err;
	struct match *match = match_parse(condition, &err);
	size_t n;

	if (!match)
		fail_msg("%s", err.text);
	printer_match(printer, match);
	n = printer_count(printer, &snap);
	match_free(match);
	close_printer(printer);
	free(text);
	return n;
}

static size_t matches(const char *condition)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_for_match();
	return count_matches(printer, condition);
}

static void test_match(void **state)
{
	static const struct {
		const char *condition;
		size_t n;
	} rows[] = {
		{ "pid == 4127", 2 }, { "pid==4127", 2 }, { "pid != 4127", 0 }, { "pid > 4126 && pid < 0x1020", 2 }, { "pid", 2 },
		{ "pid & 1", 2 }, { "pid & 0x20", 0 }, { "!(pid == 4127)", 2 }, { "!pid", 2 }, { "pid == -1", 0 },
		{ "name == vfs_write", 2 }, { "name =~ vfs_*", 3 }, { "name !~ vfs_*", 1 }, { "name != \"vfs_write\"", 2 },
		{ "cpu == 3", 1 }, { "cpu == 3 || rdi", 2 }, { "rdi == init_task", 1 }, { "rdi =~ init*", 1 },
		{ "rdi == 0xffff888102a3c000", 1 }, { "rdi > 0", 1 }, { "comm == dd", 1 }, { "comm =~ \"d?\"", 1 }, { "comm != dd", 0 },
		{ "(comm == dd || pid) && (uid == 1000 || cpu == 3)", 2 }, { "tgid <= 4 && uid >= 1us", 1 }, { "uid == 1000.0", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (matches(rows[i].condition) != rows[i].n)
			fail_msg("%s: %zu", rows[i].condition, matches(rows[i].condition));
}

static void test_match_wrong(void **state)
{
	static const char *const wrong[] = {
		"", " ", "pid ==", "pid == 3 4", "== 3", "pid == 3 &&", "(pid == 3", "pid == 3)", "comm > dd", "comm == \"dd", "pid & x", "!",
	};
	struct error err = { 0 };
	char deep[200];

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (match_parse(wrong[i], &err))
			fail_msg("'%s' is taken", wrong[i]);
		assert_int_equal(err.status, STATUS_USAGE);
	}
	memset(deep, '!', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	assert_null(match_parse(deep, &err));
}

static size_t floats_match(const char *condition, double number)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_floats(number);
	return count_matches(printer, condition);
}

static void test_match_floats(void **state)
{
	static const struct {
		const char *condition;
		double number;
		size_t n;
	} rows[] = {
		{ "wide == 0.1", 0.1, 1 }, { "single == 0.1", 0.1, 1 }, { "single < 0.1", 0.1, 0 }, { "wide > -3 && wide < -2", -2.5, 1 },
		{ "wide == 1e300", 1e300, 1 }, { "wide", -0.0, 0 }, { "wide", 0.5, 1 }, { "wide == nan", NAN, 1 }, { "single == inf", 1e300, 1 },
		{ "wide == -inf", -INFINITY, 1 }, { "wide < 0", NAN, 0 }, { "wide != 0.1", 0.1, 0 }, { "wide & 1", 1.5, 0 },
		{ "single != nan", 1, 1 }, { "wide =~ \"1e*\"", 1e300, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (floats_match(rows[i].condition, rows[i].number) != rows[i].n)
			fail_msg("%s of %g", rows[i].condition, rows[i].number);
}

/* A name that no record has. */
static void test_match_unknown(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct error err;
	struct match *match = match_parse("pid == 1 || (file->f_pos == 3 && *(u32*)($rdi + 4))", &err);

	assert_null(match_unknown(match));
	add_for_match();
	printer_match(printer, match);
	assert_int_equal(printer_count(printer, &snap), 0);
	assert_string_equal(match_unknown(match), "file->f_pos");
	match_free(match);
	match = match_parse("*(u32*)($rdi + 4) == 3", &err);
	printer_match(printer, match);
	printer_count(printer, &snap);
	assert_string_equal(match_unknown(match), "*(u32*)($rdi + 4)");
	match_free(match);
	close_printer(printer);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match), cmocka_unit_test(test_match_wrong), cmocka_unit_test(test_match_floats),
		cmocka_unit_test(test_match_unknown),
	};

	return cmocka_run_group_tests_name("print_match", tests, setup, teardown);
}
