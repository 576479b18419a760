/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - a finished measurement, as it is printed: what `latency` and `lines` hand over.
 *
 * All times are ticks of the module's clock, corrected for the cost of the tracepoints unless `raw`;
 * measure_ns() converts. Nothing here knows how it is printed, nor how it was taken.
 *
 * What was met is accounted for exactly:
 *
 *   entered   = overflow + taken + abandoned + open + braked
 *   returned  = taken + unmatched
 *   taken     = all.count + filtered + over_quota
 *
 * (of MEASURE_RECORDS: entered = the records, all = the times between them, lost = records lost)
 * where entered and returned are the hits that the process filter (--pid, the command's process tree, ONLY...)
 * let through; those that it did not are `filtered_by_task`; `lost` hits were met where none can be
 * looked at (inside ktrace itself).
 */
#ifndef KTRACE_MEASURE_H
#define KTRACE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/measure/samples.h"

enum measure_kind {
	MEASURE_CALL,		/* from entry to return */
	MEASURE_INTERVAL,	/* from A to B in the same thread */
	MEASURE_ACROSS,		/* from A to B, any threads */
	MEASURE_LINES,		/* line by line in one function */
	MEASURE_RECORDS,	/* `run`: from one record to the next */
};

/* One end: the places that the address stands for. */
struct measure_end {
	char *spec;			/* as typed, "vfs_write", "vfs_write%return" */
	char *where;			/* file:line, or NULL */
	size_t nr_points;
	const char *method;		/* "jump", "breakpoint", "jump and breakpoint" */
};

/* Calibrated before the measurement, on a function of the module, by the same methods. */
struct correction {
	bool known;			/* false: it could not be had, `why` */
	char why[128];
	uint64_t cost;			/* taken off each call: median */
	uint64_t low, high;		/* 1st and 99th percentile: its spread */
	uint64_t nested;		/* taken off an enclosing call for each hit in it, besides what the hit itself measures */
	uint64_t calls;			/* that it was calibrated by */
};

struct group {
	char *key;			/* as printed: a name, a number, the value of the expression */
	struct samples samples;
};

/* A slow call that was recorded. */
struct outlier {
	uint64_t duration;		/* ticks, corrected */
	uint64_t end;			/* ticks: when it returned */
	uint32_t cpu;
	char *text;			/* its record's data, as print shows it: ARGS, BACKTRACE ...; NULL: it is lost, or has none */
	char *json;			/* the record as print --json has it; NULL as above */
};

/* A line of the function, in the order of the source; lines without code are not here. */
struct line {
	char *file;			/* as it is said elsewhere: fs/read_write.c */
	unsigned int number;		/* 0: no line but what the text says */
	char *text;			/* the source's, NULL where it is not to be had */
	char *inlined;			/* the function whose inlined copy it is of, or NULL */
	uint64_t *addrs;
	size_t nr_addrs;
	size_t nr_refused;		/* of them, not traced: their time counts for the line before */
	struct samples samples;		/* count: times that control came there from another line */
};

struct measurement {
	enum measure_kind kind;
	char *name;			/* "vfs_write", "a -> b" */
	struct measure_end from, to;	/* of MEASURE_LINES only `from` */
	bool raw;			/* nothing was taken off */
	struct correction correction;

	double ns_per_tick;
	char clock[16];			/* "tsc", "mono" */
	uint64_t began, ended;		/* ticks */
	double began_at;		/* seconds since 1970 */

	struct samples all;		/* MEASURE_LINES: whole calls */
	uint64_t entered, returned;
	uint64_t overflow;		/* calls that found no room in the table */
	uint64_t abandoned;		/* entered again, or their thread gone, and no return seen */
	uint64_t open;			/* not returned yet at the end */
	uint64_t braked;		/* open when the brake came: their end may have been turned away */
	uint64_t turned_away;		/* hits at its tracepoints that the brake turned away: in none of these */
	uint64_t unmatched;		/* returned, but not seen to enter: was inside at the beginning, or overflow */
	uint64_t filtered;		/* calls that IF said no to */
	uint64_t over_quota;		/* returned when --count was reached already */
	uint64_t filtered_by_task, lost;

	char *by;			/* what groups are made by, NULL: no groups */
	struct group *groups;		/* the most samples first */
	size_t nr_groups;
	struct samples others;		/* of keys that found no room */

	struct outlier *outliers;	/* the slowest first */
	size_t nr_outliers;

	struct line *lines;
	size_t nr_lines;
	unsigned int line_decl;		/* of the function's declaration, 0: not known */
};

void measurement_free(struct measurement *m);

/* How many CPUs' time the tracepoints took by themselves, as far as it was taken off; 0 where that is not known. */
double measure_burden(const struct measurement *m);

static inline double measure_ns(const struct measurement *m, double ticks)
{
	return ticks * m->ns_per_tick;
}

#endif
