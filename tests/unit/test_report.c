// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_report.c - a measurement in all formats. With KTRACE_REPORTS=DIR the files stay there, for other
 * programs to check.
 */
#include "unit.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/base/memory.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/report_int.h"
#include "ctl/show/report/report_many.h"
#include "metrics.h"
#include "sample.h"

static char *command[] = { "dd", "if=/dev/zero", "of=/tmp/<x>", NULL };
static const struct oneshot oneshot = { .name = "latency", .command = command, .pid = 17 };

typedef void format_fn(const struct report *r, FILE *out);

static void keep(const char *name, const char *text)
{
	const char *dir = getenv("KTRACE_REPORTS");
	AUTO_FREE char *path = dir ? mem_printf("%s/%s", dir, name) : NULL;
	AUTO_CLOSE FILE *file = path ? fopen(path, "w") : NULL;

	if (file)
		fputs(text, file);
}

static char *rendered(const struct report *r, format_fn *format)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	format(r, out);
	fclose(out);
	return text;
}

/* A report in this format about a measurement of this kind; the caller frees it. */
static char *report_of(enum measure_kind kind, format_fn *format, bool ascii, const char *name)
{
	struct measurement m;
	char *text;

	sample_measurement(&m, kind);
	text = rendered(&(struct report){ .m = &m, .o = &oneshot, .ascii = ascii }, format);
	keep(name, text);
	sample_free(&m);
	return text;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

static void test_text(void **state)
{
	AUTO_FREE char *text = report_of(MEASURE_CALL, report_text, false, "latency.txt");
	AUTO_FREE char *ascii = report_of(MEASURE_LINES, report_text, true, "lines.txt");

	assert_contains(text, "latency vfs_write --pid 17 -- dd if=/dev/zero of=/tmp/<x>\n");
	assert_contains(text, "fs/read_write.c:582  jump\n");
	assert_contains(text, "count      10,000\n");
	assert_contains(text, "(99 % confidence)\n");
	assert_contains(text, "100.00%  ");
	assert_contains(text, "\342\226\210");
	assert_contains(text, "corrected by 40.0 ns a call, the cost of the tracepoints (36.0 ns to 52.0 ns when calibrated)");
	assert_contains(text, "3 calls not measured:\n           1 ended, but");
	assert_contains(text, "<b>\"x\", y     10");
	assert_contains(text, "\n              count=5\n                  from a < b\n");
	assert_true(is_ascii(ascii));
	assert_contains(ascii, "ret = file->f_op->write(file, buf, count, pos);");
	assert_contains(ascii, "##");
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("no %s", key);
	return value;
}

static void test_json(void **state)
{
	AUTO_FREE char *text = report_of(MEASURE_CALL, report_json, false, "latency.json");
	AUTO_FREE char *lines = report_of(MEASURE_LINES, report_json, false, "lines.json");
	struct json_object *o = json_tokener_parse(text), *histogram;
	uint64_t sum = 0;

	assert_non_null(o);
	free(report_of(MEASURE_INTERVAL, report_json, false, "pair.json"));
	assert_string_equal(json_object_get_string(member(o, "type")), "latency");
	assert_int_equal(json_object_get_int(member(o, "count")), 10000);
	assert_int_equal(json_object_get_int(member(o, "unpaired")), 3);
	histogram = member(o, "histogram");
	for (size_t i = 0; i < json_object_array_length(histogram); i++)
		sum += json_object_get_int64(member(json_object_array_get_idx(histogram, i), "count"));
	assert_int_equal(sum, 10000);
	for (const struct measure_field *field = measure_fields; field->name; field++)
		member(o, field->key);
	json_object_put(o);
}

static void test_metrics(void **state)
{
	char *text = report_of(MEASURE_CALL, report_metrics, false, "latency.om");
	int status;

	assert_contains(text, "\nktrace_latency_calls_count{name=\"vfs_write\"} 10000\n");
	assert_contains(text, "# TYPE ktrace_latency_histogram_seconds histogram\n# UNIT ktrace_latency_histogram_seconds seconds\n");
	assert_contains(text, "\nktrace_latency_histogram_seconds_bucket{name=\"vfs_write\",le=\"+Inf\"} 10000\n");
	assert_contains(text, "\nktrace_latency_histogram_seconds_count{name=\"vfs_write\"} 10000\n");
	assert_contains(text, "\nktrace_latency_groups_count{name=\"vfs_write\",key=\"<b>\\\"x\\\", y\"} 10\n");
	status = read_metrics(text);
	free(text);
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

/* The functions of a pattern: the slowest total first, those without a call only in JSON and CSV. */
static void test_many(void **state)
{
	static const char *const names[] = { "vfs_fast", "vfs_idle", "vfs_slow" };
	static const struct oneshot bare = { .name = "latency", .child = { .fd = -1 } };
	const char *slow, *fast;
	struct measurement all[3];
	struct session s;
	struct error err;
	char *text = NULL;
	size_t len;

	for (enum print_format format = PRINT_TEXT; format <= PRINT_CSV; format++) {
		struct many_report many = { "vfs_*", all, 3 };

		for (size_t i = 0; i < 3; i++) {
			sample_measurement(&all[i], MEASURE_CALL);
			free(all[i].name);
			all[i].name = mem_strdup(names[i]);
		}
		all[1].all.count = all[1].all.sum = 0;
		all[2].all.sum *= 2;
		s = (struct session){ .format = format, .out = open_memstream(&text, &len), .messages = stderr };
		assert_true(report_many(&s, &bare, &many, &err));
		fclose(s.out);
		slow = strstr(text, "vfs_slow");
		fast = strstr(text, "vfs_fast");
		assert_true(slow && fast && slow < fast);
		assert_true(!strstr(text, "vfs_idle") == (format == PRINT_TEXT));
		if (format == PRINT_TEXT)
			assert_contains(text, "1 of 3 functions had no call\n");
		free(text);
		for (size_t i = 0; i < 3; i++)
			sample_free(&all[i]);
	}
}

/* Each row has as many fields as the first. */
static void test_csv(void **state)
{
	AUTO_FREE char *text = report_of(MEASURE_CALL, report_csv, false, "latency.csv"), *lines = NULL;

	assert_contains(text, "type,key,count,total_ns,min_ns,");
	assert_contains(text, "\nall,\"vfs_write\",10000,");
	assert_contains(text, "\ngroup,\"<b>\"\"x\"\", y\",10,");
	lines = report_of(MEASURE_LINES, report_csv, false, "lines.csv");
	/* A line has no histogram: 10,000 times 200 ticks of 0.4 ns. */
	assert_contains(lines, "\nline,\"fs/read_write.c:583\",10000,800000.000,80.000,80.000,0.000,0.000,,,,,80.000,");
}

/* The reported correction is the difference of the means. */
static void test_correction(void **state)
{
	AUTO_FREE char *call = NULL, *nested = NULL, *lines = NULL;
	struct measurement m;

	sample_measurement(&m, MEASURE_CALL);
	call = correction_text(&m);
	assert_contains(call, "corrected by 40.0 ns a call, the cost of the tracepoints (36.0 ns to");
	m.all.taken_off = 250 * m.all.count;
	nested = correction_text(&m);
	assert_contains(nested, "corrected by 100 ns a call on average, the cost of the tracepoints: 40.0 ns for the two ends of a call (36.0 ns to");
	m.kind = MEASURE_LINES;
	lines = correction_text(&m);
	assert_contains(lines, "corrected by 100 ns a call, the cost of the tracepoints: 40.0 ns for each tracepoint hit (36.0 ns to");
	assert_contains(lines, "uncorrected mean");
	sample_free(&m);
}

/* Each bar can be seen, also those of one call beside those of thousands. */
static void check_bars(const char *page)
{
	static const char bar[] = "<rect class=\"bar\"";
	unsigned int of_few = 0;
	double height;
	int count;

	for (const char *at = strstr(page, bar); at; at = strstr(at + 1, bar)) {
		assert_int_equal(sscanf(strstr(at, "height="), "height=\"%lf\"><title>%*[^:]: %d ", &height, &count), 2);
		assert_true(height >= 3);
		of_few += count <= 3;
	}
	assert_true(of_few > 0);
}

static void test_html(void **state)
{
	AUTO_FREE char *text = report_of(MEASURE_CALL, report_html, false, "latency.html");
	AUTO_FREE char *lines = report_of(MEASURE_LINES, report_html, false, "lines.html");

	assert_contains(text, "of=/tmp/&lt;x&gt;");
	assert_contains(text, "&lt;b&gt;&quot;x&quot;, y");
	assert_null(strstr(text, "<b>"));
	for (const char *const *id = (const char *const[]){ "histogram", "percentiles", NULL }; *id; id++)
		assert_contains(text, *id);
	assert_contains(lines, "id=\"listing\"");
	assert_contains(lines, "id=\"timeline\"");
	/* The curve ends at the maximum, in the upper right corner. */
	assert_contains(text, " 900.0,16.0\"/>");
	/* What says only that all is well is in the list of small print. */
	assert_non_null(strstr(strstr(text, "<dl class=\"small\">"), "<dt>ci99</dt><dd id=\"mean_ci99_ns\">"));
	assert_non_null(strstr(strstr(text, "<dl class=\"small\">"), "<dt>lost</dt><dd id=\"lost\">0</dd>"));
	assert_true(strstr(text, "<dt>unpaired</dt><dd id=\"unpaired\">3</dd>") < strstr(text, "<dl class=\"small\">"));
	check_bars(text);
	/* The page fetches nothing. */
	assert_null(strstr(text, "http"));
	assert_null(strstr(text, "url("));
	assert_null(strstr(text, "src=\""));
}

static void test_run(void **state)
{
	struct timeline_series series[2] = { { .name = "vfs_write" }, { .name = "vfs_read+0x10" } };
	const struct timeline timeline = { .series = series, .nr = 2 };
	struct measurement m;

	sample_measurement(&m, MEASURE_LINES);
	m.kind = MEASURE_RECORDS;
	for (int i = 0; i < TIMELINE_BINS; i++) {
		series[0].bins[i] = i * i % 37;
		series[1].bins[i] = i % 50 ? 0 : 1;
	}
	AUTO_FREE char *page = rendered(&(struct report){ .m = &m, .o = &oneshot, .timeline = &timeline }, report_html);
	AUTO_FREE char *json = rendered(&(struct report){ .m = &m, .o = &oneshot, .timeline = &timeline }, report_json);

	keep("run.html", page);
	keep("run.json", json);
	assert_contains(page, "vfs_read+0x10");
	assert_contains(json, "{\"type\":\"run\"");
	sample_free(&m);
}

/* No call, one call, all calls equal. */
static void test_few(void **state)
{
	static format_fn *const formats[] = { report_text, report_json, report_csv, report_html };

	for (int n = 0; n < 3; n++) {
		struct measurement m = { .name = "f", .ns_per_tick = 0.5, .clock = "tsc", .correction = { .why = "no reason" } };

		for (int i = 0; i < n * n; i++)
			samples_add(&m.all, n == 2 ? 100 : 0);
		for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
			AUTO_FREE char *text = rendered(&(struct report){ .m = &m }, formats[i]);

			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf"));
		}
		free(m.all.buckets);
	}
}

/* `lines --counts`: no times; a line that was not traced, one of which hits are missing, one with a loop. */
static void test_line_counts(void **state)
{
	static const char *const want[] = {
		"lines --counts vfs_write", "count      10,000\n", "  line        count\n", "   583       10,000       ssize_t ret;\n",
		"   585    >= 10,000 *     if (!(file", "   594            ?           ret = file->", "   602            0       return ret;\n",
		"\n*: control that comes from the line itself counts, too", "\n?, >=: not traced, or",
	};
	AUTO_FREE char *text = NULL, *json = NULL, *csv = NULL, *page = NULL;
	struct measurement m;

	sample_measurement(&m, MEASURE_LINES);
	m.kind = MEASURE_LINE_COUNTS;
	free(m.all.buckets);
	m.all = (struct samples){ .count = 10000, .is_count = true };
	m.open = m.unmatched = 0;
	for (size_t i = 0; i < m.nr_lines; i++) {
		m.lines[i].samples = (struct samples){ .count = m.lines[i].samples.count, .is_count = true };
		m.lines[i].nr_addrs = 1;
	}
	m.lines[1].is_least = m.lines[1].repeats = m.lines[2].is_least = true;
	m.lines[2].nr_refused = 1;
	m.lines[2].samples.count = 0;
	text = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_text);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_contains(text, want[i]);
	json = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_json);
	keep("line-counts.json", json);
	assert_contains(json, "{\"type\":\"line_counts\"");
	assert_contains(json, "\"share\":null,\"at_least\":true,\"repeats\":true,\"left\":null");
	assert_null(strstr(json, "correction"));
	csv = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_csv);
	keep("line-counts.csv", csv);
	assert_contains(csv, "\nline,\"fs/read_write.c:583\",10000,,,,,,,,,,,0,0\n");
	page = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_html);
	keep("line-counts.html", page);
	assert_contains(page, "<td>585</td><td>&gt;= 10,000</td>");
	sample_free(&m);
}

