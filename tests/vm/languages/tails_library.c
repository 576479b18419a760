// SPDX-License-Identifier: GPL-2.0-or-later
/* The library of tails.c: functions to which that program jumps. */
#include <stdio.h>
#include <time.h>

#include "tails.h"

long length;

static struct told all[] = { { .name = "library_end" }, { .name = "library_on" } };

long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

void spin(void)
{
	const long until = now() + length;

	while (now() < until)
		;
}

NOINLINE long library_end(long n)
{
	const long began = begin_call(&all[0], n);

	spin();
	return end_call(&all[0], began, n + 1);
}

/* It jumps back into the program. */
NOINLINE long library_on(long n)
{
	begin_call(&all[1], n);
	return program_end(n);
}

void print_told(const struct told *told)
{
	printf("truth %s %ld %ld %ld %ld %ld\n", told->name, told->calls, told->arguments, told->returns, told->values,
	       told->nanoseconds);
}

void print_library(void)
{
	print_told(&all[0]);
	print_told(&all[1]);
}
