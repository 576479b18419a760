/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - the figures of a measurement by their stable names, for --fail-if and for output. */
#ifndef KTRACE_FIELDS_H
#define KTRACE_FIELDS_H

#include <stdbool.h>

#include "ctl/live/measure/measure.h"

struct measure_field {
	const char *name;	/* in conditions and as heading in text output */
	const char *key;	/* in JSON and CSV */
	bool is_time;		/* in ns; else a count */
	double (*get)(const struct measurement *m);
	const char *meaning;
	bool of_histogram;	/* unknown without a histogram */
	uint64_t least;		/* unknown with fewer samples */
};

extern const struct measure_field measure_fields[];	/* the last row has name NULL */

const struct measure_field *measure_field_find(const char *name);

/* Is the figure known with this number of samples?  A percentile needs ten samples beyond it. */
bool measure_known(const struct measurement *m, const struct measure_field *field);

/* Is it a percentile of some samples, but too few of them? */
bool measure_few(const struct measurement *m, const struct measure_field *field);

/* What "-" means in place of a percentile. */
extern const char few_note[];

/* The text of a figure; "-" if measure_few(), "?" if it is unknown for another reason.  text has DURATION_SIZE bytes. */
const char *measure_text(const struct measurement *m, const struct measure_field *field, char *text);

/* Calls of which only one end was seen. */
uint64_t measure_unpaired(const struct measurement *m);
/* The figure `count`: calls, or records of `run`. */
uint64_t measure_count(const struct measurement *m);

#endif
