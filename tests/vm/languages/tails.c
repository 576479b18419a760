// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose calls end by a jump into a library, and which tells the truth about them as throws.cpp does:
 *
 *   tails COUNT [MICROSECONDS]
 *
 * COUNT times it calls away(), which jumps to library_end() of another file, or returns, or jumps to library_on(), which
 * jumps back to program_end(); and library_end() directly.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tails.h"

static struct told all[] = { { .name = "away" }, { .name = "program_end" } };

NOINLINE long program_end(long n)
{
	const long began = begin_call(&all[1], n);

	spin();
	return end_call(&all[1], began, n + 2);
}

/* Of three calls one returns here. */
NOINLINE long away(long n)
{
	const long began = begin_call(&all[0], n);

	if (n % 3 == 1)
		return library_end(n);
	if (n % 3 == 2)
		return library_on(n);
	spin();
	return end_call(&all[0], began, n);
}

int main(int argc, char **argv)
{
	const long count = argc > 1 ? atol(argv[1]) : 1;
	volatile long sum = 0;

	length = argc > 2 ? atol(argv[2]) * 1000 : 0;
	for (long n = 1; n <= count; n++) {
		sum += away(n);
		sum += library_end(n);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		print_told(&all[i]);
	print_library();
	return 0;
}
