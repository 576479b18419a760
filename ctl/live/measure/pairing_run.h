/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairing_run.h - the course of `pairs` and of `latency --key`: tracepoints, and the pairs that their records make. */
#ifndef KTRACE_PAIRING_RUN_H
#define KTRACE_PAIRING_RUN_H

#include "ctl/ask/lang/request.h"
#include "ctl/live/measure/gone.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/live/measure/pairing.h"
#include "ctl/live/measure/reach.h"
#include "ctl/live/measure/reading.h"
#include "ctl/trace/reader/record_file.h"

enum { PAIRING_A, PAIRING_B, NR_PAIRING_ENDS };

/* One probe point. */
struct pairing_point {
	uint64_t hits, paired;
	uint64_t unknown;		/* begins that could not be paired */
};

struct pairing_run {
	bool times_only;		/* of `latency`: the records of A are not kept */
	struct requests typed;
	struct plans plans;
	size_t nr_from;			/* plans of A; those of B follow */
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	struct pairing_point *points;		/* [plans.n] */
	struct plan_ids ids;
	struct reach reach;		/* read if nothing was recorded */
	struct gone gone;
	bool armed;

	struct reader *reader;
	struct record_file *kept;	/* the records of A, each with its number */
	uint64_t nr_kept;
	struct pairing *pairing;
	uint64_t lost, no_room;
	struct kt_clock clock;
	struct kt_anchor *anchors;
	uint64_t began, ended;		/* ticks */
};

/* Plan the tracepoints that the words name. */
bool pairing_run_plan(struct session *s, const struct oneshot *o, struct pairing_run *p, struct error *err);
/* Measure. */
bool pairing_run_measure(struct session *s, struct oneshot *o, struct pairing_run *p, struct error *err);
void pairing_run_free(struct session *s, struct pairing_run *p);

/* The key of one end, as typed. */
const char *pairing_run_key(const struct oneshot *o, unsigned int end);
uint64_t pairing_run_hits(const struct pairing_run *p, unsigned int end);

#endif
