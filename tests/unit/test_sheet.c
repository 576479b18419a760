// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sheet.c - one sheet in every format. */
#include "unit.h"

#include "ctl/base/fit.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "metrics.h"

static void add_disk(struct sheet *sheet, const char *name, uint64_t reads, double ns, bool known)
{
	struct sheet parts = { .key = "parts", .form = SHEET_VALUES };

	sheet_row(&parts);
	cell_text(&parts, NULL, NULL, "a");
	sheet_row(sheet);
	cell_text(sheet, "name", "disk", name);
	cell_counter(sheet, "reads", "reads", reads);
	cell_time(sheet, "mean_ns", "mean time", ns)->known = known;
	cell_signed(sheet, "change", NULL, -3)->absent = !known;
	cell_boolean(sheet, "busy", "busy", known);
	cell_format(sheet, NULL, "note", "%s!", name);
	cell_sheet(sheet, &parts);
}

static struct sheet disks(void)
{
	struct sheet sheet = { .key = "disks" };

	add_disk(&sheet, "vda", 1234567, 2500, true);
	add_disk(&sheet, "=\"\x1b", UINT64_MAX, 0, false);
	return sheet;
}

/* What the format writes; the caller frees it. */
static char *written(const struct sheet *sheet, enum print_format format)
{
	char *text = NULL;
	size_t len;
	FILE *out = mem_stream(&text, &len);

	sheet_write(sheet, format, out, false);
	fclose(out);
	return text;
}

static void check(enum print_format format, const char *wanted)
{
	AUTO_SHEET struct sheet sheet = disks();
	AUTO_FREE char *text = written(&sheet, format);

	assert_string_equal(text, wanted);
}

static void test_table(void **state)
{
	check(PRINT_TEXT,
	      "disk                         reads  mean time  busy  note\n"
	      "vda                      1,234,567    2.50 us   yes  vda!\n"
	      "=\"\\x1b  18,446,744,073,709,551,615          ?    no  =\"\\x1b!\n");
}

static void test_json(void **state)
{
	check(PRINT_JSON,
	      "{\"type\":\"disks\",\"v\":3,\"name\":\"vda\",\"reads\":1234567,\"mean_ns\":2500.000,\"change\":-3,\"busy\":true,\"parts\":[\"a\"]}\n"
	      "{\"type\":\"disks\",\"v\":3,\"name\":\"=\\\"\\u001b\",\"reads\":\"18446744073709551615\",\"mean_ns\":null,\"busy\":false,\"parts\":[\"a\"]}\n");
}

static void test_csv(void **state)
{
	check(PRINT_CSV,
	      "name,reads,mean_ns,change,busy\n"
	      "\"vda\",1234567,2500.000,-3,true\n"
	      "\"'=\"\"\\x1b\",18446744073709551615,,,false\n");
}

static void test_html(void **state)
{
	AUTO_SHEET struct sheet sheet = disks();
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = mem_stream(&text, &len);

	sheet_html(&sheet, "disks", NULL, out);
	fclose(out);
	assert_string_equal(text,
			    "<table id=\"disks\"><tr><th class=\"l\">disk</th><th>reads</th><th>mean time</th><th>busy</th><th class=\"l\">note</th></tr>\n"
			    "<tr><td class=\"l\">vda</td><td>1,234,567</td><td>2.50 us</td><td>yes</td><td class=\"l\">vda!</td></tr>\n"
			    "<tr><td class=\"l\">=&quot;\\x1b</td><td>18,446,744,073,709,551,615</td><td>?</td><td>no</td><td class=\"l\">=&quot;\\x1b!</td></tr>\n"
			    "</table>\n");
}

static void test_metrics(void **state)
{
	AUTO_SHEET struct sheet sheet = disks();
	char *text = written(&sheet, PRINT_METRICS);
	const int status = read_metrics(text);

	assert_contains(text, "# TYPE ktrace_disks_reads counter\n# HELP ktrace_disks_reads See docs/output.md.\n"
			      "ktrace_disks_reads_total{name=\"vda\"} 1234567\n"
			      "ktrace_disks_reads_total{name=\"=\\\"\\\\x1b\"} 18446744073709551615\n"
			      "# TYPE ktrace_disks_mean_seconds gauge\n# UNIT ktrace_disks_mean_seconds seconds\n");
	assert_contains(text, "\nktrace_disks_mean_seconds{name=\"vda\"} 2.5e-06\n# TYPE ktrace_disks_change gauge\n");
	free(text);
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

/* One row behind its headings; what a row does not have, and what is for programs, is not there. */
static void test_object(void **state)
{
	AUTO_SHEET struct sheet sheet = { .key = "disk", .form = SHEET_OBJECT };
	AUTO_FREE char *text = NULL;

	sheet_row(&sheet);
	cell_text(&sheet, "name", "disk", "vda");
	cell_text(&sheet, NULL, "windows", "none")->absent = true;
	cell_hex(&sheet, "addr", NULL, 16);
	cell_text(&sheet, NULL, "", "more");
	text = written(&sheet, PRINT_TEXT);
	assert_string_equal(text, "disk         vda\n             more\n");
}

static void test_empty(void **state)
{
	const struct sheet sheet = { .key = "disks" };
	AUTO_FREE char *text = written(&sheet, PRINT_TEXT), *json = written(&sheet, PRINT_JSON), *csv = written(&sheet, PRINT_CSV);

	assert_string_equal(text, "");
	assert_string_equal(json, "");
	assert_string_equal(csv, "");
}

/* On a narrow terminal the rest of the columns stand below. */
static void test_splits(void **state)
{
	AUTO_SHEET struct sheet sheet = disks();
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = mem_stream(&text, &len);

	sheet.splits = true;
	sheet.room = 40;
	assert_int_equal(sheet_print(&sheet, 1, out, false), 1);
	fclose(out);
	assert_string_equal(text, "disk      reads  mean time  busy  note\nvda   1,234,567    2.50 us   yes  vda!\n");
	free(text);
	out = mem_stream(&text, &len);
	sheet.room = 30;
	sheet_print(&sheet, 1, out, false);
	fclose(out);
	assert_string_equal(text, "disk      reads  mean time\nvda   1,234,567    2.50 us\n\ndisk  busy  note\nvda    yes  vda!\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_json), cmocka_unit_test(test_csv), cmocka_unit_test(test_html),
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_object), cmocka_unit_test(test_empty), cmocka_unit_test(test_splits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
