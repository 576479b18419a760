// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of one write(2) of a byte to /dev/null in ticks of the TSC (with --icount: in instructions):
 * tsc [COUNT] prints the least of COUNT (default 1000) differences, less that of an empty measurement.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t now(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) :: "memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks) :: "memory");
	return ticks;
#endif
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	uint64_t least = UINT64_MAX, empty = UINT64_MAX;
	int fd = open("/dev/null", O_WRONLY);

	for (long i = 0; i < count; i++) {
		uint64_t start = now(), middle = now(), end;

		if (write(fd, "", 1) != 1)
			return 1;
		end = now();
		if (middle - start < empty)
			empty = middle - start;
		if (end - middle < least)
			least = end - middle;
	}
	printf("%llu\n", (unsigned long long)(least - empty));
	return 0;
}
