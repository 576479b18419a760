// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flip SECONDS: write 1 and 0 to /proc/sys/kernel/sched_schedstats in turns, so that the kernel patches its
 * jump labels all the time, until SECONDS are over or SIGTERM comes. Print the number of writes, and the
 * longest one in milliseconds.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void stop(int sig)
{
	over = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int fd = open("/proc/sys/kernel/sched_schedstats", O_WRONLY | O_CLOEXEC);
	double end = now() + (argc > 1 ? atof(argv[1]) : 10), began, longest = 0;
	unsigned long n;

	if (fd < 0) {
		perror("flip: sched_schedstats");
		return 1;
	}
	signal(SIGTERM, stop);
	for (n = 0; !over && now() < end; n++) {
		began = now();
		if (pwrite(fd, n % 2 ? "0\n" : "1\n", 2, 0) != 2) {
			perror("flip: write");
			return 1;
		}
		if (now() - began > longest)
			longest = now() - began;
		usleep(1000);
	}
	if (pwrite(fd, "0\n", 2, 0) != 2)
		return 1;
	printf("%lu %.0f\n", n, longest * 1e3);
	return 0;
}
