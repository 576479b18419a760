/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_many.h - report the measurements of the functions of a pattern. */
#ifndef KTRACE_REPORT_MANY_H
#define KTRACE_REPORT_MANY_H

#include "ctl/live/measure/measure.h"
#include "ctl/live/measure/oneshot.h"

struct many_report {
	const char *pattern;	/* as typed */
	struct measurement *v;	/* of each function; the report sorts them */
	size_t n;
};

/* As report_show(): in the session's format; the condition of --fail-if holds if it does for one of the functions. */
bool report_many(struct session *s, const struct oneshot *o, const struct many_report *many, struct error *err);

#endif
