// SPDX-License-Identifier: GPL-2.0-or-later
/* test_interrupt.c - Ctrl-C stops the command that runs, not the program. */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ctl/base/interrupt.h"

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void test_flag(void **state)
{
	interrupt_catch();
	interrupt_catch();
	interrupt_release();
	assert_false(interrupt_pending());
	raise(SIGTERM);
	assert_true(interrupt_pending());
	assert_false(interrupt_by_ctrl_c());
	raise(SIGINT);
	assert_true(interrupt_by_ctrl_c());
	interrupt_clear();
	assert_false(interrupt_pending());
	interrupt_release();
}

/* Work at the end is ended by the next signal only; the one before is pending again then. */
static void test_anew(void **state)
{
	int before;

	interrupt_catch();
	raise(SIGTERM);
	before = interrupt_begin_anew();
	assert_false(interrupt_pending());
	interrupt_go_back(before);
	assert_true(interrupt_pending());
	before = interrupt_begin_anew();
	raise(SIGINT);
	assert_true(interrupt_by_ctrl_c());
	interrupt_go_back(before);
	assert_true(interrupt_pending());
	assert_false(interrupt_by_ctrl_c());
	interrupt_clear();
	before = interrupt_begin_anew();
	raise(SIGINT);
	interrupt_go_back(before);
	assert_true(interrupt_by_ctrl_c());
	interrupt_clear();
	interrupt_release();
}

/* A signal between the check and the sleep ends the sleep. */
static void test_held_signal_ends_a_sleep(void **state)
{
	int64_t start = now_ms();

	interrupt_catch();
	interrupt_hold();
	raise(SIGINT);
	assert_false(interrupt_pending());
	interrupt_nap(60000);
	assert_true(interrupt_pending());
	interrupt_let();
	assert_true(now_ms() - start < 30000);
	assert_false(interrupt_wait(STDIN_FILENO));
	interrupt_clear();
	interrupt_release();
}

/* Redirect standard output to this file meanwhile; returns its size. */
static off_t print_interrupted(const char *path)
{
	int saved = dup(STDOUT_FILENO), fd = open(path, O_RDWR | O_TRUNC);
	FILE *out = interrupt_output();
	struct stat st;

	dup2(fd, STDOUT_FILENO);
	fputs("12345", out);
	fflush(out);
	raise(SIGINT);
	for (int i = 0; i < 100000; i++)
		fputs("dropped", out);
	assert_int_equal(fflush(out), 0);
	assert_false(ferror(out));
	interrupt_clear();
	fputs("678", out);
	fclose(out);
	dup2(saved, STDOUT_FILENO);
	fstat(fd, &st);
	close(saved);
	close(fd);
	return st.st_size;
}

static void test_output_is_dropped(void **state)
{
	char path[] = "/tmp/ktrace-unit-XXXXXX";

	close(mkstemp(path));
	interrupt_catch();
	assert_int_equal(print_interrupted(path), 8);
	interrupt_release();
	unlink(path);
}

/* Long answers and Ctrl-D do not affect the next question or the next command. */
static void test_answers(void **state)
{
	static const char typed[] = "y\nyes, but of course\n\nno\nlist\n";
	char rest[16] = "";
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], typed, strlen(typed)), strlen(typed));
	interrupt_catch();
	assert_int_equal(interrupt_read_answer(fds[0]), 'y');
	assert_int_equal(interrupt_read_answer(fds[0]), 'y');
	assert_int_equal(interrupt_read_answer(fds[0]), '\n');
	assert_int_equal(interrupt_read_answer(fds[0]), 'n');
	assert_int_equal(read(fds[0], rest, sizeof(rest)), 5);
	assert_string_equal(rest, "list\n");
	raise(SIGINT);
	assert_int_equal(interrupt_read_answer(fds[0]), '\0');
	interrupt_clear();
	close(fds[1]);
	assert_int_equal(interrupt_read_answer(fds[0]), '\0');
	close(fds[0]);
	interrupt_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flag),
		cmocka_unit_test(test_anew),
		cmocka_unit_test(test_held_signal_ends_a_sleep),
		cmocka_unit_test(test_output_is_dropped),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
