/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duration.h - durations with a unit: parse typed ones, format them for people. */
#ifndef KTRACE_DURATION_H
#define KTRACE_DURATION_H

#include <stdbool.h>
#include <stddef.h>

/* A number that is not negative, with its unit: ns, us, ms or s.  Without a unit, unit is "". */
struct quantity {
	double value;
	const char *unit;	/* "" or one of the units */
	double ns;		/* value in nanoseconds; without a unit, value itself */
};

/* Parse text up to one of the characters in `until`; *end points to that character.  False: not a quantity. */
bool quantity_parse(const char *text, const char *until, struct quantity *out, const char **end);

/* A time that an option takes: seconds, or a number with its unit.  False: it is neither. */
bool duration_parse(const char *text, double *ms);

#define DURATION_SIZE	32

/* Format with three significant digits and a unit: "38.7 ns", "1.20 ms"; 0 as "0".  Returns buf. */
const char *duration_text(double ns, char buf[DURATION_SIZE]);
/* Format a count with separators: 1,234,567.  Returns buf. */
const char *count_text(unsigned long long n, char buf[DURATION_SIZE]);
/* Format a size: "1.2 MiB"; below 1 KiB with the given unit: "17 bytes".  Returns buf. */
const char *bytes_text(double bytes, const char *unit, char buf[DURATION_SIZE]);

#endif
