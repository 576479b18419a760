// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the cost of a hit of two tracers: one traces geteuid(2), the other getgid(2). getuid(2) does as much
 * work and is not traced.
 *
 *   hitratio ROUNDS
 *
 * A round makes a hundred calls of each in turns, on one CPU. The cost of a hit is the difference to getuid(2)
 * in the same round, so that disturbances affect all three. Prints the medians over all rounds: nanoseconds of
 * a hit on geteuid, of one on getgid, and the ratio of the second to the first in thousandths.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS	100

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double each(long number)
{
	double begin = now_ns();

	for (int i = 0; i < CALLS; i++)
		syscall(number);
	return (now_ns() - begin) / CALLS;
}

static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int ascending(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
	return values[n / 2];
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	double *first = calloc(rounds, sizeof(double)), *second = calloc(rounds, sizeof(double));
	double *ratio = calloc(rounds, sizeof(double));

	if (!rounds || !first || !second || !ratio)
		return 2;
	stay_here();
	for (size_t i = 0; i < rounds; i++) {
		double base = each(SYS_getuid);

		first[i] = each(SYS_geteuid) - base;
		second[i] = each(SYS_getgid) - base;
		ratio[i] = first[i] > 0 ? second[i] / first[i] : 1;
	}
	printf("%.0f %.0f ", median(first, rounds), median(second, rounds));
	printf("%.0f\n", 1000 * median(ratio, rounds));
	return 0;
}
