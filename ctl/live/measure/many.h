/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many.h - measure the calls of many functions at the same time, each by a measurement of its own. */
#ifndef KTRACE_MANY_H
#define KTRACE_MANY_H

#include "ctl/live/measure/live.h"

/* Do all options make sense for many functions? */
bool many_allows(const struct oneshot *o, struct error *err);

/* Functions of a pattern, and those of them that cannot be measured. */
struct many {
	const char *pattern;
	struct lives lives;
	size_t nr_refused;
	char names[256];	/* of the first ones: "a, b, c" */
	struct error why;	/* of the last one */
};

void many_refuse(struct many *many, const char *name, const struct error *why);
/*
 * Arm all together, measure, stop all together.  What is refused is named.  False: measuring failed, or none of the
 * functions can be measured.
 */
bool many_measure(struct session *s, struct oneshot *o, struct many *many, struct error *err);

#endif
