// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that change what they are, for filters by task.  Each call is getppid(2), which nobody else does in such numbers.
 *
 *   taskmix calls N [COMM]		N calls, as a task of that name
 *   taskmix setuid UID N		N calls as it is, then N as that user
 *   taskmix setpgid N			the child makes N calls; its parent, on another CPU, moves it to a group of its own;
 *					then N more.  Prints the child's pid first, and waits for a line on stdin
 *   taskmix turn N			on a line on stdin: N calls; on the next one: N more.  Prints its pid first
 *   taskmix fork N			N calls in the child of a child, whose parent is gone
 */
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void calls(long n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void await_line(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static int as_user(const char *uid, long n)
{
	calls(n);
	if (setresgid(atoi(uid), atoi(uid), atoi(uid)) || setresuid(atoi(uid), atoi(uid), atoi(uid)))
		return 1;
	calls(n);
	return 0;
}

/* The child spins in user space while its parent moves it. */
static int move_group(long n)
{
	int ready[2], moved[2];
	char c;
	pid_t child;

	if (pipe(ready) || pipe(moved))
		return 1;
	child = fork();
	if (!child) {
		on_cpu(1);
		if (read(moved[0], &c, 1) != 1)
			_exit(1);
		calls(n);
		if (write(ready[1], "x", 1) != 1 || read(moved[0], &c, 1) != 1)
			_exit(1);
		calls(n);
		_exit(0);
	}
	on_cpu(0);
	printf("%d\n", child);
	fflush(stdout);
	await_line();
	if (write(moved[1], "x", 1) != 1 || read(ready[0], &c, 1) != 1 || setpgid(child, child) ||
	    write(moved[1], "x", 1) != 1)
		return 1;
	return waitpid(child, NULL, 0) != child;
}

static int turns(long n)
{
	printf("%d\n", getpid());
	fflush(stdout);
	await_line();
	calls(n);
	await_line();
	calls(n);
	return 0;
}

static int orphan(long n)
{
	if (!fork()) {
		if (!fork()) {
			usleep(200000);
			calls(n);
			_exit(0);
		}
		_exit(0);
	}
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "setuid"))
		return as_user(argv[2], atol(argv[3]));
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "setpgid"))
		return move_group(atol(argv[2]));
	if (!strcmp(argv[1], "turn"))
		return turns(atol(argv[2]));
	if (!strcmp(argv[1], "fork"))
		return orphan(atol(argv[2]));
	if (argc > 3)
		prctl(PR_SET_NAME, argv[3]);
	calls(atol(argv[2]));
	return 0;
}
