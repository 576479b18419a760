/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - plan and set tracepoints, for `trace` and for measurements. */
#ifndef KTRACE_TRACE_H
#define KTRACE_TRACE_H

#include "ctl/ask/plan/plan.h"
#include "ctl/ask/lang/request.h"
#include "ctl/live/session/session.h"

/* Plan all requests.  Every impossible address is reported; the last one is the error. */
bool trace_plan(struct session *s, const struct requests *requests, struct plans *plans, struct error *err);

/*
 * Set the tracepoints.  flags are KT_TRACE_*, besides those of the session and the plans.  reqs[plans->n]
 * receives the answers.  Every refusal is reported.
 */
bool trace_set(struct session *s, const struct plans *plans, uint32_t flags, struct kt_site_req *reqs,
	       struct error *err);
/*
 * Let the module forget the tables of trace_set() as soon as their tracepoints are gone.  trace_set() does it itself
 * unless flags has KT_TRACE_OWNED: then they can be read until this call, also behind trace_remove().
 */
void trace_release(struct session *s, const struct plans *plans, const struct kt_site_req *reqs);
/*
 * Warn that recording is stopped, if it is and none of these tracepoints restarts it: their hits are only counted.
 * plans: NULL: none.
 */
void trace_say_frozen(struct session *s, const struct plans *plans);
/* Would trace_set() succeed?  Every refusal is reported; nothing is set. */
bool trace_try(struct session *s, const struct plans *plans, struct error *err);
/* Can these be set and owned?  Nothing is set or reported; err: why not. */
bool trace_can(struct session *s, const struct plans *plans, struct error *err);
/* Remove those that trace_set() has set.  Some may be gone, with their module. */
bool trace_remove(struct session *s, const struct plans *plans, const struct kt_site_req *reqs, struct error *err);

#endif
