// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - see live.h. */
#include "ctl/live/measure/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/live/calibration/calibration.h"
#include "ctl/live/session/trace.h"

#define ARM_WAIT_MS	10000	/* limit for the module to write jumps */
#define ARM_NAP_MS	20

/* ------------------------------------------------------------------- methods */

/* The scratch functions for calibration; the second one only if a kretprobe ends calls. */
struct scratches {
	struct scratch v[2];
	size_t n;
};

static bool methods_now(struct session *s, const struct lives *lives, struct scratches *scratches, bool *settled,
			struct error *err)
{
	struct kt_list_entry *list;
	size_t n;

	if (!device_list(&s->dev, &list, &n, err))
		return false;
	*settled = true;
	for (size_t k = 0; k < lives->n; k++)
		for (size_t i = 0; i < lives->v[k]->plans.n; i++)
			*settled &= method_now(list, n, lives->v[k]->reqs[i].addr, &lives->v[k]->methods[i]);
	for (size_t i = 0; i < scratches->n; i++)
		*settled &= scratch_settled(&scratches->v[i], list, n);
	free(list);
	return true;
}

static bool settle(struct session *s, const struct lives *lives, struct scratches *scratches, struct error *err)
{
	bool settled = false;

	for (int ms = 0; ms < ARM_WAIT_MS && !settled && !interrupt_pending(); ms += ARM_NAP_MS) {
		if (ms)
			nanosleep(&(struct timespec){ .tv_nsec = ARM_NAP_MS * 1000000L }, NULL);
		if (!methods_now(s, lives, scratches, &settled, err))
			return false;
	}
	return true;
}

const char *live_methods(const struct live *live, size_t from, size_t to)
{
	bool has[KT_NR_METHODS] = { false };

	for (size_t i = from; i < to; i++)
		has[live->methods[i] % KT_NR_METHODS] = true;
	if (has[KT_METHOD_JUMP] && has[KT_METHOD_BREAKPOINT])
		return "jump and breakpoint";
	if (has[KT_METHOD_RETURN])
		return "kretprobe";
	if (has[KT_METHOD_UPROBE] || has[KT_METHOD_STEPPED])
		return "uprobe";
	return has[KT_METHOD_JUMP] ? "jump" : has[KT_METHOD_EVENT] ? "static tracepoint" : "breakpoint";
}

enum live_home live_home(const struct live *live)
{
	size_t nr_programs = 0;

	for (size_t i = 0; i < live->plans.n; i++)
		nr_programs += live->plans.v[i].home != NULL;
	return !nr_programs ? LIVE_KERNEL : nr_programs == live->plans.n ? LIVE_PROGRAM : LIVE_BOTH;
}

/* Show the correction for the methods of the first and the last tracepoint. */
static void choose_shown(struct live *live, const struct calibration *c)
{
	const uint8_t entry = live->methods[0] % KT_NR_METHODS;
	const char *why = live->is_beside ? "other measurements at the same address change the cost" :
			  live->is_other_path ? "other tracepoints there change the cost" :
			  live_home(live) == LIVE_BOTH ? "one end is in the kernel, the other in a program" :
			  live_home(live) == LIVE_PROGRAM ? c->why : "";

	if (*why) {
		snprintf(live->correction.why, sizeof(live->correction.why), "%s", why);
		return;
	}
	live->correction = c->by[entry][live->methods[live->plans.n - 1] % KT_NR_METHODS];
	live->correction.known = true;
	live->correction.calls = c->calls;
	live->correction.nested = c->run.nested[0][entry];
}

/* ----------------------------------------------------------------------- arm */

static bool start(struct session *s, struct live *live, const struct calibration *c, struct error *err)
{
	live->run = live->raw || !live->correction.known ? (struct kt_measure_run){ 0 } : c->run;
	live->run.id = live->req.id;
	live->run.on = 1;
	live->run.quota = live->quota;
	live->began_at = now_wall();
	return device_measure_run(&s->dev, &live->run, err);
}

static void give_roles(struct live *live)
{
	for (size_t i = 0; i < live->plans.n; i++) {
		live->roles[i].size = sizeof(live->roles[i]);
		live->roles[i].measure = live->req.id;
		live->plans.v[i].req.role = (uintptr_t)&live->roles[i];
	}
}

