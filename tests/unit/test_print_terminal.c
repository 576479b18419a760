// SPDX-License-Identifier: GPL-2.0-or-later
/* test_print_terminal.c - text on a terminal: colour, columns with headings, source lines. */
#include "print_scene.h"

static void test_colour(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, true);

	add_lost(0, 0, 3, false);
	add(&plain, 0);
	check(printer,
	      "\033[33mktrace: warning: 3 traces lost\033[0m\n" DAY
	      "\033[1mf\033[0m                    \033[2m14:03:11.482913207\033[0m  (              )\n");
}

/* Columns where all records have the same values. */
static void test_columns(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 100);
	add_pid(&vfs_write, 0, 7);
	add_pid(&vfs_write, 38677, 4127);
	check(printer, DAY
	      "name                 time                difference        pid\n"
	      "vfs_write            14:03:11.482913207  (              )     7\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n");
	printer = open_printer(PRINT_TEXT, false);
	printer_terminal(printer, 24, 100);
	add_several(0);
	check(printer, DAY
	      "name                 time                difference        tgid  uid   comm\n"
	      "several              14:03:11.482913207  (              )     4  1000  \"dd\"\n");
}

/* Tracepoints with other values: side by side where they fit, else each has a heading of its own. */
static void test_headings(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 101);
	add_example();
	check(printer, DAY
	      "name                 time                difference        pid   rdi\n"
	      "vfs_write            14:03:11.482913207  (              )  4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)        ffff888102a3c000 (init_task)  FREEZE\n");
	printer = open_printer(PRINT_TEXT, false);
	printer_terminal(printer, 24, 100);
	add_example();
	check(printer, DAY
	      "vfs_write            time                difference        pid\n"
	      "vfs_write+0x50       time                difference        rdi\n"
	      "vfs_write            14:03:11.482913207  (              )  4127\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
	      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task)  FREEZE\n");
}

/* The heading comes again on each screen. */
static void test_heading_again(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	size_t headings = 0;

	printer_terminal(printer, 5, 80);
	for (int i = 0; i < 14; i++)
		add_pid(&vfs_write, i, i);
	print(printer);
	for (const char *at = text; (at = strstr(at, "\nname ")); at++)
		headings++;
	assert_int_equal(headings, 4);
	free(text);
}

/* Too many tracepoints with other values: every value has its name. */
static void test_no_columns(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc descs[5];
	struct field fields[5];
	char names[5][4];

	printer_terminal(printer, 24, 80);
	for (size_t i = 0; i < ARRAY_SIZE(descs); i++) {
		descs[i] = vfs_write;
		fields[i] = vfs_write.fields[0];
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		snprintf(fields[i].name, sizeof(fields[i].name), "value%zu", i);
		descs[i].name = names[i];
		descs[i].fields = &fields[i];
		add_pid(&descs[i], 0, 4127);
	}
	print(printer);
	assert_null(strstr(text, "difference"));
	assert_contains(text, "value4 4127\n");
	free(text);
}

static const char *line_of(void *arg, uint64_t addr, char *buf, size_t size)
{
	++*(int *)arg;
	snprintf(buf, size, "read_write.c:594");
	return buf;
}

/* Behind the name of an instruction inside a function stands its source line, where there is room. */
static void test_lines(void **state)
{
	int asked = 0;

	for (size_t columns = 99; columns <= 100; columns++) {
		struct printer *printer = open_printer(PRINT_TEXT, false);

		printer_lines(printer, line_of, &asked);
		printer_terminal(printer, 24, columns);
		add_example();
		check(printer, columns < 100 ? DAY
		      "vfs_write            time                difference        pid\n"
		      "vfs_write+0x50       time                difference        rdi\n"
		      "vfs_write            14:03:11.482913207  (              )  4127\n"
		      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n"
		      "vfs_write+0x50       14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task)  FREEZE\n" : DAY
		      "vfs_write                         time                difference        pid\n"
		      "vfs_write+0x50                    time                difference        rdi\n"
		      "vfs_write                         14:03:11.482913207  (              )  4127\n"
		      "vfs_write                         14:03:11.482951884  (   0.000038677)  4127\n"
		      "vfs_write+0x50  read_write.c:594  14:03:11.482952101  (   0.000000217)  ffff888102a3c000 (init_task>\n");
	}
	assert_int_equal(asked, 2);
}

