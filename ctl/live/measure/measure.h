/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - a finished measurement, as `latency` and `lines` hand it to the report.
 *
 * All times are ticks of the module's clock, corrected for the cost of the tracepoints unless `raw`;
 * measure_ns() converts them.  This header is independent of the output format and of the way of measuring.
 *
 * These equations hold exactly:
 *
 *   entered   = overflow + taken + abandoned + open + braked + spanned
 *   returned  = taken + unmatched
 *   taken     = all.count + filtered + over_quota
 *
 * entered and returned count hits that the process filter (--pid, the command's process tree, ONLY...) let
 * through, MEASURE_KEYED only those with a key; filtered_by_task counts hits of tasks that were not asked for.  lost counts hits inside ktrace itself, which cannot be
 * examined.  For MEASURE_RECORDS, entered counts the records, all has the times between them, and lost counts
 * lost records.
 */
#ifndef KTRACE_MEASURE_H
#define KTRACE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/base/samples.h"
#include "ctl/live/calibration/correction.h"

enum measure_kind {
	MEASURE_CALL,		/* from entry to return */
	MEASURE_INTERVAL,	/* from A to B in the same thread */
	MEASURE_ACROSS,		/* from A to B, any threads */
	MEASURE_KEYED,		/* from A to B, where a key has the same value */
	MEASURE_LINES,		/* line by line in one function */
	MEASURE_LINE_COUNTS,	/* the same without times: only counts are known, and from, all, lines, turned_away */
	MEASURE_RECORDS,	/* `run`: from each record to the next */
};

/* One end of the calls: the probe points that its address names. */
struct measure_end {
	char *spec;			/* as typed, "vfs_write", "vfs_write%return" */
	char *where;			/* file:line, or NULL */
	size_t nr_points;
	const char *method;		/* "jump", "breakpoint", "jump and breakpoint" */
};

struct group {
	char *key;			/* as printed: a name, a number, the value of the expression */
	uint64_t value;			/* the first eight bytes of it */
	struct samples samples;
};

/* One of the slowest calls, which was recorded. */
struct outlier {
	uint64_t duration;		/* ticks, corrected */
	uint64_t end;			/* ticks: when it returned */
	uint32_t cpu;
	char *text;			/* data of its record as printed: ARGS, BACKTRACE ...; NULL: lost, or none */
	char *json;			/* the record as print --json shows it; NULL as above */
};

/* A line of the function with code, in source order. */
struct line {
	char *file;			/* as in other output: fs/read_write.c */
	unsigned int number;		/* 0: not a line; text describes it */
	char *text;			/* the source; NULL: not available */
	char *inlined;			/* the function whose inlined copy contains it, or NULL */
	uint64_t *addrs;
	size_t nr_addrs;
	size_t nr_refused;		/* addresses not traced: their time counts for the line before */
	/* MEASURE_LINE_COUNTS: some of its hits were not counted; control that comes from the line itself counts, too */
	bool is_least, repeats;
	struct samples samples;		/* count: how often control came here from another line */
	struct samples out;		/* whole calls that left the function here */
	/* With --if: the same of the calls for which the condition did not hold. */
	struct samples other, other_out;
};

struct off_cpu;

struct reach;

struct measurement {
	enum measure_kind kind;
	char *name;			/* "vfs_write", "a -> b" */
	char *key;			/* MEASURE_KEYED: "p->pid = next->pid" */
	struct measure_end from, to;	/* MEASURE_LINES, MEASURE_LINE_COUNTS: only `from` */
	bool raw;			/* nothing was taken off */
	struct correction correction;

	double ns_per_tick;
	char clock[16];			/* "tsc", "mono" */
	uint64_t began, ended;		/* ticks */
	double began_at;		/* seconds since 1970 */

	/* MEASURE_RECORDS: hits that were counted in tables instead of recorded, and these tables as HTML; NULL: none */
	uint64_t counted;
	char *tables;
	const struct reach *reach;	/* the same: what its tracepoints saw, where nothing was recorded; NULL: not known; not owned */

	struct samples all;		/* MEASURE_LINES: whole calls */
	uint64_t entered, returned;
	uint64_t overflow;		/* calls that found no room in the table */
	uint64_t abandoned;		/* abandoned: entered again, or the thread has ended, without a return */
	uint64_t open;			/* not returned yet at the end */
	uint64_t braked;		/* open when the brake began: the brake may have turned away their end */
	uint64_t spanned;		/* open when its tracepoints were disarmed in a window (struct kt_status) */
	/* hits at its tracepoints that the brake turned away; in none of the counts above */
	uint64_t turned_away;
	uint64_t unmeasured;		/* hits in or just after such a window */
	/* returns without an entry: the call began before the measurement, or found no room */
	uint64_t unmatched;
	uint64_t unreadable[2];		/* MEASURE_KEYED: begins and ends whose key could not be read */
	uint64_t filtered;		/* calls that IF turned down */
	uint64_t over_quota;		/* over quota: returned after --count was reached */
	uint64_t filtered_by_task, lost;

	char *by;			/* the key of the groups, as typed; NULL: no groups */
	struct group *groups;		/* the group with the most samples, or the largest total, first */
	size_t nr_groups;
	struct samples others;		/* calls without room among the groups */

	struct outlier *outliers;	/* the slowest first */
	size_t nr_outliers;

	struct off_cpu *off_cpu;	/* --off-cpu; or NULL */

	struct line *lines;
	size_t nr_lines;
	char *only_if;			/* the condition of --if, as typed: `all` and lines[].samples have the calls for which it holds; or NULL */
	unsigned int line_decl;		/* of the function's declaration; 0: unknown */
};

void measurement_free(struct measurement *m);

/* How many CPUs' time the tracepoints took, as far as it was taken off; 0: unknown. */
double measure_burden(const struct measurement *m);

static inline double measure_ns(const struct measurement *m, double ticks)
{
	return ticks * m->ns_per_tick;
}

#endif