static bool any_in(const struct lives *lives, enum live_home home)
{
	for (size_t k = 0; k < lives->n; k++)
		if (live_home(lives->v[k]) == home)
			return true;
	return false;
}

static bool take_all(struct session *s, const struct lives *lives, struct scratches *scratches, struct calibration *c,
		     struct error *err)
{
	if (any_in(lives, LIVE_PROGRAM))
		calibration_take_uprobes(s, c);
	for (size_t i = 0; i < scratches->n; i++)
		if (!calibration_take(s, &scratches->v[i], c, err))
			return false;
	return true;
}

static size_t first_set(const struct live *live)
{
	size_t i = 0;

	while (i + 1 < live->plans.n && live->reqs[i].refusal)
		i++;
	return i;
}

static size_t last_set(const struct live *live)
{
	size_t i = live->plans.n - 1;

	while (i && live->reqs[i].refusal)
		i--;
	return i;
}

/* NULL: it is not set. */
static const struct kt_list_entry *entry_of(const struct live *live, size_t i, const struct kt_list_entry *list, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (list[k].id == live->reqs[i].id)
			return &list[k];
	return NULL;
}

/* How hits of this tracepoint go, as the module reports. */
static struct hit_path path_of(const struct live *live, size_t i, const struct kt_list_entry *list, size_t n)
{
	const struct kt_list_entry *entry = entry_of(live, i, list, n);

	return entry ? hit_path_of(entry) : (struct hit_path){ .is_long = false };
}

/* Find tracepoints whose hits cost something else than the calibrated ones, because of what else is set at their addresses. */
static void look_at_others(struct live *live, const struct kt_list_entry *list, size_t n, const struct hit_path paths[2])
{
	for (size_t i = 0; i < live->plans.n; i++) {
		const struct kt_list_entry *entry = entry_of(live, i, list, n);

		if (!entry)
			continue;
		live->is_beside |= entry->shared == KT_SHARED_MEASURED;
		/* Somebody's kprobe sits on the jump, so it still leads to the trampoline for other tracepoints. */
		live->is_other_path |= entry->misfit;
		live->is_other_path |= live_home(live) != LIVE_KERNEL ? !!entry->shared :
				       !entry->shared == paths[!(live->roles[i].what & KT_ROLE_BEGIN)].is_shared;
	}
}

static bool changes_of(struct session *s, const struct live *live, uint64_t *changes, struct error *err)
{
	struct kt_tally tally = { .id = live->req.id, .group = KT_TALLY_ALL };
	bool found;

	if (!device_tally(&s->dev, &tally, &found, err))
		return false;
	*changes = tally.changes;
	return true;
}

static void paths_of(const struct live *live, const struct kt_list_entry *list, size_t n, struct hit_path to[2])
{
	to[0] = path_of(live, first_set(live), list, n);
	to[1] = path_of(live, last_set(live), list, n);
}

/* Let hits of the scratch functions go as those of the first and the last tracepoint of the first measurement. */
static bool go_alike(struct session *s, const struct lives *lives, struct scratches *scratches, struct error *err)
{
	const struct live *first = lives->v[0];
	struct kt_list_entry *list;
	struct hit_path paths[2], others[2];
	bool ok = true;
	size_t n;

	for (size_t k = 0; k < lives->n && first->is_left_out; k++)
		first = lives->v[k];
	if (first->is_left_out) {
		*err = first->why;
		return false;
	}
	for (size_t k = 0; k < lives->n; k++)
		if (!changes_of(s, lives->v[k], &lives->v[k]->changes, err))
			return false;
	if (!device_list(&s->dev, &list, &n, err))
		return false;
	paths_of(first, list, n, paths);
	for (size_t k = 0; k < lives->n; k++) {
		paths_of(lives->v[k], list, n, others);
		lives->v[k]->is_other_path = memcmp(paths, others, sizeof(paths));
		look_at_others(lives->v[k], list, n, paths);
	}
	for (size_t i = 0; ok && i < scratches->n; i++)
		ok = scratch_go(s, &scratches->v[i], list, n, paths, err);
	free(list);
	return ok;
}

