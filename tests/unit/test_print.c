// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print.c - the lines of a print: text, times and differences, losses, names, ranges. */
#include "print_scene.h"

/* As in the specification. */
static void test_text(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_example();
	check(printer, DAY
	      "vfs_write            14:03:11.482913207  (              )  pid 4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  pid 4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  rdi=ffff888102a3c000 (init_task)  FREEZE\n");
}

static void test_no_records(void **state)
{
	check(open_printer(PRINT_TEXT, false), "");
	check(open_printer(PRINT_JSON, false), "");
	check(open_printer(PRINT_CSV, false),
	      "type,time,time_ns,delta_ns,cpu,number,name,addr,flags,lost,reason\n");
}

/* The own records of a measurement are not printed, and losses are still reported. */
static void test_hidden(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc hidden = plain;

	hidden.is_hidden = true;
	hidden.name = "a_name_much_longer_than_the_column";
	add(&plain, 0);
	add(&hidden, 5);
	add_lost(0, 6, 3, false);
	add(&hidden, 7);
	add(&plain, 10);
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "ktrace: warning: 3 traces lost\n"
	      "f                    14:03:11.482913217  (   0.000000010)\n");
	assert_false(desc_wants_symbols(&plain));
}

/* One line at the position of the loss, whichever CPUs lost records. */
static void test_lost(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	add_lost(0, 0, 100, false);
	add_lost(0, 1, 20, true);
	add(&plain, 0);
	add(&plain, 5);
	add_lost(9, 0, 7, true);
	check(printer,
	      "ktrace: warning: 120 traces lost\n" DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "f                    14:03:11.482913212  (   0.000000005)\n"
	      "ktrace: warning: 7 traces lost\n");
}

static void test_symbols_are_wanted(void **state)
{
	snap.nr = 0;
	add_lost(0, 0, 3, false);
	add(&vfs_write, 0);
	assert_false(snapshot_wants_symbols(&snap));
	add(&frozen, 0);
	assert_true(snapshot_wants_symbols(&snap));
}

/* Differences are as if all records were printed. */
static void test_range(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_range(printer, 1, 1);
	add_example();
	assert_int_equal(printer_count(printer, &snap), 3);
	check(printer, DAY "vfs_write            14:03:11.482951884  (   0.000038677)  pid 4127\n");
}

/* The differences in a column of text, with one word in a record. */
static void check_deltas(const uint32_t *timings, const uint64_t *ticks, size_t nr,
			 const char *expected)
{
	struct printer *printer = open_printer(PRINT_JSON, false);
	struct desc descs[16];
	char got[256] = "";

	for (size_t i = 0; i < nr; i++) {
		descs[i] = plain;
		descs[i].timing = timings[i];
		add(&descs[i], ticks[i]);
	}
	print(printer);
	for (char *at = text; (at = strstr(at, "\"delta_ns\":")); at++)
		sscanf(at + 11, "%31[^,]", got + strlen(strcat(got, " ")));
	assert_string_equal(got, expected);
	free(text);
}

static void test_base_and_adjacent(void **state)
{
	const uint64_t ticks[] = { 10, 20, 40, 70, 110, 160, 220 };
	const uint32_t B = DESC_BASE, A = DESC_ADJACENT;

	check_deltas((uint32_t[]){ 0, 0, 0, 0 }, ticks, 4, " null 10 20 30");
	/* A BASE record shows its difference by the previous rule; later ones count from it. */
	check_deltas((uint32_t[]){ 0, B, 0, 0, 0 }, ticks, 5, " null 10 20 50 90");
	check_deltas((uint32_t[]){ B, 0, 0 }, ticks, 3, " null 10 30");
	/* A new BASE applies to the records behind it. */
	check_deltas((uint32_t[]){ B, 0, B, 0, 0 }, ticks, 5, " null 10 30 30 70");
	/* ADJACENT applies to its own record, too. */
	check_deltas((uint32_t[]){ B, 0, 0, A, 0 }, ticks, 5, " null 10 30 30 40");
	check_deltas((uint32_t[]){ B, 0, A, 0, B, 0, 0 }, ticks, 7, " null 10 20 30 40 50 110");
	check_deltas((uint32_t[]){ A, 0, 0 }, ticks, 3, " null 10 20");
	check_deltas((uint32_t[]){ B, 0, A | B, 0, 0 }, ticks, 5, " null 10 20 30 70");
}

