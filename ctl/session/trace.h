/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - plan and set tracepoints: `trace` and the measurements do it alike. */
#ifndef KTRACE_TRACE_H
#define KTRACE_TRACE_H

#include "ctl/lang/plan.h"
#include "ctl/lang/request.h"
#include "ctl/session/session.h"

/* Plans for all requests; every address that cannot be is said, the last one is the error. */
bool trace_plan(struct session *s, const struct requests *requests, struct plans *plans, struct error *err);

/*
 * Set them: flags are KT_TRACE_* besides those that the session and the plans ask for, reqs[plans->n] the answers.
 * Every refusal is said.
 */
bool trace_set(struct session *s, const struct plans *plans, uint32_t flags, struct kt_site_req *reqs,
	       struct error *err);

#endif