static bool has_return(const struct live *live)
{
	for (size_t i = 0; i < live->plans.n; i++)
		if (live->plans.v[i].point.is_return)
			return true;
	return false;
}

static void plan_scratches(const struct lives *lives, struct scratches *out)
{
	const struct live *live = lives->v[0];
	const size_t last = live->plans.n - 1;

	*out = (struct scratches){ .n = any_in(lives, LIVE_KERNEL) };
	for (size_t k = 0; k < lives->n; k++)
		if (has_return(lives->v[k]))
			out->n = 2;
	for (size_t i = 0; i < out->n; i++) {
		out->v[i].role_flags[0] = live->roles[0].what & KT_ROLE_THREAD;
		out->v[i].role_flags[1] = live->roles[last].what & KT_ROLE_THREAD;
		out->v[i].returns = i;
	}
}

static bool set_all(struct session *s, const struct lives *lives, struct scratches *scratches, struct error *err)
{
	for (size_t i = 0; i < scratches->n; i++)
		if (!scratch_set_best(s, &scratches->v[i], err))
			return false;
	for (size_t k = 0; k < lives->n; k++) {
		struct live *live = lives->v[k];

		*err = (struct error){ 0 };
		live->armed = trace_set(s, &live->plans, KT_TRACE_OWNED, live->reqs, err);
		live->is_left_out = !live->armed;
		live->why = *err;
		if (!live->armed && (lives->n == 1 || err->again))
			return false;
	}
	return go_alike(s, lives, scratches, err) && settle(s, lives, scratches, err);
}

static bool prepare(struct session *s, const struct oneshot *o, struct live *live, struct error *err)
{
	live->reqs = mem_zalloc(live->plans.n, sizeof(*live->reqs));
	live->methods = mem_zalloc(live->plans.n, sizeof(*live->methods));
	if (oneshot_follows(o))
		plans_follow(&live->plans);
	else if (!(live->req.flags & KT_MEASURE_ACROSS))
		plans_leave_out_own(&live->plans);
	if (!device_measure(&s->dev, &live->req, err))
		return false;
	give_roles(live);
	return true;
}

bool lives_arm(struct session *s, struct oneshot *o, const struct lives *lives, struct error *err)
{
	struct scratches scratches;
	struct calibration c = { .calls = 0 };
	bool ok = true;

	plan_scratches(lives, &scratches);
	for (size_t k = 0; k < lives->n; k++)
		if (!prepare(s, o, lives->v[k], err))
			return false;
	ok = (!scratches.n || calibration_begin(s, &c, err)) && set_all(s, lives, &scratches, err) &&
	     take_all(s, lives, &scratches, &c, err);
	for (size_t i = 0; i < scratches.n; i++)
		scratch_drop(s, &scratches.v[i]);
	for (size_t k = 0; ok && k < lives->n; k++) {
		choose_shown(lives->v[k], &c);
		gone_watch(&lives->v[k]->gone, &lives->v[k]->plans);
	}
	for (size_t k = 0; ok && k < lives->n; k++)
		ok = lives->v[k]->is_left_out || start(s, lives->v[k], &c, err);
	return ok;
}

bool live_arm(struct session *s, struct oneshot *o, struct live *live, struct error *err)
{
	return lives_arm(s, o, &(struct lives){ &live, 1 }, err);
}

bool lives_disarm(struct session *s, const struct lives *lives, struct error *err)
{
	bool ok = true;

	for (size_t k = 0; k < lives->n; k++) {
		struct kt_measure_run run = { .id = lives->v[k]->req.id };

		if (lives->v[k]->armed && !device_measure_run(&s->dev, &run, err))
			ok = false;
	}
	for (size_t k = 0; k < lives->n; k++) {
		struct live *live = lives->v[k];

		if (live->armed && !trace_remove(s, &live->plans, live->reqs, err))
			ok = false;
		live->armed = false;
	}
	return ok;
}

bool live_disarm(struct session *s, struct live *live, struct error *err)
{
	return lives_disarm(s, &(struct lives){ &live, 1 }, err);
}

void live_free(struct live *live)
{
	plans_free(&live->plans);
	free(live->roles);
	free(live->reqs);
	free(live->methods);
	gone_free(&live->gone);
}

/* -------------------------------------------------------------------- results */

