// SPDX-License-Identifier: GPL-2.0-or-later
/* finish.c - what plans tell the module: the request, and the roles of tracepoints that measure calls.  See plan.h. */
#include "ctl/ask/plan/plan.h"

#include "arch/arch.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/base/device/aggregate.h"

#define SLOTS	1024	/* open calls of one function */

bool plans_finish(const struct plans *plans, uint32_t flags, struct kt_site_req *reqs, struct kt_trace *out, struct error *err)
{
	for (size_t i = 0; i < plans->n; i++)
		reqs[i] = plans->v[i].req;
	*out = (struct kt_trace){
		.flags = flags | (plans->is_partial ? KT_TRACE_PARTIAL : 0),
		.nr = plans->n, .sites = (uintptr_t)reqs,
		.scans = (uintptr_t)plans->scans.v, .nr_scans = plans->scans.n,
	};
	return plans->scans.n <= KT_MAX_SCANS ||
	       error_set(err, STATUS_USAGE, "too many functions with %%return: give fewer of them in one command");
}

struct kt_measure plan_measurement(const struct plan *opener)
{
	return (struct kt_measure){
		.flags = KT_MEASURE_SHARED | (opener->home ? KT_MEASURE_PROCESS : 0),
		.slots = SLOTS, .saved = desc_payload(opener->desc),
	};
}

void plan_give_roles(const struct plan *opener, uint32_t measure, struct kt_role *roles, struct kt_site_req *reqs)
{
	const size_t saved = desc_payload(opener->desc);
	const uint32_t jumps = opener[1].point.is_return ? KT_ROLE_JUMPS : 0;
	const bool is_go = opener->home && go_code_is(opener->home, opener->point.sym);

	for (size_t i = 0; i <= opener->nr_closing; i++) {
		roles[i] = (struct kt_role){
			.size = sizeof(*roles), .measure = measure, .saved = i ? 0 : saved,
			.reg = is_go ? arch_native.dwarf_goroutine : arch_native.dwarf_sp,
			.what = i ? KT_ROLE_END : KT_ROLE_BEGIN | KT_ROLE_SILENT | KT_ROLE_HIDDEN | jumps,
		};
		roles[i].what |= is_go ? KT_ROLE_GOROUTINE : 0;
		reqs[i].role = (uintptr_t)&roles[i];
	}
}

bool plans_share_table(const struct plans *plans, size_t i)
{
	return i && plans->v[i - 1].request == plans->v[i].request && aggregate_same(plans->v[i - 1].desc, plans->v[i].desc);
}
