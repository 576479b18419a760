/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a finished measurement as text for people, JSON, CSV and a page for a browser, and what it means for the
 * exit status.  docs/measure.md describes what programs may rely on.
 */
#ifndef KTRACE_REPORT_H
#define KTRACE_REPORT_H

#include <stdio.h>

#include "ctl/measure/measure.h"
#include "ctl/measure/oneshot.h"

#define MEASURE_VERSION	1	/* of the JSON and CSV schemas: docs/measure.md, docs/measure.schema.json */

#define TIMELINE_BINS	240

/* How often things happened in the course of the measurement: from m->began to m->ended, evenly divided. */
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
	bool colour, ascii;			/* of the text */
};

/*
 * Print it as the session wants it, write the page where one is wanted, and conclude: STATUS_CONDITION
 * where --fail-if holds, STATUS_NEVER where nothing was measured.  timeline may be NULL.
 */
bool report_show(struct session *s, const struct oneshot *o, const struct measurement *m,
		 const struct timeline *timeline, struct error *err);

/* The parts, for tests. */
void report_text(const struct report *r, FILE *out);
void report_json(const struct report *r, FILE *out);
void report_csv(const struct report *r, FILE *out);
void report_html(const struct report *r, FILE *out);

/* One line: what was asked for. */
char *report_title(const struct report *r);

#endif