/* Have the modules of all tracepoints with these roles gone? */
static bool all_gone(const struct live *live, uint32_t what)
{
	bool any = false;

	for (size_t i = 0; i < live->plans.n; i++) {
		if (!(live->roles[i].what & what))
			continue;
		if (!gone_has(&live->gone, i))
			return false;
		any = true;
	}
	return any;
}

bool live_progress(struct session *s, struct live *live, struct progress *out, struct error *err)
{
	struct kt_tally tally = { .id = live->req.id, .group = KT_TALLY_ALL };
	bool found;

	if (!device_tally(&s->dev, &tally, &found, err))
		return false;
	gone_look(&live->gone);
	*out = (struct progress){
		.hits = tally.samples.count, .lost = tally.overflow, .turned_away = tally.turned_away, .enough = tally.ended,
	};
	out->enough |= all_gone(live, KT_ROLE_BEGIN) || all_gone(live, KT_ROLE_END);
	return true;
}

bool lives_progress(struct session *s, const struct lives *lives, struct progress *out, struct error *err)
{
	struct progress all = { .enough = true }, one;

	for (size_t k = 0; k < lives->n; k++) {
		if (!live_progress(s, lives->v[k], &one, err))
			return false;
		all.hits += one.hits;
		all.lost += one.lost;
		all.turned_away += one.turned_away;
		all.enough &= one.enough;
	}
	*out = all;
	return true;
}

static struct samples samples_of(const struct kt_samples *from)
{
	return (struct samples){
		.count = from->count, .sum = from->sum,
		.squares = (unsigned __int128)from->square_high << 64 | from->square_low,
		.min = from->count ? from->min : 0, .max = from->max, .taken_off = from->taken_off,
		.clamped = from->clamped,
	};
}

static bool tally(struct session *s, const struct live *live, uint32_t group, bool buckets, struct kt_tally *req,
		  struct samples *out, bool *found, struct error *err)
{
	uint64_t *counts = buckets ? mem_zalloc(KT_HIST_BUCKETS, sizeof(*counts)) : NULL;

	*req = (struct kt_tally){ .id = live->req.id, .group = group, .buckets = (uintptr_t)counts };
	if (!device_tally(&s->dev, req, found, err) || !*found) {
		free(counts);
		return !*found;
	}
	*out = samples_of(&req->samples);
	out->buckets = counts;
	return true;
}

bool live_samples(struct session *s, const struct live *live, uint32_t group, bool buckets, struct samples *out,
		  uint8_t key[KT_MAX_KEY], bool *found, struct error *err)
{
	struct kt_tally req;

	if (!tally(s, live, group, buckets, &req, out, found, err))
		return false;
	if (*found && key)
		memcpy(key, req.key, sizeof(req.key));
	return true;
}

static void take_counts(struct measurement *m, const struct kt_tally *req)
{
	m->entered = req->entered;
	m->overflow = req->overflow;
	m->abandoned = req->abandoned;
	m->open = req->open;
	m->braked = req->braked;
	m->spanned = req->spanned;
	m->turned_away = req->turned_away;
	m->unmeasured = req->unmeasured;
	m->unmatched = req->unmatched;
	m->filtered = req->filtered;
	m->over_quota = req->over_quota;
	m->filtered_by_task = req->filtered_by_task;
	m->returned = m->all.count + m->filtered + m->over_quota + m->unmatched;
	m->began = req->began;
	m->ended = req->ended;
}

bool live_fill(struct session *s, const struct live *live, struct measurement *m, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;
	struct kt_tally req;
	bool found;

	if (!device_clock(&s->dev, &clock, &anchors, err))
		return false;
	free(anchors);
	if (!tally(s, live, KT_TALLY_ALL, true, &req, &m->all, &found, err))
		return false;
	take_counts(m, &req);
	m->raw = live->raw;
	m->correction = live->correction;
	m->correction.is_mixed = live->correction.known && req.changes != live->changes;
	m->ns_per_tick = (double)clock.ns_num / clock.ns_den;
	snprintf(m->clock, sizeof(m->clock), "%.15s", clock.name);
	m->began_at = live->began_at;
	gone_say(s, &live->gone, &live->plans);
	return true;
}
