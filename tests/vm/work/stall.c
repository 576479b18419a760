// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long was a process kept from running? It sleeps for a millisecond again and again, until it is told to
 * end.
 *
 *   stall			at SIGTERM, print the number of sleeps and the milliseconds of the longest
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(void)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	double longest = 0, last = now();
	unsigned long naps = 0;

	signal(SIGTERM, end);
	while (!ended) {
		double at;

		nanosleep(&nap, NULL);
		at = now();
		if (at - last > longest)
			longest = at - last;
		last = at;
		naps++;
	}
	printf("%lu %.0f\n", naps, longest);
	return 0;
}
