/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duration.h - times with their unit, as they are typed and as they are shown. */
#ifndef KTRACE_DURATION_H
#define KTRACE_DURATION_H

#include <stdbool.h>
#include <stddef.h>

/* A number that is not negative, and its unit: ns, us, ms, s.  Where there is none, unit is taken ("" too). */
struct quantity {
	double value;
	const char *unit;	/* as it was typed: "" or one of those */
	double ns;		/* value in them, where there is a unit */
};

/* All of text up to one of the characters in `until`; *end is where that was.  False: it is none. */
bool quantity_parse(const char *text, const char *until, struct quantity *out, const char **end);

#define DURATION_SIZE	32

/* 0, or with three digits that mean something, and its unit: "38.7 ns", "1.20 ms". */
const char *duration_text(double ns, char buf[DURATION_SIZE]);
/* A count, with separators that people read: 1,234,567. */
const char *count_text(unsigned long long n, char buf[DURATION_SIZE]);

#endif
