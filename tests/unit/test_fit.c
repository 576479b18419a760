// SPDX-License-Identifier: GPL-2.0-or-later
/* test_fit.c - lines that fit the width of a terminal, and reports in such lines. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/table.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/show/report/report.h"
#include "sample.h"

static char *text;
static size_t len;
static FILE *out;

static int setup(void **state)
{
	text = NULL;
	out = open_memstream(&text, &len);
	return out ? 0 : -1;
}

static int teardown(void **state)
{
	free(text);
	return 0;
}

static void seen(const char *wanted)
{
	fclose(out);
	assert_string_equal(text, wanted);
}

static void test_break(void **state)
{
	fit_text("short line\n"
		 "a line that is longer than twenty columns\n"
		 "  --html FILE  write a page\n"
		 "a /very/long/path/of/a/file is whole\n"
		 "it says 'as a whole'.\n"
		 "'too long for one line'\n"
		 "\n"
		 "no end", 20, out);
	seen("short line\n"
	     "a line that is\n    longer than\n    twenty columns\n"
	     "  --html FILE  write\n      a page\n"
	     "a\n/very/long/path/of/a/file\n    is whole\n"
	     "it says\n    'as a whole'.\n"
	     "'too long for one\n    line'\n"
	     "\n"
	     "no end");
}

/* The rest is below the last column of the left half. */
static void test_hang(void **state)
{
	fit_text("vfs_write  PID  COMM and much more of it\n"
		 "  a      text in the second column\n"
		 "            nothing of it begins in the left half\n", 30, out);
	seen("vfs_write  PID  COMM and much\n           more of it\n"
	     "  a      text in the second\n         column\n"
	     "            nothing of it\n                begins in the\n                left half\n");
}

static void test_escapes(void **state)
{
	fit_text("\033[1mbold\033[0m and \303\244\303\244\303\244\303\244 fits\n", 18, out);
	fit_text("\033[2mbold\033[0m and \303\244\303\244\303\244\303\244 not\n", 16, out);
	seen("\033[1mbold\033[0m and \303\244\303\244\303\244\303\244 fits\n"
	     "\033[2mbold\033[0m and \303\244\303\244\303\244\303\244\n    not\n");
}

/* What is written piece by piece; the last word comes at the latest at the end. */
static void test_stream(void **state)
{
	FILE *stream = fit_open(out, 20), *other;

	assert_non_null(stream);
	assert_int_equal(fit_columns(stream), 20);
	assert_int_equal(fit_columns(out), 0);
	other = fit_open(stream, 10);
	assert_int_equal(fit_columns(other), 10);
	assert_int_equal(fit_columns(stream), 20);
	fclose(other);
	fputs("these words are wr", stream);
	fflush(stream);
	fputs("itten in two pie", stream);
	fflush(stream);
	fputs("ces", stream);
	fclose(stream);
	seen("these words are\n    written in two\n    pieces");
}

static void test_cut(void **state)
{
	AUTO_FREE char *cut = fit_cut_text("abcdef", 4), *whole = fit_cut_text("abcd", 4);

	assert_string_equal(cut, "abc>");
	assert_string_equal(whole, "abcd");
	assert_int_equal(fit_length("\033[1m\303\244bc\033[0m"), 3);
	fit_cut("\033[1mabcdef\033[0m\nabc\n\303\244\303\244\303\244\303\244\n", 4, out);
	seen("\033[1mabc\033[0m>\nabc\n\303\244\303\244\303\244\303\244\n");
}

/* ------------------------------------------------------------------- reports */

static void check_width(const char *lines, size_t columns)
{
	for (size_t n; *lines; lines += n + 1) {
		AUTO_FREE char *line = mem_strndup(lines, n = strcspn(lines, "\n"));

		if (fit_length(line) > columns)
			fail_msg("%zu columns: %s", fit_length(line), line);
	}
}

static void test_reports(void **state)
{
	static char *command[] = { "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=100000", "conv=fsync", "status=none", NULL };
	static const struct oneshot o = { .name = "latency", .command = command };
	struct measurement m;
	FILE *stream;

	for (enum measure_kind kind = 0; kind < MEASURE_RECORDS; kind++) {
		sample_measurement(&m, kind);
		stream = fit_open(out, 80);
		report_text(&(struct report){ .m = &m, .o = &o, .ascii = true }, stream);
		fclose(stream);
		sample_free(&m);
	}
	fflush(out);
	check_width(text, 80);
	assert_contains(text, "corrected by 40.0 ns a call, the cost of the tracepoints (36.0 ns to 52.0 ns\n    when calibrated)");
	fclose(out);
}

static void print_sheet(size_t width)
{
	struct sheet sheet = { .whole = 100, .squeezes = true };
	FILE *stream = width ? fit_open(out, width) : out;

	sheet_row(&sheet);
	cell_id(&sheet, "pid", "pid", 4127);
	cell_text(&sheet, "name", "process", "kworker/u8:4-ext");
	cell_double(&sheet, CELL_SHARE, "running_ns", "running", 12);
	cell_double(&sheet, CELL_SHARE, "unknown_ns", "unknown", 0);
	cell_double(&sheet, CELL_SHARE, "wait_cpu_ns", "wait cpu", 100);
	assert_int_equal(sheet_print(&sheet, 10, stream, false), 0);
	if (width)
		fclose(stream);
	sheet_free(&sheet);
}

/* In turn: without empty shares, headings in two lines, shorter texts. */
static void test_sheet(void **state)
{
	print_sheet(0);
	print_sheet(60);
	print_sheet(43);
	print_sheet(39);
	print_sheet(30);
	seen(" pid  process           running  unknown  wait cpu\n"
	     "4127  kworker/u8:4-ext     12.0        -     100.0\n"
	     " pid  process           running  unknown  wait cpu\n"
	     "4127  kworker/u8:4-ext     12.0        -     100.0\n"
	     " pid  process           running  wait cpu\n"
	     "4127  kworker/u8:4-ext     12.0     100.0\n"
	     "                                  wait\n"
	     " pid  process           running    cpu\n"
	     "4127  kworker/u8:4-ext     12.0  100.0\n"
	     "                          wait\n"
	     " pid  process   running    cpu\n"
	     "4127  kworker>     12.0  100.0\n");
}

static void print_names(const char *const *names, size_t n, size_t width)
{
	AUTO_TABLE struct table table = { .align = "nr" };
	FILE *stream = fit_open(out, width);

	for (size_t i = 0; i < n; i++) {
		table_add(&table, "%s", names[i]);
		table_add(&table, "%zu", i);
	}
	table_print(&table, 0, stream, false);
	fclose(stream);
}

/* Names lose their parameters where they have no room, and where they differ without them. */
static void test_table_names(void **state)
{
	static const char *const names[] = { "pool::take(long, pool::item const&)", "pool::put(long)", "pool::put(int)" };

	print_names(names, 3, 40);
	print_names(names, 3, 30);
	print_names(names, 2, 30);
	seen("pool::take(long, pool::item const&)  0\n"
	     "pool::put(long)                      1\n"
	     "pool::put(int)                       2\n"
	     "pool::take       0\n"
	     "pool::put(long)  1\n"
	     "pool::put(int)   2\n"
	     "pool::take  0\n"
	     "pool::put   1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_break, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hang, setup, teardown),
		cmocka_unit_test_setup_teardown(test_escapes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reports, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sheet, setup, teardown),
		cmocka_unit_test_setup_teardown(test_table_names, setup, teardown),
	};

	return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
