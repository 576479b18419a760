// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.c - plan and set tracepoints.  See trace.h. */
#include "ctl/live/session/trace.h"

#include "ctl/base/device/aggregate.h"
#include "ctl/base/device/refusal.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/frozen.h"
#include "ctl/live/session/hint.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/watch.h"

/* -------------------------------------------------------------------- plan */

bool trace_plan(struct session *s, const struct requests *requests, struct plans *plans, struct error *err)
{
	struct target target = session_target(s);
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	bool ok = true;

	plans->line = &line;
	for (size_t i = 0; i < requests->n; i++) {
		struct error why;
		const bool is_planned = plan_request(&target, &requests->v[i], plans, &why);

		progress_close(&line);
		if (is_planned) {
			if (!s->quiet && hint_address(&target, requests, i, true, &why))
				session_note(s, "%s", why.text);
			continue;
		}
		hint_address(&target, requests, i, false, &why);
		if (!ok)
			session_complain(s, NULL, err);
		*err = why;
		ok = false;
	}
	plans->line = NULL;
	return ok;
}

/* ------------------------------------------------------------------- notes */

static void note_frame(struct session *s, const struct plans *plans)
{
	for (size_t i = 0; i < plans->n && !s->told_frame; i++) {
		if (!plans->v[i].uses_frame)
			continue;
		s->told_frame = true;
		session_note(s, "FRAME uses the frame pointer (%s), because there is no debug information: the function must have set it up",
			     arch_reg_name(&arch_native, arch_native.dwarf_fp));
	}
}

void trace_say_frozen(struct session *s, const struct plans *plans)
{
	struct kt_status status;

	for (size_t i = 0; plans && i < plans->n; i++)
		if (plans->v[i].desc->control & KT_DESC_UNFREEZE)
			return;
	if (device_status(&s->dev, &status, NULL, NULL) && status.frozen) {
		AUTO_FREE char *since = frozen_since(s, &status);

		session_warn(s, "recording is stopped%s%s: hits are only counted until 'unfreeze', or a hit with UNFREEZE",
			     *since ? " " : "", since);
	}
}

/* Once for all places of an address. */
static void note_chosen(struct session *s, const struct plans *plans, size_t i)
{
	const struct plan *plan = &plans->v[i];
	char said[1024];

	if (plan->home && !plan->is_one_of_many && (!i || plans->v[i - 1].request != plan->request) &&
	    probe_point_chosen(plan->home, &plan->point, said, sizeof(said)))
		session_note(s, "%s", said);
}

static void note_each(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	for (size_t i = 0; i < plans->n; i++) {
		const struct plan *plan = &plans->v[i];

		note_chosen(s, plans, i);
		if (reqs[i].updated && !plan->nr_closing)
			session_note(s, "Tracepoint at %s already exists, updating",
				     plan->point.name);
		/* Who records sets of events has not named the function. */
		if (plan->pieces && !plan->desc->is_packed)
			session_note(s, "these pieces of the function are not traced: %s: name them to trace them, too",
				     plan->pieces);
	}
}

static void note_refused(struct session *s, unsigned int refusal, size_t n, const char *name)
{
	if (refusal_is_shortage(refusal))
		session_warn(s, "%zu not traced (for example %s): %s", n, name, refusal_reason(refusal));
	else
		session_note(s, "%zu not traced (for example %s): %s", n, name, refusal_reason(refusal));
}

/* Count the refused sites of a pattern by reason. */
static void count_refused(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	size_t counts[KT_NR_REFUSALS] = { 0 }, first[KT_NR_REFUSALS] = { 0 };

	for (size_t i = plans->n; i-- > 0;) {
		unsigned int refusal = reqs[i].refusal < KT_NR_REFUSALS ? reqs[i].refusal : KT_REFUSE_NONE;

		counts[refusal]++;
		first[refusal] = i;
	}
	for (unsigned int i = 1; i < KT_NR_REFUSALS; i++)
		if (counts[i])
			note_refused(s, i, counts[i], plans->v[first[i]].point.name);
	if (plans->nr_left_out)
		session_note(s, "%zu not traced: %s", plans->nr_left_out, plans->why.text);
}

/* Report every refusal; the last one becomes the error of the command. */
static bool explain_refusals(struct session *s, const struct plans *plans,
			     const struct kt_site_req *reqs, struct error *err)
{
	struct target target = session_target(s);
	bool any = false;

	for (size_t i = 0; i < plans->n; i++) {
		if (!reqs[i].refusal)
			continue;
		if (any)
			session_complain(s, NULL, err);
		plan_refused(&target, &plans->v[i], &reqs[i], err);
		any = true;
	}
	return any;
}

/* ------------------------------------------------------------------- calls */

