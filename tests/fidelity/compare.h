/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.h - differences between two executions of a trial. */
#ifndef FIDELITY_COMPARE_H
#define FIDELITY_COMPARE_H

#include "execute.h"

struct differences {
	bool any;
	bool ending;		/* signal, its code and address, exception, error code */
	bool rip, flags, segments;
	u32 gprs;		/* a bit for each register */
	int vectors, memory;	/* the first offset; -1: equal */
};

void compare(const struct result *in_place, const struct result *displaced, struct differences *out);

/* Is the trap frame right: equal to trial->state? */
bool compare_frame(const struct trial *trial, const struct outcome *outcome);

#define MAX_TOLERATED	8

/* The row in the table of known and accepted differences; -1: none. */
int compare_tolerated(const struct trial *trial, const struct result *in_place,
		      const struct result *displaced, const struct differences *differences);
const char *compare_tolerated_reason(int row);	/* NULL after the last row */

#endif
