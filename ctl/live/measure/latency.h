/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency.h - measure the calls of one function, or the times from one probe point to another.
 *
 * The tracepoints are in the order: those that open calls, the exits that calls come by, those that close calls.
 */
#ifndef KTRACE_LATENCY_H
#define KTRACE_LATENCY_H

#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/exits.h"
#include "ctl/live/measure/live.h"
#include "ctl/live/measure/off_cpu_run.h"
#include "ctl/live/measure/slowest.h"

enum { LATENCY_FROM, LATENCY_TO, NR_LATENCY_ENDS };

/* The key of the groups, by where it is known. */
enum latency_by {
	BY_NOTHING,
	BY_BEGIN,	/* a value where the call begins */
	BY_END,		/* a value where it ends: what it returns */
	BY_EXIT,	/* the exit of the function */
};

/* Of a tracepoint that follows tail calls: see KT_ROLE_LEAVES. */
struct tail_role {
	uint32_t what;
	uint16_t body, to;
};

struct latency {
	struct requests typed;
	struct request ends[NR_LATENCY_ENDS];
	char *function;		/* the function whose calls are measured: "vfs_write"; NULL: two probe points */
	char *shown;		/* its name for people */
	char *back;		/* "vfs_write%return" */
	char **made;		/* arguments of options that were added, not typed */
	size_t nr_made;
	size_t nr_from;		/* number of plans of the first end */
	size_t first_end;	/* the first plan of the second end; between them are the exits that calls come by */
	enum latency_by by;
	struct exits exits;	/* BY_EXIT: those of the function */
	struct tail_role *tails;	/* [live.plans.n] where tail calls are followed; else NULL */
	bool is_one_of_many;	/* a pattern named its function */
	struct live live;
	struct slowest *slowest;	/* NULL: not requested */
	struct off_cpu_run off_cpu;	/* off_cpu.off is NULL: not requested */
	struct measurement m;
};

bool latency_parse(const struct oneshot *o, struct requests *out, struct error *err);
/* The function whose calls an address means: "vfs_write%return" alone also means the calls of the function. */
char *latency_function(const char *address);

/* Plan what the words name.  The caller frees *l, on failure, too. */
bool latency_plan(struct session *s, const struct oneshot *o, struct latency *l, struct error *err);
/*
 * Plan the calls of a function, one of many, with the options that were typed behind their pattern.  `shown` is its name for
 * people, where the other one is mangled.
 */
bool latency_plan_function(struct session *s, const struct oneshot *o, const struct request *typed, const char *name,
			   const char *shown, struct latency *l, struct error *err);
/* With --key: the times come from records, which are paired by the key.  The caller frees *m. */
bool latency_keyed(struct session *s, struct oneshot *o, struct measurement *m, struct error *err);
/* Measure, and fill in l->m. */
bool latency_measure(struct session *s, struct oneshot *o, struct latency *l, struct error *err);
bool latency_fill(struct session *s, const struct oneshot *o, struct latency *l, struct error *err);
void latency_free(struct session *s, struct latency *l);

#endif
