/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - the figures of a measurement by their stable names: --fail-if, and what is printed. */
#ifndef KTRACE_FIELDS_H
#define KTRACE_FIELDS_H

#include <stdbool.h>

#include "ctl/measure/measure.h"

struct measure_field {
	const char *name;	/* in conditions and CSV; times have _ns behind it in JSON */
	const char *key;	/* in JSON and CSV */
	bool is_time;		/* in ns; else a count */
	double (*get)(const struct measurement *m);
	const char *meaning;
	bool of_histogram;	/* not known where none is kept */
	uint64_t least;		/* nor from fewer samples */
};

extern const struct measure_field measure_fields[];	/* ends with name NULL */

const struct measure_field *measure_field_find(const char *name);

/* Is it known of so many samples?  A percentile is not, unless samples lie beyond it. */
bool measure_known(const struct measurement *m, const struct measure_field *field);

/* What is printed of a figure: its text, "?" where it is not known.  text has DURATION_SIZE bytes. */
const char *measure_text(const struct measurement *m, const struct measure_field *field, char *text);

/* Calls that were begun or ended but not both while it was looked. */
uint64_t measure_unpaired(const struct measurement *m);
/* What `count` is: calls, or records of `run`. */
uint64_t measure_count(const struct measurement *m);

#endif
