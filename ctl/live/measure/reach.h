/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reach.h - tracepoints that recorded nothing: were they reached?  The module counts every hit, also those it leaves out. */
#ifndef KTRACE_CTL_REACH_H
#define KTRACE_CTL_REACH_H

#include "ctl/ask/lang/request.h"
#include "ctl/live/measure/oneshot.h"
#include "ctl/live/measure/reading.h"

struct reach {
	uint64_t hits;		/* of all tasks, recorded or not */
	uint64_t braked;	/* of these, turned away by the brake */
	bool frozen;		/* recording is stopped */
	const char *filter;	/* see reach_filter() */
};

/* The first option of these tracepoints, as typed, that leaves hits out; NULL: none. */
const char *reach_filter(const struct requests *typed);
/* Ask the device, while the tracepoints of ids are set.  False: err is set. */
bool reach_read(struct session *s, const char *filter, const struct plan_ids *ids, struct reach *out, struct error *err);
/* Why nothing was recorded at `name` though it was hit.  False: it was not hit; else err says why. */
bool reach_explain(const struct reach *reach, const char *name, const struct oneshot *o, struct error *err);

#endif
