// SPDX-License-Identifier: GPL-2.0-or-later
/* test_progress.c - the line of progress on a terminal, and what is said once elsewhere. */
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctl/base/now.h"
#include "ctl/base/progress.h"

static int master;
static FILE *terminal;

static int setup(void **state)
{
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return -1;
	terminal = fopen(ptsname(master), "r+e");
	return terminal ? 0 : -1;
}

static int teardown(void **state)
{
	fclose(terminal);
	close(master);
	return 0;
}

static void shows(const char *wanted)
{
	char text[512] = "";

	assert_true(read(master, text, sizeof(text) - 1) > 0);
	assert_contains(text, wanted);
}

static void test_time_left(void **state)
{
	struct progress_line line = progress_open(terminal, false, false);

	progress_show(&line, 1000, 2250, 5000, 4000, 0);
	shows("\r\033[Kktrace: 1.2 s  3.8 s left  4,000 hits  3,200/s  0 lost");
	progress_show(&line, 1000, 9000, 5000, 4000, 0);
	shows("8.0 s  0.0 s left  4,000 hits  0/s");
	progress_show(&line, 1000, 10000, -1, 4000, 0);
	shows("9.0 s  4,000 hits");
	progress_close(&line);
	shows("\r\033[K");
}

static void test_change(void **state)
{
	struct progress_line line = progress_open(terminal, false, false);

	progress_change(&line, "set", 10, 50);
	shows("ktrace: 10 of 50 tracepoints set");
	/* Ten have taken two seconds. */
	line.at_ms = now_ms() - 2000;
	progress_change(&line, "set", 20, 50);
	shows("ktrace: 20 of 50 tracepoints set, ");
	line.at_ms = now_ms() - 1990;
	progress_change(&line, "set", 20, 50);
	shows(", 6 s left");
	progress_close(&line);
	shows("\r\033[K");
}

static void test_part(void **state)
{
	struct progress_line line = progress_open(terminal, false, false);

	progress_part(&line, "saving", 0, 400);
	progress_part(&line, "saving", 10, 400);
	assert_false(line.any);
	/* A hundred have taken two seconds. */
	line.began_ms = now_ms() - 1990;
	progress_part(&line, "saving", 100, 400);
	shows("\r\033[Kktrace: saving: 25 %, 6 s left");
	/* Not again so soon. */
	progress_part(&line, "saving", 200, 400);
	/* What was expected at the last look still holds, until it is over. */
	line.at_ms = 0;
	line.ends_ms = now_ms() + 1500;
	progress_part(&line, "saving", 200, 400);
	shows("\r\033[Kktrace: saving: 50 %, 2 s left");
	line.at_ms = 0;
	line.ends_ms = now_ms() - 1;
	progress_part(&line, "saving", 200, 400);
	shows("\r\033[Kktrace: saving: 50 %");
	progress_close(&line);
	shows("\r\033[K");
}

/* No terminal: what lasts longer than a second is said once. */
static void test_elsewhere(void **state)
{
	FILE *file = tmpfile();
	struct progress_line line = progress_open(file, false, true);
	char text[256] = "";

	progress_show(&line, 0, 5000, 5000, 1, 0);
	for (int round = 0; round < 3; round++) {
		progress_wait(&line, "reading");
		line.began_ms = now_ms() - 1000 * round;
	}
	progress_close(&line);
	progress_change(&line, "set", 0, 45053);
	line.began_ms = now_ms() - 1000;
	progress_change(&line, "set", 100, 45053);
	progress_change(&line, "set", 200, 45053);
	progress_close(&line);
	progress_part(&line, "saving", 1, 2);
	progress_close(&line);
	rewind(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file));
	assert_string_equal(text, "ktrace: reading ...\nktrace: 45,053 tracepoints are being set ...\n");
	fclose(file);
}

static void test_quiet(void **state)
{
	struct progress_line line = progress_open(terminal, true, false);

	progress_show(&line, 0, 5000, 5000, 1, 0);
	progress_change(&line, "set", 1, 2);
	line.began_ms = 1;
	progress_part(&line, "saving", 1, 2);
	assert_false(line.any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_left), cmocka_unit_test(test_change), cmocka_unit_test(test_part),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
