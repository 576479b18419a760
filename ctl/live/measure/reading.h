/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reading.h - read the records of tracepoints that a command sets for itself, beside whoever reads the others. */
#ifndef KTRACE_READING_H
#define KTRACE_READING_H

#include <stdint.h>

#include "ctl/ask/plan/plan.h"
#include "ctl/live/session/session.h"
#include "ctl/trace/reader/reader.h"

/* A reader whose records begin here and stay available to others.  The caller destroys it.  NULL: err is set. */
struct reader *reading_begin(struct session *s, struct error *err);

/* A record or a notice of loss.  False: err is set. */
typedef bool reading_fn(const struct record *record, void *arg, struct error *err);

/* Give all that came since the last round to `take`, and clear it.  False: err is set. */
bool reading_round(struct reader *reader, reading_fn *take, void *arg, struct error *err);

/*
 * Read the clock, for the times of the records: *now in ticks.  It replaces *anchors, which the caller frees; they are
 * NULL, or those of an earlier call.  False: err is set.
 */
bool reading_clock(struct session *s, struct kt_clock *clock, struct kt_anchor **anchors, uint64_t *now, struct error *err);

#define PLAN_NONE	UINT32_MAX

/* The plans by the ids of their descriptors. */
struct plan_ids {
	uint32_t *v;		/* [n]: index of the plan, or PLAN_NONE */
	size_t n;
};

/* reqs: the module's answers. */
void plan_ids_take(struct plan_ids *ids, const struct kt_site_req *reqs, size_t nr_plans);
/* PLAN_NONE: the record is not from one of these plans. */
uint32_t plan_ids_find(const struct plan_ids *ids, uint32_t id);
void plan_ids_free(struct plan_ids *ids);

#endif
