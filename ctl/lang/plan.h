/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - from one place and its options to what KT_IOC_TRACE takes: the
 * live bytes, the length of the instruction, the descriptor.
 */
#ifndef KTRACE_PLAN_H
#define KTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "ctl/base/error.h"
#include "ctl/device/desc.h"
#include "ctl/lang/request.h"
#include "ctl/resolve/probe_point.h"

struct plan {
	struct probe_point point;
	struct arch_insn insn;	/* len 0: not decodable, the module will say why not */
	struct desc *desc;
	void *blob;		/* desc, encoded; the request points at it */
	struct kt_site_req req;
	bool uses_frame;
	/* One that opens calls for those behind it, which close them: it is not shown. */
	size_t nr_closing;
	size_t *entry_ends;	/* see struct compiler */
	char *pieces;		/* see struct probe_points; NULL mostly */
};

struct plans {
	struct plan *v;
	size_t n;
	bool is_partial;	/* of a pattern: what cannot be traced is left out */
	size_t nr_left_out;	/* before the module was asked; why the last was: */
	struct error why;
	struct scans scans;		/* the code that places were found in */
};

/* Plans for all places that the request's address stands for, added to plans. */
bool plan_request(const struct target *target, const struct request *request,
		  struct plans *plans, struct error *err);
/* They are of places that were found in this code, too; it is moved. */
void plans_take_scans(struct plans *plans, struct scans *scans);
void plans_free(struct plans *plans);

/* Why the module refused a plan, with the nearest good address; returns false. */
bool plan_refused(const struct target *target, const struct plan *plan,
		  const struct kt_site_req *answer, struct error *err);

#define AUTO_PLANS __attribute__((cleanup(plans_free)))

#endif
