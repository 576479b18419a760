/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit.h - cmocka, and the headers that it needs before it. */
#ifndef KTRACE_UNIT_H
#define KTRACE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define assert_contains(text, part) \
	do { \
		if (!strstr(text, part)) \
			fail_msg("'%s' is not in '%s'", part, text); \
	} while (0)

/*
 * Seed rand() with the variable SEED; without it, with the time, so that each run has other numbers.  Prints the seed, with which a run
 * can be repeated.
 */
static __attribute__((unused)) void unit_random(void)
{
	const char *text = getenv("SEED");
	const unsigned int seed = text ? (unsigned int)strtoul(text, NULL, 10) : (unsigned int)time(NULL);

	print_message("SEED=%u\n", seed);
	srand(seed);
}

#define assert_one_line(text) assert_null(strchr(text, '\n'))

#endif
