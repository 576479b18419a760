// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of one write(2) of a byte to /dev/null in ticks of the CPU's counter (with --icount: in
 * instructions):
 *
 * tsc [COUNT] prints the minimum of COUNT (default 1000) differences, minus that of an empty measurement. tsc
 * COUNT all also prints the mean, with all that runs in between: interrupts, and a reader of the trace. tsc khz
 * prints the rate of the counter.
 *
 * If the counter is slow compared with the CPU, it measures TICKS_BATCH writes at a time, in nanoseconds.
 */
#include <fcntl.h>
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

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	uint64_t least = UINT64_MAX, empty = UINT64_MAX, begin;
	int fd = open("/dev/null", O_WRONLY);

	if (argc > 1 && !strcmp(argv[1], "khz"))
		return print_khz();
	begin = ordered_ticks();
	for (long i = 0; i < count; i += TICKS_BATCH) {
		uint64_t start = ordered_ticks(), middle = ordered_ticks(), end;

		for (int j = 0; j < TICKS_BATCH; j++)
			if (write(fd, "", 1) != 1)
				return 1;
		end = ordered_ticks();
		if (middle - start < empty)
			empty = middle - start;
		if (end - middle < least)
			least = end - middle;
	}
	least = (least - empty) / TICKS_BATCH;
	if (argc > 2)
		return print_both(least, (ordered_ticks() - begin) / count);
	printf("%llu\n", (unsigned long long)least);
	return 0;
}