/* Start the measurement before the tracepoints are set, so that it misses no call. */
static bool assign_measurements(struct session *s, const struct plans *plans, struct kt_role *roles, struct kt_site_req *reqs,
				struct error *err)
{
	for (size_t i = 0; i < plans->n; i++) {
		const struct plan *opener = &plans->v[i];
		struct kt_measure_run run = { .on = 1 };
		struct kt_measure measure;

		if (!opener->nr_closing)
			continue;
		measure = plan_measurement(opener);
		if (!device_measure(&s->dev, &measure, err))
			return false;
		run.id = measure.id;
		if (!device_measure_run(&s->dev, &run, err))
			return false;
		plan_give_roles(opener, measure.id, &roles[i], &reqs[i]);
	}
	return true;
}

/* -------------------------------------------------------------- aggregates */

static bool make_aggregates(struct session *s, const struct plans *plans, struct kt_site_req *reqs, struct error *err)
{
	for (size_t i = 0; i < plans->n; i++) {
		const struct desc *desc = plans->v[i].desc;
		struct kt_aggregate_req req;

		if (!desc->aggregate)
			continue;
		if (plans_share_table(plans, i)) {
			reqs[i].aggregate = reqs[i - 1].aggregate;
			continue;
		}
		req = aggregate_request(desc);
		if (!device_aggregate(&s->dev, &req, err))
			return false;
		reqs[i].aggregate = req.id;
	}
	return true;
}

void trace_release(struct session *s, const struct plans *plans, const struct kt_site_req *reqs)
{
	for (size_t i = 0; i < plans->n; i++)
		if (reqs[i].aggregate && (!i || reqs[i - 1].aggregate != reqs[i].aggregate))
			device_aggregate_release(&s->dev, reqs[i].aggregate);
}

/* -------------------------------------------------------------------- set */

/* Has the code stayed as planned?  False: err is set; nothing was set. */
static bool is_as_planned(const struct plans *plans, const struct kt_site_req *reqs, struct error *err)
{
	for (size_t i = 0; i < plans->n; i++) {
		if (reqs[i].refusal != KT_REFUSE_CHANGED)
			continue;
		refusal_set(err, KT_REFUSE_CHANGED, plans->v[i].point.name, NULL);
		err->again = true;
		return false;
	}
	return true;
}

static bool set(struct session *s, const struct plans *plans, uint32_t flags, struct kt_site_req *reqs, struct error *err)
{
	AUTO_FREE struct kt_role *roles = mem_zalloc(plans->n, sizeof(*roles));
	struct kt_trace req;
	struct watch watch;
	bool ok;

	if (!plans_finish(plans, flags | (s->dry_run ? KT_TRACE_DRYRUN : 0), reqs, &req, err) ||
	    !make_aggregates(s, plans, reqs, err) || !assign_measurements(s, plans, roles, reqs, err))
		return false;
	watch_begin(&watch, s, plans->n, "set");
	ok = device_trace(&s->dev, &req, err);
	watch_end(&watch);
	if (!ok) {
		if (is_as_planned(plans, reqs, err))
			explain_refusals(s, plans, reqs, err);
		return false;
	}
	if (req.nr_refused == plans->n && !is_as_planned(plans, reqs, err))
		return false;
	note_frame(s, plans);
	note_each(s, plans, reqs);
	if (plans->is_partial)
		count_refused(s, plans, reqs);
	return !plans->is_partial || req.nr_refused < plans->n ||
	       error_set(err, STATUS_FAILURE, "none of the %zu places can be traced: the reasons are above", plans->n);
}

bool trace_set(struct session *s, const struct plans *plans, uint32_t flags, struct kt_site_req *reqs,
	       struct error *err)
{
	const bool ok = set(s, plans, flags, reqs, err);

	if (!ok || !(flags & KT_TRACE_OWNED))
		trace_release(s, plans, reqs);
	return ok;
}

bool trace_try(struct session *s, const struct plans *plans, struct error *err)
{
	AUTO_FREE struct kt_site_req *reqs = mem_zalloc(plans->n, sizeof(*reqs));

	return trace_set(s, plans, KT_TRACE_DRYRUN, reqs, err);
}

bool trace_can(struct session *s, const struct plans *plans, struct error *err)
{
	AUTO_FREE struct kt_site_req *reqs = mem_zalloc(plans->n, sizeof(*reqs));
	struct target target = session_target(s);
	struct kt_trace req;

	if (!plans_finish(plans, KT_TRACE_DRYRUN | KT_TRACE_OWNED, reqs, &req, err))
		return false;
	req.flags &= ~KT_TRACE_PARTIAL;
	if (device_trace(&s->dev, &req, err))
		return true;
	for (size_t i = 0; i < plans->n; i++)
		if (reqs[i].refusal)
			return plan_refused(&target, &plans->v[i], &reqs[i], err);
	return false;
}

bool trace_remove(struct session *s, const struct plans *plans, const struct kt_site_req *reqs, struct error *err)
{
	AUTO_FREE uint64_t *addrs = mem_zalloc(plans->n, sizeof(*addrs));
	struct kt_delete req = { .flags = KT_DELETE_LEFT, .addrs = (uintptr_t)addrs };

	for (size_t i = 0; i < plans->n; i++)
		if (!reqs[i].refusal)
			addrs[req.nr++] = reqs[i].addr;
	return device_delete(&s->dev, &req, err);
}
