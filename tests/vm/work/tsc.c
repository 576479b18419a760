// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of one write(2) of a byte to /dev/null in ticks of the CPU's counter (with --icount: in
 * instructions):
 *
 * tsc [COUNT] prints the minimum of COUNT (default 1000) differences, minus that of an empty measurement. tsc
 * COUNT all also prints the mean, with all that runs in between: interrupts, and a reader of the trace. tsc COUNT
 * name measures access(2) of a file that does not exist instead; tsc COUNT fault a page fault, with the madvise(2) that
 * takes the page away again; tsc COUNT switch half of a round trip of a byte to another process, so one switch of the CPU, if
 * there is only one: the least median of 100 in a row, because the scheduler has several ways, and the least of them is rare. tsc khz
 * prints the rate of the counter.
 *
 * If the counter is slow compared with the CPU, it measures TICKS_BATCH writes at a time, in nanoseconds.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
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

enum what { WRITE, NAME, FAULT, SWITCH };

static int to_other[2], from_other[2];
static volatile char *page;

static void fail(void)
{
	perror("tsc");
	exit(1);
}

/* The other process sends each byte back. */
static pid_t begin_switches(void)
{
	pid_t child;
	char byte;

	if (pipe(to_other) || pipe(from_other) || (child = fork()) < 0)
		fail();
	if (child)
		return child;
	close(to_other[1]);
	while (read(to_other[0], &byte, 1) == 1)
		if (write(from_other[1], &byte, 1) != 1)
			break;
	_exit(0);
}

static void end_switches(pid_t child)
{
	close(to_other[1]);
	waitpid(child, NULL, 0);
}

/* Inline, so that the loop does not look which call it is. */
static inline __attribute__((always_inline)) bool call(enum what what, int fd)
{
	char byte = 0;

	switch (what) {
	case NAME:
		return access("/dev/no-such-file", F_OK) == -1;
	case FAULT:
		*page = 1;
		return !madvise((void *)page, 4096, MADV_DONTNEED);
	case SWITCH:
		return write(to_other[1], &byte, 1) == 1 && read(from_other[0], &byte, 1) == 1;
	default:
		return write(fd, "", 1) == 1;
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t least_median(uint64_t *all, long n)
{
	uint64_t least = UINT64_MAX;

	for (long part; n; all += part, n -= part) {
		part = n < 200 ? n : 100;
		qsort(all, part, sizeof(*all), compare);
		if (all[part / 2] < least)
			least = all[part / 2];
	}
	return least;
}

/* The ticks of one call: the least of all batches, or with `each`, which has room for all of them, the least median. */
static inline __attribute__((always_inline)) uint64_t measure(long batches, int fd, enum what what, uint64_t *each)
{
	uint64_t least = UINT64_MAX, empty = UINT64_MAX;

	for (long i = 0; i < batches; i++) {
		uint64_t start = ordered_ticks(), middle = ordered_ticks(), end;

		for (int j = 0; j < TICKS_BATCH; j++)
			if (!call(what, fd))
				exit(1);
		end = ordered_ticks();
		if (middle - start < empty)
			empty = middle - start;
		if (end - middle < least)
			least = end - middle;
		if (each)
			each[i] = end - middle;
	}
	if (each)
		least = least_median(each, batches);
	return (least - empty) / TICKS_BATCH;
}

static uint64_t measure_fault(long batches, int fd)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		fail();
	return measure(batches, fd, FAULT, NULL);
}

static uint64_t measure_switch(long batches, int fd)
{
	uint64_t *each = calloc(batches, sizeof(*each)), ticks;
	pid_t child;

	if (!each)
		fail();
	child = begin_switches();
	ticks = measure(batches, fd, SWITCH, each);
	end_switches(child);
	free(each);
	return ticks / 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	long count = argc > 1 ? atol(argv[1]) : 1000;
	int fd = open("/dev/null", O_WRONLY);
	const long batches = (count + TICKS_BATCH - 1) / TICKS_BATCH;
	uint64_t least, begin;

	if (argc > 1 && !strcmp(argv[1], "khz"))
		return print_khz();
	begin = ordered_ticks();
	least = !strcmp(what, "name") ? measure(batches, fd, NAME, NULL) : !strcmp(what, "fault") ? measure_fault(batches, fd) :
		!strcmp(what, "switch") ? measure_switch(batches, fd) : measure(batches, fd, WRITE, NULL);
	if (!strcmp(what, "all"))
		return print_both(least, (ordered_ticks() - begin) / count);
	printf("%llu\n", (unsigned long long)least);
	return 0;
}
