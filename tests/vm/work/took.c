// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure how long the CPU worked, in ticks of its counter (with --icount: in instructions). Meant for one CPU:
 *
 * took FILE COMMAND... runs the command, and writes into FILE how long the CPU worked meanwhile, for all
 * processes; the exit status is that of the command. took now prints how long the CPU has worked up to now.
 *
 * With tests/vm/run --profile, QEMU counts the instructions of the command by their addresses, too.
 *
 * Idle time is left out. The kernel tells it in nanoseconds, so the counter must have one tick a nanosecond.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"
#include "ticks.h"

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(125);
}

/* The time that CPUs were idle, with and without requests to a disk, in nanoseconds. */
static uint64_t idle(void)
{
	FILE *list = fopen("/proc/timer_list", "r");
	char line[256];
	uint64_t sum = 0, ns;

	if (!list)
		die("took: /proc/timer_list");
	while (fgets(line, sizeof(line), list))
		if (sscanf(line, " .idle_sleeptime : %" SCNu64, &ns) == 1 ||
		    sscanf(line, " .iowait_sleeptime : %" SCNu64, &ns) == 1)
			sum += ns;
	fclose(list);
	return sum;
}

static uint64_t worked(void)
{
	const uint64_t slept = idle();

	return ordered_ticks() - slept;
}

static void store(const char *name, uint64_t ticks)
{
	FILE *out = fopen(name, "w");

	if (!out || fprintf(out, "%" PRIu64 "\n", ticks) < 0 || fclose(out))
		die(name);
}

int main(int argc, char **argv)
{
	uint64_t begin;
	pid_t child;
	int status;

	if (argc == 2 && !strcmp(argv[1], "now"))
		return printf("%" PRIu64 "\n", worked()) < 0;
	if (argc < 3) {
		fputs("usage: took FILE COMMAND... | took now\n", stderr);
		return 125;
	}
	begin = worked();
	MARK(MARK_BEGIN);
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("took");
	MARK(MARK_END);
	store(argv[1], worked() - begin);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
