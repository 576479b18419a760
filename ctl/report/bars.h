/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars.h - a histogram for the eye: the buckets of a measurement gathered into few rows with round limits. */
#ifndef KTRACE_BARS_H
#define KTRACE_BARS_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/measure/measure.h"

struct bar {
	double from, to;	/* ns */
	uint64_t count;
	uint64_t up_to;		/* of this row and all before it */
};

struct bars {
	struct bar *v;		/* from the row of the shortest to that of the longest, without gaps */
	size_t n;
	uint64_t most;		/* in one of them */
	bool is_log;		/* each is by some factor wider than the one before */
};

/* At most so many (at least 4); none where there are no samples.  To be given to bars_free(). */
struct bars bars_make(const struct measurement *m, const struct samples *s, size_t at_most);
void bars_free(struct bars *rows);

#endif
