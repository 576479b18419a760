/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars.h - a histogram for display: the buckets of a measurement, gathered into few rows with round limits. */
#ifndef KTRACE_BARS_H
#define KTRACE_BARS_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/live/measure/measure.h"

struct bar {
	double from, to;	/* ns */
	uint64_t count;
	uint64_t up_to;		/* count of this row and all rows before */
};

struct bars {
	struct bar *v;		/* from the row of the shortest value to that of the longest, without gaps */
	size_t n;
	uint64_t most;		/* largest count of a row */
	bool is_log;		/* the widths grow by a factor */
};

/* At most at_most rows (at least 4); none without samples.  The caller frees them with bars_free(). */
struct bars bars_make(const struct measurement *m, const struct samples *s, size_t at_most);
void bars_free(struct bars *rows);

#endif
