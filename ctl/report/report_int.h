/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_int.h - internals of the report formats. */
#ifndef KTRACE_REPORT_INT_H
#define KTRACE_REPORT_INT_H

#include "ctl/measure/fields.h"
#include "ctl/report/report.h"

/* The reasons why calls were not measured, in the order of output. */
struct unpaired_cause {
	const char *key;	/* in JSON */
	uint64_t (*get)(const struct measurement *m);
	const char *text;	/* "3 ..." */
};

extern const struct unpaired_cause unpaired_causes[];	/* the last row has key NULL */

/* The measurement with these samples only: for the figures of a group or a line. */
struct measurement measure_view(const struct measurement *m, const struct samples *s);

/* "corrected by ..."; NULL: nothing to say.  The caller frees it. */
char *correction_text(const struct measurement *m);

/* The measured quantity as text: "time of a call", ... */
const char *measure_subject(const struct measurement *m);

/* The style sheet of all pages. */
extern const char html_style[];

/* The part of the measured time spent in a line: 0 to 1. */
double line_share(const struct measurement *m, const struct line *line);

#endif
