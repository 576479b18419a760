// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of one write(2) of a byte to /dev/null in ticks of the CPU's counter (with --icount: in
 * instructions):
 *
 * tsc [COUNT] prints the minimum of COUNT (default 1000) differences, minus that of an empty measurement. tsc
 * COUNT all also prints the mean, with all that runs in between: interrupts, and a reader of the trace. tsc COUNT
 * name measures access(2) of a file that does not exist instead. tsc khz prints the rate of the counter.
 *
 * If the counter is slow compared with the CPU, it measures TICKS_BATCH writes at a time, in nanoseconds.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "ticks.h"

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int print_khz(void)
{
	uint64_t ns = nanoseconds(), ticks = ordered_ticks(), elapsed;

	usleep(50000);
	elapsed = nanoseconds() - ns;
	printf("%llu\n", (unsigned long long)((ordered_ticks() - ticks) * 1000000 / elapsed));
	return 0;
}

/* Use writev(2): a tracer that counts writes of a byte must not count this one. */
static int print_both(uint64_t least, uint64_t mean)
{
	char text[64];
	struct iovec part = { .iov_base = text };

	part.iov_len = snprintf(text, sizeof(text), "%llu %llu\n", (unsigned long long)least, (unsigned long long)mean);
	return writev(STDOUT_FILENO, &part, 1) != (ssize_t)part.iov_len;
}

/* The ticks of one call. Inline, so that the loop does not look which call it is. */
static inline __attribute__((always_inline)) uint64_t measure(long count, int fd, bool is_name)
{
	uint64_t least = UINT64_MAX, empty = UINT64_MAX;

	for (long i = 0; i < count; i += TICKS_BATCH) {
		uint64_t start = ordered_ticks(), middle = ordered_ticks(), end;

		for (int j = 0; j < TICKS_BATCH; j++)
			if (is_name ? access("/dev/no-such-file", F_OK) != -1 : write(fd, "", 1) != 1)
				exit(1);
		end = ordered_ticks();
		if (middle - start < empty)
			empty = middle - start;
		if (end - middle < least)
			least = end - middle;
	}
	return (least - empty) / TICKS_BATCH;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	int fd = open("/dev/null", O_WRONLY);
	uint64_t least, begin;

	if (argc > 1 && !strcmp(argv[1], "khz"))
		return print_khz();
	begin = ordered_ticks();
	least = argc > 2 && !strcmp(argv[2], "name") ? measure(count, fd, true) : measure(count, fd, false);
	if (argc > 2 && !strcmp(argv[2], "all"))
		return print_both(least, (ordered_ticks() - begin) / count);
	printf("%llu\n", (unsigned long long)least);
	return 0;
}
