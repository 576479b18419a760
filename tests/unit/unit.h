/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit.h - cmocka, and the headers that it needs before it. */
#ifndef KTRACE_UNIT_H
#define KTRACE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

/*
 * Some tests take long, since they run many random rounds, or try many places.  `make check` runs one in UNIT_SHARE of them.
 * `make check-rest` sets the variable WHOLE and runs them all; mk/unit.mk finds the programs that call these functions.
 */
#define UNIT_SHARE	7	/* prime: so a pattern that repeats every 2, 3 or 4 places is not always hit at the same point */

/* The number of random rounds to run, where a whole test has n. */
static __attribute__((unused)) unsigned int unit_rounds(unsigned int n)
{
	return getenv("WHOLE") ? n : n / UNIT_SHARE;
}

/* Does this run try the i-th of many places?  The seed of unit_random() decides which ones. */
static __attribute__((unused)) bool unit_takes(unsigned int i)
{
	static unsigned int first = UNIT_SHARE;

	if (getenv("WHOLE"))
		return true;
	if (first == UNIT_SHARE) {
		unit_random();
		first = (unsigned int)rand() % UNIT_SHARE;
	}
	return i % UNIT_SHARE == first;
}

#define assert_one_line(text) assert_null(strchr(text, '\n'))

#endif
