// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On every CPU, a process of its own that writes to /dev/null; the sizes go round from 1 to SIZES:
 *
 *   counts WRITES SIZES		WRITES in all; a multiple of SIZES times the number of CPUs gives every size as often
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int cpu, long writes, long sizes)
{
	char *block = calloc(1, sizes);
	cpu_set_t set;
	int fd = open("/dev/null", O_WRONLY);

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!block || fd < 0 || sched_setaffinity(0, sizeof(set), &set))
		return 1;
	for (long i = 0; i < writes; i++)
		if (write(fd, block, 1 + i % sizes) != 1 + i % sizes)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const long writes = argc == 3 ? atol(argv[1]) : 0, sizes = argc == 3 ? atol(argv[2]) : 0;
	int status, failed = 0;

	if (writes < cpus || sizes < 1) {
		fputs("usage: counts WRITES SIZES\n", stderr);
		return 2;
	}
	for (long cpu = 0; cpu < cpus; cpu++)
		if (!fork())
			_exit(work(cpu, writes / cpus, sizes));
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}
