/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - make the request for KT_IOC_TRACE from probe points and their options: live bytes, instruction length,
 * descriptor.  Who sends it adds only the ids that the module gives.
 */
#ifndef KTRACE_PLAN_H
#define KTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "ctl/ask/lang/request.h"
#include "ctl/ask/resolve/probe_point.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/error.h"
#include "ctl/base/progress.h"

struct plan {
	struct probe_point point;
	const struct target *home;	/* the program that the point is in; NULL: the kernel */
	struct arch_insn insn;	/* len 0: it does not decode; the module gives the reason */
	struct desc *desc;	/* with its blob, to which the request points */
	struct kt_site_req req;
	bool uses_frame;
	bool is_one_of_many;	/* a pattern named it */
	bool names_process;	/* by ONLYPID or ONLYTGID */
	size_t request;		/* the number of the request: see plans.nr_requests */
	/* An internal tracepoint that opens calls for the plans behind it, which close them. */
	size_t nr_closing;
	size_t *entry_ends;	/* see struct compiler */
	char *pieces;		/* see struct probe_points; usually NULL */
	/* Of a request with cases: the request to the module points to them, and it writes the ids there. */
	struct kt_case *cases;
	struct desc **case_descs;	/* [nr_cases], with their blobs */
	size_t nr_cases;
};

struct plans {
	struct plan *v;
	size_t n;
	size_t nr_requests;	/* planned so far */
	bool is_partial;	/* from a pattern: sites that cannot be traced are left out */
	size_t nr_left_out;	/* left out before the module was asked */
	struct error why;	/* the reason for the last of them */
	struct progress_line *line;	/* shows how much of a pattern is planned; NULL: nothing is shown */
	struct scans scans;		/* the code in which the probe points were found */
};

/* Where the symbols and lines of its place are: in its program, or in the kernel. */
static inline const struct target *plan_target(const struct plan *plan, const struct target *kernel)
{
	return plan->home ? plan->home : kernel;
}

/* Add plans for all probe points that the request's address names. */
bool plan_request(const struct target *target, const struct request *request,
		  struct plans *plans, struct error *err);
/* Set flags (KT_DESC_*) of the descriptors.  Those of a plan with cases hold for all of them. */
void plans_flag(struct plans *plans, uint32_t flags);
/* Make the tracepoints without SELF leave out hits in ktrace's own processes. */
void plans_leave_out_own(struct plans *plans);
/*
 * Only in the tasks of a process tree.  A tracepoint that names a process is for that one: it was there before the tree, so
 * none of the tree can be meant.
 */
void plans_follow(struct plans *plans);
/*
 * The finished request for all plans, and in reqs[plans->n] its sites; both point into the plans.  False: it would be too
 * large; err is set.
 */
bool plans_finish(const struct plans *plans, uint32_t flags, struct kt_site_req *reqs, struct kt_trace *out, struct error *err);
/* The request for the measurement of a plan that opens calls (nr_closing); the module gives its id. */
struct kt_measure plan_measurement(const struct plan *opener);
/* The roles of such a plan, which opens calls, and of the plans behind it, which close them; roles lasts as long as reqs. */
void plan_give_roles(const struct plan *opener, uint32_t measure, struct kt_role *roles, struct kt_site_req *reqs);
/* Does plan i count in the table of the one before it?  All points of a request do, as long as they count the same. */
bool plans_share_table(const struct plans *plans, size_t i);
/* Do not tell which pieces of the functions are not traced. */
void plans_forget_pieces(struct plans *plans);
void plans_free(struct plans *plans);

/*
 * Set err to the reason why the module refused a plan, with the nearest address that can be traced.  Returns
 * false.
 */
bool plan_refused(const struct target *target, const struct plan *plan,
		  const struct kt_site_req *answer, struct error *err);

#define AUTO_PLANS __attribute__((cleanup(plans_free)))

#endif