/* A difference is that of the two times as printed, also where both are rounded; but how long it took where the clock was set. */
static void test_differences(void **state)
{
	const struct kt_clock clock = { .nr = 2, .ns_num = 10, .ns_den = 26 };
	const struct kt_anchor anchors[] = { { 0, 1700000000000000000 }, { 26000000, 1700000000000000000 + 3600000000000 } };
	struct clockmap *set = clockmap_create_line(&clock, anchors);
	struct printer *printer = open_printer(PRINT_JSON, false);
	int64_t last = 0, now, delta, nr = 0;

	printer_clock(printer, set);
	for (uint64_t i = 0; i < 14; i++)
		add(&plain, 1 + i * 123457);
	add(&plain, 26000000 + 26);
	print(printer);
	clockmap_free(set);
	for (char *at = text; (at = strstr(at, "\"time_ns\":")); at++, nr++, last = now) {
		const bool has_delta = sscanf(at, "\"time_ns\":\"%ld\",\"delta_ns\":%ld", &now, &delta) == 2;

		assert_true(has_delta == (nr > 0));
		if (nr > 0 && now - last < 1000000)
			assert_int_equal(delta, now - last);
	}
	assert_true(nr == 15 && delta == 9382725);
	free(text);
}

/* Two rounds of follow: differences, width and date continue. */
static void test_rounds(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc wide = { .name = "a_function_with_a_long_name+0x10" };

	add(&wide, 0);
	printer_snapshot(printer, &snap);
	snap.nr = 0;
	add(&plain, 1500000000);
	check(printer, DAY
	      "a_function_with_a_long_name+0x10  14:03:11.482913207  (              )\n"
	      "f                                 14:03:12.982913207  (   1.500000000)\n");
}

static void test_date_changes(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	const uint64_t ten_hours = 36000000000000;

	add(&plain, 0);
	add(&plain, ten_hours);
	add(&plain, ten_hours + 1);
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )\n"
	      "--- 2025-11-21 ---\n"
	      "f                    00:03:11.482913207  (36000.000000000)\n"
	      "f                    00:03:11.482913208  (   0.000000001)\n");
}

static void test_today_has_no_date(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	const time_t now = time(NULL);

	add(&plain, (uint64_t)now * NS_PER_S - EPOCH);
	print(printer);
	/* Unless it is midnight just now. */
	if (now / DAY_SECONDS == time(NULL) / DAY_SECONDS)
		assert_null(strstr(text, "---"));
	free(text);
}

static void test_time_zone(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	setenv("TZ", "XST-11:30", 1);
	tzset();
	add(&plain, 0);
	check(printer, "--- 2025-11-21 ---\nf                    01:33:11.482913207  (              )\n");
	setenv("TZ", "UTC", 1);
	tzset();
}

/* Numbers keep their column, and no line ends in blanks. */
static void test_numbers_line_up(void **state)
{
	struct field fields[] = {
		NUMBER("pid"), NUMBER("cpu"),
	};
	struct desc desc = { .name = "f", .fields = fields, .nr_fields = 2 };
	static const uint32_t pids[] = { 1, 1234567, 3 }, cpus[] = { 2, 10, 3 };
	struct printer *printer = open_printer(PRINT_TEXT, false);

	for (size_t i = 0; i < 3; i++) {
		add(&desc, 0);
		put(0, pids[i], 4);
		put(4, cpus[i], 4);
	}
	check(printer, DAY
	      "f                    14:03:11.482913207  (              )  pid 1      cpu 2\n"
	      "f                    14:03:11.482913207  (   0.000000000)  pid 1234567  cpu 10\n"
	      "f                    14:03:11.482913207  (   0.000000000)  pid 3        cpu 3\n");
}

/* Named as it was asked for, where that is a place of the source. */
static void test_source_names(void **state)
{
	static const char *const typed[] = { "fs/read_write.c:589", "inline:fdget_pos", "vfs_write+0x50" };
	static const char *const names[] = { "fs/read_write.c:589", "inline:fdget_pos in vfs_write", "vfs_write+0x50" };
	char json[128];

	for (size_t i = 0; i < ARRAY_SIZE(typed); i++) {
		struct desc desc = frozen;
		struct printer *printer = open_printer(PRINT_TEXT, false);

		desc.typed = (char *)typed[i];
		add(&desc, 0);
		put(0, 1, 8);
		print(printer);
		assert_contains(text, names[i]);
		assert_int_equal(!strstr(text, "vfs_write+0x50"), i < 2);
		free(text);
		printer = open_printer(PRINT_JSON, false);
		add(&desc, 0);
		put(0, 1, 8);
		snprintf(json, sizeof(json), "\"name\":\"%s\",%s\"addr\"", names[i], i < 2 ? "\"place\":\"vfs_write+0x50\"," : "");
		check_has(printer, json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_no_records), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_lost), cmocka_unit_test(test_symbols_are_wanted), cmocka_unit_test(test_range),
		cmocka_unit_test(test_base_and_adjacent), cmocka_unit_test(test_differences), cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_date_changes), cmocka_unit_test(test_today_has_no_date),
		cmocka_unit_test(test_time_zone), cmocka_unit_test(test_numbers_line_up),
		cmocka_unit_test(test_source_names),
	};

	return cmocka_run_group_tests_name("print", tests, setup, teardown);
}
