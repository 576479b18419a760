// SPDX-License-Identifier: GPL-2.0-or-later
/* test_strangers_prints.c - records and measurements whose names are hostile, in every format. */
#include "print_scene.h"

#include <json-c/json.h>

#include "ctl/live/measure/oneshot.h"
#include "ctl/live/offcpu/off_cpu.h"
#include "ctl/show/report/report_int.h"
#include "sample.h"
#include "strangers.h"

typedef void check_fn(const char *text, size_t len);

/* One object a line. */
static void check_json(const char *lines, size_t len)
{
	AUTO_FREE char *copy = mem_strdup(lines);
	char *next = copy, *line;

	strangers_check(lines, len);
	while ((line = strsep(&next, "\n"))) {
		struct json_object *object = *line ? json_tokener_parse(line) : NULL;

		if (*line && !object)
			fail_msg("no JSON: %s", line);
		json_object_put(object);
	}
}

static check_fn *const checks[] = { [PRINT_TEXT] = strangers_check, [PRINT_JSON] = check_json, [PRINT_CSV] = strangers_check_csv };

/* ------------------------------------------------------------------- records */

static struct field hostile[] = {
	{ .kind = FIELD_STRING, .bytes = 1, .length = 24, .fault_bit = -1 },
	NUMBER(""),
	{ .kind = FIELD_STRING, .name = "comm", .bytes = 1, .length = 16, .fault_bit = -1 },
	{ .kind = FIELD_NUMBER, .name = "kind", .bytes = 4, .fault_bit = -1 },
	{ .kind = FIELD_CONST, .value = 5, .fault_bit = -1 },
	{ .kind = FIELD_INT, .bytes = 8, .fault_bit = -1 },
};

static void print_hostile(enum print_format format, const char *name, const char *other)
{
	struct desc desc = { .addr = 0xffffffff81000000, .name = (char *)name, .fields = hostile, .nr_fields = ARRAY_SIZE(hostile) };
	struct printer *printer = open_printer(format, false);

	snprintf(hostile[0].name, sizeof(hostile[0].name), "%s", name);
	snprintf(hostile[1].name, sizeof(hostile[1].name), "%s", other);
	snprintf(hostile[4].name, sizeof(hostile[4].name), "%s", other);
	snprintf(hostile[5].name, sizeof(hostile[5].name), "%s", name);
	add(&desc, 0);
	put_text(0, other, strlen(other));
	put(24, 7, 4);
	put_text(28, name, strlen(name));
	print(printer);
	checks[format](text, text_len);
	free(text);
}

static void test_records(void **state)
{
	for (enum print_format format = PRINT_TEXT; format <= PRINT_CSV; format++)
		for (size_t i = 0; i < STRANGERS; i++)
			print_hostile(format, strangers_names[i], strangers_names[(i + 7) % STRANGERS]);
}

/* What the cells are: one ' keeps a text from being computed, none is at a number. */
static void test_cells(void **state)
{
	static struct field fields[] = {
		{ .kind = FIELD_STRING, .name = "text", .bytes = 1, .length = 16, .fault_bit = -1 }, NUMBER("number"),
	};
	static struct desc desc = { .addr = 0xffffffff81000000, .name = "=f", .fields = fields, .nr_fields = 2 };
	static const char *const rows[][2] = {
		{ "=1+1", ",'=1+1,-42\n" }, { "-42", ",-42,-42\n" }, { "-x", ",'-x,-42\n" }, { "'a", ",''a,-42\n" },
		{ "\033=", ",\\x1b=,-42\n" }, { "\t=1", ",\\t=1,-42\n" }, { "a,=b", ",\"a,=b\",-42\n" }, { "=\"", ",\"'=\"\"\",-42\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct printer *printer = open_printer(PRINT_CSV, false);

		add(&desc, 0);
		put_text(0, rows[i][0], strlen(rows[i][0]));
		put(16, -42, 4);
		print(printer);
		assert_contains(text, rows[i][1]);
		assert_contains(text, ",\"'=f\",");
		free(text);
	}
}

/* -------------------------------------------------------------- measurements */

static void rename_text(char **text, const char *name)
{
	free(*text);
	*text = mem_strdup(name);
}

static void check_measurement(enum measure_kind kind, const char *name, const char *other)
{
	static void (*const formats[])(const struct report *r, FILE *out) = {
		[PRINT_TEXT] = report_text, [PRINT_JSON] = report_json, [PRINT_CSV] = report_csv,
	};
	char *command[] = { (char *)name, (char *)other, NULL };
	const struct oneshot oneshot = { .name = kind == MEASURE_LINES ? "lines" : "latency", .command = command };
	struct off_cpu_row row = { .times = 1, .where = (char *)name, .by = (char *)other };
	struct off_cpu_flight flight = { .where = (char *)other };
	struct off_cpu off = { .slept = 1, .rows = &row, .nr_rows = 1, .flights = &flight, .nr_flights = 1 };
	struct measurement m;
	const struct report r = { .m = &m, .o = &oneshot, .typed = name };

	strncpy(flight.comm, name, OFF_CPU_COMM);
	sample_measurement(&m, kind);
	rename_text(&m.name, name);
	rename_text(&m.from.spec, other);
	rename_text(&m.from.where, name);
	rename_text(&m.to.spec, name);
	for (size_t i = 0; i < m.nr_groups; i++)
		rename_text(&m.groups[i].key, i ? other : name);
	for (size_t i = 0; i < m.nr_lines; i++) {
		rename_text(&m.lines[i].file, name);
		rename_text(&m.lines[i].text, other);
		m.lines[i].inlined = (char *)name;
	}
	if (kind == MEASURE_CALL)
		m.off_cpu = &off;
	for (enum print_format format = PRINT_TEXT; format <= PRINT_CSV + 1; format++) {
		AUTO_FREE char *out_text = NULL;
		size_t len;
		FILE *stream = open_memstream(&out_text, &len);

		(format <= PRINT_CSV ? formats[format] : report_html)(&r, stream);
		fclose(stream);
		(format <= PRINT_CSV ? checks[format] : strangers_check_html)(out_text, len);
	}
	sample_free(&m);
}

static void test_measurements(void **state)
{
	for (size_t i = 0; i < STRANGERS; i++) {
		check_measurement(MEASURE_CALL, strangers_names[i], strangers_names[(i + 5) % STRANGERS]);
		check_measurement(MEASURE_LINES, strangers_names[i], strangers_names[(i + 5) % STRANGERS]);
		check_measurement(MEASURE_INTERVAL, strangers_names[i], strangers_names[(i + 5) % STRANGERS]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records), cmocka_unit_test(test_cells), cmocka_unit_test(test_measurements),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
