/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_int.h - shared by the formats of a report. */
#ifndef KTRACE_REPORT_INT_H
#define KTRACE_REPORT_INT_H

#include "ctl/measure/fields.h"
#include "ctl/report/report.h"

/* Why calls could not be measured, in the order in which it is said. */
struct unpaired_cause {
	const char *key;	/* in JSON */
	uint64_t (*get)(const struct measurement *m);
	const char *text;	/* "3 ..." */
};

extern const struct unpaired_cause unpaired_causes[];	/* ends with key NULL */

/* The measurement as if these had been all its samples: for the figures of a group or a line. */
struct measurement measure_view(const struct measurement *m, const struct samples *s);

/* "corrected by ..."; to be freed; NULL where there is nothing to be said. */
char *correction_text(const struct measurement *m);

/* What is measured, for people: "time of a call", ... */
const char *measure_subject(const struct measurement *m);

/* Part of the whole measured time that was spent in a line: 0 to 1. */
double line_share(const struct measurement *m, const struct line *line);

#endif
