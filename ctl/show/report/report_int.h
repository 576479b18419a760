/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_int.h - internals of the report formats. */
#ifndef KTRACE_REPORT_INT_H
#define KTRACE_REPORT_INT_H

#include "ctl/base/duration.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/report.h"

/* The reasons why calls were not measured, in the order of output. */
struct unpaired_cause {
	const char *key;	/* in JSON */
	uint64_t (*get)(const struct measurement *m);
	const char *text;	/* "3 ..." */
	const char *keyed;	/* MEASURE_KEYED: another text; NULL: the same */
};

const char *unpaired_text(const struct unpaired_cause *cause, const struct measurement *m);
/* What m->lost counts. */
const char *lost_text(const struct measurement *m);

extern const struct unpaired_cause unpaired_causes[];	/* the last row has key NULL */

/* The measurement with these samples only: for the figures of a group or a line. */
struct measurement measure_view(const struct measurement *m, const struct samples *s);

/* Is a percentile left out because there are too few samples? */
bool report_has_few(const struct measurement *m);

/* "corrected by ..."; NULL: nothing to say.  The caller frees it. */
char *correction_text(const struct measurement *m);

/* The groups; with others, those without room among them, too.  The caller frees this sheet and the others. */
struct sheet report_groups(const struct report *r, bool others);
struct sheet report_outliers(const struct measurement *m);
/* The lines of the function; and where calls left it: with --if those where the condition holds, or the others. */
struct sheet report_listing(const struct report *r);
struct sheet report_exits(const struct measurement *m, bool others);
/* The cells of a row that people read of measured calls, from the count to the total. */
void add_summary(struct sheet *sheet, const struct measurement *m);
/* OpenMetrics of so many measurements. */
void report_metrics_of(const struct measurement *v, size_t n, FILE *out);
/* The rows of report_csv(). */
void report_csv_rows(const struct report *r, struct sheet *sheet);

/* Does the condition of --fail-if hold?  Then *verdict says so. */
bool report_condition(const struct measurement *m, const struct oneshot *o, struct error *verdict);
/* Nothing was measured: *verdict says why.  Always true. */
bool report_never(const struct measurement *m, const struct oneshot *o, struct error *verdict);

/* The measured quantity as text: "time of a call", ... */
const char *measure_subject(const struct measurement *m);

/* The first lines of a page, up to its heading; and the last ones. */
void html_begin(const char *title, FILE *out);
void html_end(FILE *out);
/* The line of a page that says what was typed; typed NULL: nothing. */
void html_typed(const char *typed, FILE *out);

/* Is it one of the two of `lines`? */
static inline bool is_of_lines(const struct measurement *m)
{
	return m->kind == MEASURE_LINES || m->kind == MEASURE_LINE_COUNTS;
}

/* What was not measured, and why, as text. */
void report_counts(const struct measurement *m, FILE *out);

/* The part of a text report that `lines` adds. */
void report_lines(const struct report *r, FILE *out);

/* The parts of reports that --off-cpu adds; the object is null without it. */
void report_off_cpu(const struct report *r, FILE *out);
void add_off_cpu(struct sheet *sheet, const struct measurement *m);

/* How often a line was reached: "1,234"; ">= 12" if hits are missing, "?" if it was not traced at all.  Returns buf. */
const char *line_count_text(const struct line *line, char buf[DURATION_SIZE]);

/* The part of the measured time spent in a line: 0 to 1. */
double line_share(const struct measurement *m, const struct line *line);

#endif