/* `lines --if`: calls where a condition holds beside the others, and where both left the function. */
static void test_split(void **state)
{
	static const char *const want[] = {
		"lines vfs_write --if 'ELAPSED > 1ms' --pid 17", "10,000  calls where ELAPSED > 1ms; 500 others",
		"   594       0.90     720 ns  88.7%", "      1.00    20.0 ns          ret = file->f_op->write",
		"left at       calls       mean        max       others", "   602        9,990     400 ns     400 ns",
	};
	AUTO_FREE char *text = NULL, *json = NULL, *csv = NULL, *page = NULL;
	struct measurement m;

	sample_measurement(&m, MEASURE_LINES);
	m.only_if = mem_strdup("ELAPSED > 1ms");
	for (size_t i = 0; i < m.nr_lines; i++)
		m.lines[i].samples.is_sum = m.lines[i].other.is_sum = true;
	m.lines[2].other = (struct samples){ .count = 500, .sum = 500 * 50, .is_sum = true };
	m.lines[3].out = (struct samples){ .count = 9990, .sum = UINT64_C(9990) * 1000, .min = 1000, .max = 1000 };
	m.lines[1].out = (struct samples){ .count = 10, .sum = 10000, .min = 1000, .max = 1000 };
	m.lines[1].other_out = (struct samples){ .count = 500, .sum = 5000, .min = 10, .max = 10 };
	text = rendered(&(struct report){ .m = &m, .o = &oneshot, .ascii = true }, report_text);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_contains(text, want[i]);
	json = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_json);
	keep("lines-if.json", json);
	assert_contains(json, "\"if\":\"ELAPSED > 1ms\"");
	assert_contains(json, "\"min_ns\":null");
	assert_contains(json, "\"others_left\":{\"count\":500,");
	csv = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_csv);
	keep("lines-if.csv", csv);
	assert_contains(csv, "\nother_line,\"fs/read_write.c:594\",500,10000.000,,20.000,");
	assert_contains(csv, "\nexit,\"fs/read_write.c:602\",9990,3996000.000,400.000,400.000,");
	assert_contains(csv, "\nother_exit,\"");
	page = rendered(&(struct report){ .m = &m, .o = &oneshot }, report_html);
	keep("lines-if.html", page);
	assert_contains(page, "Where calls left it");
	assert_contains(page, "Where the other calls left it");
	free(m.only_if);
	sample_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_json), cmocka_unit_test(test_metrics), cmocka_unit_test(test_many), cmocka_unit_test(test_csv), cmocka_unit_test(test_correction), cmocka_unit_test(test_html),
		cmocka_unit_test(test_run),  cmocka_unit_test(test_few), cmocka_unit_test(test_line_counts), cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
