// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a command, and write what the kernel has counted for it:
 *
 *   spent FILE COMMAND...
 *
 * FILE gets one line: the process id, the times on a CPU and waiting for one of /proc/PID/schedstat, the user and system
 * time of wait4(2), in ns, and the most memory that was resident, in KiB. The first two times are read when the command has
 * ended, but is not yet reaped: they do not change any more. The exit status is that of the command.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(125);
}

static void schedstat(pid_t pid, uint64_t *ran, uint64_t *waited)
{
	char name[64];
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%d/schedstat", pid);
	in = fopen(name, "r");
	if (!in || fscanf(in, "%" SCNu64 " %" SCNu64, ran, waited) != 2)
		die(name);
	fclose(in);
}

/* The last switch away from the command may come after the signal of its end: wait until its times stay the same. */
static void last_schedstat(pid_t pid, uint64_t *ran, uint64_t *waited)
{
	uint64_t before;

	*ran = 0;
	do {
		before = *ran;
		usleep(20000);
		schedstat(pid, ran, waited);
	} while (*ran != before);
}

static uint64_t ns(struct timeval t)
{
	return t.tv_sec * UINT64_C(1000000000) + t.tv_usec * UINT64_C(1000);
}

static int store(const char *name, pid_t pid)
{
	uint64_t ran, waited;
	struct rusage usage;
	siginfo_t info;
	int status;
	FILE *out;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		die("spent: waitid");
	last_schedstat(pid, &ran, &waited);
	if (wait4(pid, &status, 0, &usage) != pid)
		die("spent: wait4");
	out = fopen(name, "w");
	if (!out || fprintf(out, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %ld\n", pid, ran, waited,
			    ns(usage.ru_utime), ns(usage.ru_stime), usage.ru_maxrss) < 0 || fclose(out))
		die(name);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc < 3) {
		fputs("usage: spent FILE COMMAND...\n", stderr);
		return 125;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	if (pid < 0)
		die("spent: fork");
	return store(argv[1], pid);
}
