/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - report a finished measurement as text, JSON, CSV or HTML page, and decide the exit status.
 * docs/measure.md is the reference for programs.
 */
#ifndef KTRACE_REPORT_H
#define KTRACE_REPORT_H

#include <stdio.h>

#include "ctl/live/measure/measure.h"
#include "ctl/live/measure/oneshot.h"

#define MEASURE_VERSION	2	/* version of the JSON and CSV schemas: docs/measure.md, docs/measure.schema.json */

#define TIMELINE_BINS	240

/* Hits over the time from m->began to m->ended, in bins of equal width. */
struct timeline {
	struct timeline_series {
		char *name;
		uint64_t bins[TIMELINE_BINS];
	} *series;
	size_t nr;
};

struct report {
	const struct measurement *m;
	const struct oneshot *o;
	const struct timeline *timeline;	/* or NULL */
	bool colour, ascii;			/* for the text format */
	const char *typed;			/* the command, for the page; NULL: unknown */
};

/*
 * Print in the session's format, write the HTML page if requested, and decide the status: STATUS_CONDITION if
 * --fail-if holds, STATUS_NEVER if nothing was measured.  timeline may be NULL.
 */
bool report_show(struct session *s, const struct oneshot *o, const struct measurement *m,
		 const struct timeline *timeline, struct error *err);

/* The formats, for tests. */
void report_text(const struct report *r, FILE *out);
void report_json(const struct report *r, FILE *out);
void report_csv(const struct report *r, FILE *out);
void report_html(const struct report *r, FILE *out);
void report_metrics(const struct report *r, FILE *out);

/* One line with the request.  The caller frees it. */
char *report_title(const struct report *r);

#endif
