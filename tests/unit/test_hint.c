// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_hint.c - suggestions for words that are no addresses, and for functions that exist only inlined. The
 * image is this program.
 */
#include "ctl/ask/resolve/resolve.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/live/session/hint.h"
#include "ctl/ask/resolve/probe_point.h"
#include "own_index.h"

#define PLAIN __attribute__((noipa, no_sanitize("address", "undefined")))

static inline __attribute__((always_inline)) long always_in_others(long value)
{
	return value * value + 1;
}

PLAIN long first_function(const char *text, long counted)
{
	return text[0] + always_in_others(counted);
}

/* Its name is also that of a parameter; its parameter has the name of an option, in lower case. */
PLAIN long counted(long uid)
{
	return always_in_others(uid) - 1;
}

/* Its name is that of an option, in lower case. */
PLAIN long comm(void)
{
	return 1;
}

static char index_path[] = "/tmp/ktrace-hint-XXXXXX";
static struct target target;

static int no_text(struct device *dev, unsigned long request, void *p)
{
	errno = EACCES;
	return -1;
}

static int setup(void **state)
{
	static struct debug_options options = { .file = index_path };
	static struct device dev = { .call = no_text };
	struct debug_error err = { .text = "" };
	struct debug_unit *unit;

	if (!own_index(__FILE__, index_path))
		return -1;
	target = (struct target){ .dev = &dev, .arch = &arch_native, .debug = debug_open(&options) };
	unit = debug_unit(target.debug, "", &err);
	target.tab = unit ? debug_symbols(unit) : NULL;
	return target.tab && first_function("a", comm()) + counted(2) == 'a' + 2 + 4 ? 0 : -1;
}

static int teardown(void **state)
{
	symtab_free((struct symtab *)target.tab);
	debug_close(target.debug);
	return unlink(index_path);
}

/* The question is about the last word. */
static const char *hint(bool is_set, const char *const *typed, size_t n)
{
	static struct error err;
	struct words words = { .v = (char **)typed, .n = n };
	AUTO_REQUESTS struct requests requests = { 0 };

	assert_true(requests_parse(&words, 0, &requests, &err));
	err.text[0] = '\0';
	if (hint_address(&target, &requests, requests.n - 1, is_set, &err))
		assert_one_line(err.text);
	else
		assert_string_equal(err.text, "");
	return err.text;
}

#define HINT(is_set, ...) hint(is_set, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

static void test_words(void **state)
{
	assert_string_equal(HINT(false, "first_function", "text"),
			    "'text' is not an address but a variable of first_function: to record it write VAR text");
	assert_string_equal(HINT(true, "first_function", "PID", "comm", "counted"),
			    "'counted' was taken as a function: to record the variable of first_function write VAR counted");
	assert_string_equal(HINT(false, "first_function", "pid"), "'pid' is not an address: options are written in upper case: PID");
	assert_string_equal(HINT(true, "first_function", "comm"),
			    "'comm' was taken as a function: the option is COMM");
	assert_string_equal(HINT(false, "counted", "uid"),
			    "'uid' is not an address but a variable of counted: to record it write VAR uid");
	assert_string_equal(HINT(true, "first_function", "VAR", "counted"), "");
	assert_string_equal(HINT(true, "counted", "first_function"), "");
	assert_string_equal(HINT(false, "text"), "");
	assert_string_equal(HINT(false, "first_function", "text+8"), "");
	assert_string_equal(HINT(false, "nowhere", "text"), "");
}

static void refused(const char *text, const char *said)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct error err;

	assert_false(probe_points_resolve(&target, text, &points, &err));
	assert_string_equal(err.text, said);
	assert_one_line(err.text);
}

static void test_inlined(void **state)
{
	AUTO_PROBE_POINTS struct probe_points all = { 0 }, here = { 0 };
	struct error err;

	refused("always_in_others", "'always_in_others' exists only inlined, at 2 places: write inline:always_in_others");
	refused("always_in_others%return", "'always_in_others' exists only inlined, at 2 places: write inline:always_in_others");
	refused("inline:always_in_others@elsewhere.c",
		"'inline:always_in_others@elsewhere.c': the functions of 'elsewhere.c' have no copy; other files have 2: inline:always_in_others");
	refused("inline:always_in_others%return",
		"'inline:always_in_others%return': an inlined copy has no return: measure to another place, as in 'latency A B', or measure the function around it");
	assert_true(probe_points_resolve(&target, "inline:always_in_others", &all, &err));
	assert_true(probe_points_resolve(&target, "inline:always_in_others@test_hint.c", &here, &err));
	assert_int_equal(all.n, 2);
	assert_int_equal(here.n, 2);
	assert_string_equal(here.v[1].inlined, "always_in_others");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words), cmocka_unit_test(test_inlined) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
