/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - `lines`: measure a function line by line, in one of two ways. */
#ifndef KTRACE_CTL_LINES_H
#define KTRACE_CTL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/live/measure/measure.h"
#include "ctl/live/measure/oneshot.h"

/* The function to measure. */
struct lines_subject {
	struct requests typed;		/* the function, and its options */
	const struct target *home;	/* the program that it is in; NULL: the kernel */
	char *prefix;			/* of addresses there: "./server:", ""; owned */
	struct function_lines lines;
	struct probe_points back;	/* its return instructions */
};

/* Find it.  On failure the caller still frees *out. */
bool lines_find(struct session *s, const struct oneshot *o, struct lines_subject *out, struct error *err);
void lines_free(struct lines_subject *subject);
/* Put the names of the lines into *m, and what is the same in both ways. */
void lines_name(const struct lines_subject *subject, const struct oneshot *o, struct measurement *m);
/* Put in the row of line i that it has a probe point at addr. */
void lines_add_addr(struct measurement *m, size_t i, uint64_t addr, bool is_refused);

/*
 * Measure how long control stays in each line; fill in *m.  *too_hot: the lines are executed so often that the brake turned hits
 * away, and the measurement ended there; if it can be done again by counting.
 */
bool lines_times(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, bool *too_hot,
		 struct error *err);
/* Only count how often control comes to each line, in a table of the module. */
bool lines_counts(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, struct error *err);

#endif
