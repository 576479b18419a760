// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count by a hardware breakpoint how often an address of the kernel is executed while a command runs:
 *
 *   hwbreak ADDRESS COMMAND...		ADDRESS in hex
 *
 * Exit status 77: this machine has no hardware breakpoints.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_breakpoint(uint64_t addr)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_X, .bp_addr = addr,
		.bp_len = sizeof(long), .inherit = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(int argc, char **argv)
{
	uint64_t count = 0;
	int fd, status;

	if (argc < 3) {
		fputs("usage: hwbreak ADDRESS COMMAND...\n", stderr);
		return 2;
	}
	fd = open_breakpoint(strtoull(argv[1], NULL, 16));
	if (fd < 0) {
		fprintf(stderr, "hwbreak: %s\n", strerror(errno));
		return 77;
	}
	if (fork() == 0) {
		dup2(2, 1);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	wait(&status);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 1;
	printf("%llu\n", (unsigned long long)count);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
