// SPDX-License-Identifier: GPL-2.0-or-later
/* test_terminal.c - who is at the other end of a terminal. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/live/session/terminal.h"

static pid_t outermost;

/* Open a pseudo terminal.  Returns the end that shows the output. */
static int open_terminal(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && (grantpt(fd) || unlockpt(fd)))
		abort();
	return fd;
}

/* In a child: make the other end the terminal of this process. */
static void enter(int master, bool controls)
{
	int fd;

	setsid();
	fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (fd < 0 || (controls && ioctl(fd, TIOCSCTTY, 0)))
		abort();
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	close(fd);
	close(master);
}

static void leave_files(void)
{
	const int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(null, i);
	close(null);
}

/* Run it in a child, which says whether all is as it should be.  master: what the child's terminal belongs to. */
static void in_child(bool (*check)(int master), int master)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check(master) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The holder itself may be on a terminal: those that hold that one come behind. */
static bool finds(pid_t holder)
{
	struct terminal t;

	terminal_find(&t);
	return t.n >= 1 && t.holders[0].pid == holder && !strncmp(t.holders[0].name, "test_terminal", KT_COMM_BYTES - 1);
}

static bool by_standard_output(int master)
{
	enter(master, false);
	return finds(getppid());
}

static bool by_controlling_terminal(int master)
{
	enter(master, true);
	leave_files();
	return finds(getppid());
}

/* The terminal of a holder that is on a terminal itself: as sudo on that of sshd. */
static bool inner(int master)
{
	struct terminal t;

	enter(master, true);
	terminal_find(&t);
	return t.n >= 2 && t.holders[0].pid == getppid() && t.holders[1].pid == outermost;
}

static bool outer(int master)
{
	pid_t pid;
	int status;

	outermost = getppid();
	enter(master, true);
	master = open_terminal();
	pid = fork();
	if (!pid)
		_exit(inner(master) ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Nobody has the other end any more. */
static bool unknown(int master)
{
	struct terminal t;

	enter(open_terminal(), false);
	terminal_find(&t);
	return !t.n && t.is_unknown;
}

static bool none(int master)
{
	struct terminal t;

	setsid();
	leave_files();
	terminal_find(&t);
	return !t.n && !t.is_unknown;
}

static void test_terminals(void **state)
{
	bool (*const checks[])(int master) = {
		by_standard_output, by_controlling_terminal, outer, unknown, none,
	};
	int master = open_terminal();

	if (master < 0)
		skip();
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		in_child(checks[i], master);
	close(master);
}

/* The holder is no ancestor, because the process between the two has ended. */
static void test_orphan(void **state)
{
	const pid_t holder = getpid();
	int master = open_terminal(), ends[2];
	bool found = false;
	pid_t between;

	if (master < 0)
		skip();
	assert_int_equal(pipe(ends), 0);
	between = fork();
	if (!between) {
		const pid_t parent = getpid();

		if (fork())
			_exit(0);
		while (getppid() == parent)
			usleep(1000);
		enter(master, false);
		found = finds(holder);
		_exit(write(ends[1], &found, sizeof(found)) != sizeof(found));
	}
	close(ends[1]);
	assert_int_equal(waitpid(between, NULL, 0), between);
	assert_int_equal(read(ends[0], &found, sizeof(found)), sizeof(found));
	assert_true(found);
	close(ends[0]);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_terminals), cmocka_unit_test(test_orphan) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