/* On a narrow terminal it stands behind the values, where it fits; descriptors and JSON have it, too. */
static void test_lines_behind(void **state)
{
	struct desc desc = vfs_write;

	desc.name = "vfs_write+0x50";
	desc.line = "sess.c:60";
	for (size_t columns = 73; columns <= 74; columns++) {
		struct printer *printer = open_printer(PRINT_TEXT, false);

		printer_terminal(printer, 24, columns);
		add_pid(&desc, 0, 4127);
		add_pid(&desc, 38677, 7);
		check(printer, columns < 74 ? DAY
		      "name                 time                difference        pid\n"
		      "vfs_write+0x50       14:03:11.482913207  (              )  4127\n"
		      "vfs_write+0x50       14:03:11.482951884  (   0.000038677)     7\n" : DAY
		      "name                 time                difference        pid\n"
		      "vfs_write+0x50       14:03:11.482913207  (              )  4127  sess.c:60\n"
		      "vfs_write+0x50       14:03:11.482951884  (   0.000038677)     7  sess.c:60\n");
	}
	for (int format = PRINT_TEXT; format <= PRINT_CSV; format++) {
		struct printer *printer = open_printer(format, false);

		add_pid(&desc, 0, 4127);
		print(printer);
		assert_int_equal(!strstr(text, format == PRINT_JSON ? "\"line\":\"sess.c:60\"" : "vfs_write+0x50  sess.c:60  "), format == PRINT_CSV);
		free(text);
	}
}

static void test_cut(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);

	printer_terminal(printer, 24, 40);
	add(&plain, 0);
	check(printer, DAY "f                    14:03:11.482913207>\n");
}

/* On a terminal functions of C++ show their parameters only where another one has the same name without them. */
static void test_names(void **state)
{
	struct desc one = vfs_write, other = vfs_write, third = vfs_write;
	struct printer *printer;

	one.name = "server:optionals(std::optional<int> const*, std::optional<point> const*)";
	other.name = "server:pool::take(long)";
	third.name = "server:pool::take(int)+0x10";
	for (size_t columns = 0; columns <= 100; columns += 100) {
		printer = open_printer(PRINT_TEXT, false);
		printer_terminal(printer, 24, columns);
		add_pid(&one, 0, 7);
		add_pid(&other, 38677, 4127);
		add_pid(&vfs_write, 38677, 8);
		check(printer, columns ? DAY
		      "name                 time                difference        pid\n"
		      "server:optionals     14:03:11.482913207  (              )     7\n"
		      "server:pool::take    14:03:11.482951884  (   0.000038677)  4127\n"
		      "vfs_write            14:03:11.482951884  (   0.000000000)     8\n" : DAY
		      "server:optionals(std::optional<int> const*, std::optional<point> const*)  14:03:11.482913207  (              )  pid 7\n"
		      "server:pool::take(long)                                                   14:03:11.482951884  (   0.000038677)  pid 4127\n"
		      "vfs_write                                                                 14:03:11.482951884  (   0.000000000)  pid 8\n");
	}
	printer = open_printer(PRINT_TEXT, false);
	printer_terminal(printer, 24, 100);
	add_pid(&other, 0, 7);
	add_pid(&third, 38677, 4127);
	check(printer, DAY
	      "name                         time                difference        pid\n"
	      "server:pool::take(long)      14:03:11.482913207  (              )     7\n"
	      "server:pool::take(int)+0x10  14:03:11.482951884  (   0.000038677)  4127\n");
}

/* A name that needs most of a line leaves the values of other records where they are. */
static void test_long_name(void **state)
{
	struct printer *printer = open_printer(PRINT_TEXT, false);
	struct desc desc = vfs_write;

	desc.name = "a_function_with_a_name_that_is_longer_than_others";
	printer_terminal(printer, 24, 100);
	add_pid(&desc, 0, 7);
	add_pid(&vfs_write, 38677, 4127);
	check(printer, DAY
	      "name                 time                difference        pid\n"
	      "a_function_with_a_name_that_is_longer_than_others  14:03:11.482913207  (              )     7\n"
	      "vfs_write            14:03:11.482951884  (   0.000038677)  4127\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_colour), cmocka_unit_test(test_columns), cmocka_unit_test(test_headings),
		cmocka_unit_test(test_heading_again), cmocka_unit_test(test_no_columns), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_lines_behind), cmocka_unit_test(test_cut), cmocka_unit_test(test_names), cmocka_unit_test(test_long_name),
	};

	return cmocka_run_group_tests_name("print_terminal", tests, setup, teardown);
}
