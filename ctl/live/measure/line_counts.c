// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line_counts.c - lines_counts(): how often control comes to each line.  See lines.h.
 *
 * Each address where a line begins counts its hits in a table of the module, as option COUNT does.  All of them share
 * the table, by address: so emptying it begins all counts at one moment, and the last reading, which empties it again,
 * ends them at one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/device/aggregate.h"
#include "ctl/live/calibration/calibration.h"
#include "ctl/live/measure/lines.h"
#include "ctl/live/measure/live.h"
#include "ctl/ask/resolve/line_begins.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

#define SETTLE_MS	10000	/* limit for the module to write jumps */
#define NAP_MS		20
#define ROOM		4	/* times as many keys as there are addresses: none is ever without room */

/* What the module counted of one tracepoint, since it was set. */
struct point_missed {
	uint64_t missed, braked;	/* for any reason; by the brake */
	bool is_off;			/* the brake has disarmed it */
};

struct counts_run {
	const struct lines_subject *subject;
	struct live live;		/* its measurement in the module is not used */
	const struct line_addr **points;	/* [plans.n] */
	const struct line_addr **unplanned;
	size_t nr_unplanned;
	struct error why;		/* of the last of these */
	struct kt_cpu_status before, after;	/* sums: of all hits, of any tracepoint */
	uint64_t began, ended;
	struct aggregate_data data;
	struct point_missed *at_begin, *at_end;	/* [plans.n] */
};

/* -------------------------------------------------------------------- plan */

static bool only_filters(const struct request *typed, struct error *err)
{
	for (size_t i = 0; i < typed->nr_uses; i++) {
		const struct option_row *option = typed->uses[i].option;
		const bool filters = option->measured == FILTERS_ENTRY || option->measured == FILTERS_BOTH;

		if (!filters || !strcmp(option->name, "IF"))
			return error_set(err, STATUS_USAGE, "lines: %s: --counts follows no calls and records nothing: it takes ONLY..., NOT..., SELF and METHOD only",
					 option->name);
	}
	return true;
}

static bool plan_addr(struct session *s, struct counts_run *r, const struct line_addr *addr, struct error *err)
{
	const struct request *typed = &r->subject->typed.v[0];
	AUTO_FREE struct use *uses = mem_zalloc(typed->nr_uses + 2, sizeof(*uses));
	AUTO_FREE char *point = mem_printf("%s0x%" PRIx64, r->subject->prefix, addr->addr);
	AUTO_FREE char *room = mem_printf("%zu", ROOM * r->subject->lines.nr_addrs);
	struct request request = { .address = point, .uses = uses, .nr_uses = typed->nr_uses, .by_point = true };
	struct target target = session_target(s);
	struct plans *plans = &r->live.plans;

	memcpy(uses, typed->uses, typed->nr_uses * sizeof(*uses));
	uses[request.nr_uses++] = (struct use){ option_find("COUNT"), NULL, NULL };
	uses[request.nr_uses++] = (struct use){ option_find("KEYS"), room, NULL };
	if (!plan_request(&target, &request, plans, err))
		return false;
	/* One table for all. */
	plans->v[plans->n - 1].request = 0;
	r->points = mem_grow(r->points, plans->n, sizeof(*r->points));
	r->points[plans->n - 1] = addr;
	return true;
}

/* The function's entry must be traced; of the other points those that can be. */
static bool plan_all(struct session *s, struct counts_run *r, struct error *err)
{
	const struct function_lines *lines = &r->subject->lines;

	if (!plan_addr(s, r, &lines->addrs[0], err))
		return false;
	for (size_t i = 1; i < lines->nr_addrs; i++) {
		if (!lines->addrs[i].begins || plan_addr(s, r, &lines->addrs[i], &r->why))
			continue;
		r->unplanned = MEM_MORE(r->unplanned, r->nr_unplanned);
		r->unplanned[r->nr_unplanned++] = &lines->addrs[i];
	}
	r->live.plans.is_partial = true;
	return true;
}

/* --------------------------------------------------------------------- run */

static bool check_frozen(struct session *s, struct counts_run *r, struct error *err)
{
	struct kt_status status;

	return device_totals(&s->dev, &status, &r->before, err) &&
	       (!status.frozen || error_set(err, STATUS_FAILURE, "lines: recording is stopped, so that nothing would be counted: 'unfreeze' starts it"));
}

static bool settle(struct session *s, struct live *live, struct error *err)
{
	bool settled = false;

	for (int ms = 0; ms < SETTLE_MS && !settled && !interrupt_pending(); ms += NAP_MS) {
		struct kt_list_entry *list;
		size_t n;

		if (ms)
			nanosleep(&(struct timespec){ .tv_nsec = NAP_MS * 1000000L }, NULL);
		if (!device_list(&s->dev, &list, &n, err))
			return false;
		settled = true;
		for (size_t i = 0; i < live->plans.n; i++)
			settled &= method_now(list, n, live->reqs[i].addr, &live->methods[i]);
		free(list);
	}
	return true;
}

/* clear: and begin anew.  The data of before is freed. */
static bool read_table(struct session *s, struct counts_run *r, bool clear, struct error *err)
{
	bool found;

	aggregate_data_free(&r->data);
	return aggregate_read(&s->dev, r->live.reqs[0].aggregate, r->live.plans.v[0].desc, clear, &r->data, &found, err) &&
	       (found || error_set(err, STATUS_FAILURE, "lines: the module has no table any more"));
}

static bool read_missed(struct session *s, struct counts_run *r, struct point_missed **out, struct error *err)
{
	AUTO_FREE struct kt_list_entry *list = NULL;
	size_t n;

	*out = mem_zalloc(r->live.plans.n, sizeof(**out));
	if (!device_list(&s->dev, &list, &n, err))
		return false;
	for (size_t i = 0; i < r->live.plans.n; i++)
		for (size_t k = 0; k < n; k++)
			if (!r->live.reqs[i].refusal && list[k].id == r->live.reqs[i].id)
				(*out)[i] = (struct point_missed){ list[k].missed, list[k].braked, list[k].off };
	return true;
}

/* What was counted so far is dropped, and the clock of the new table tells when it began. */
static bool start(struct session *s, struct counts_run *r, struct error *err)
{
	if (!read_missed(s, r, &r->at_begin, err) || !read_table(s, r, true, err) || !read_table(s, r, false, err))
		return false;
	r->began = r->data.began;
	r->live.began_at = now_wall();
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct counts_run *r = arg;
	struct live *live = &r->live;
	struct target target = session_target(s);

	live->reqs = mem_zalloc(live->plans.n, sizeof(*live->reqs));
	live->methods = mem_zalloc(live->plans.n, sizeof(*live->methods));
	if (oneshot_follows(o))
		plans_follow(&live->plans);
	else
		plans_leave_out_own(&live->plans);
	if (!check_frozen(s, r, err))
		return false;
	live->armed = trace_set(s, &live->plans, KT_TRACE_OWNED, live->reqs, err);
	if (!live->armed)
		return false;
	if (live->reqs[0].refusal)
		return plan_refused(&target, &live->plans.v[0], &live->reqs[0], err);
	gone_watch(&live->gone, &live->plans);
	return settle(s, live, err) && start(s, r, err);
}

/* The hits of the function's entry are the calls. */
static uint64_t count_at(const struct counts_run *r, uint64_t addr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->data.n; i++) {
		const uint64_t *entry = r->data.entries + i * r->data.words;

		if (entry[0] == addr)
			sum += entry[r->data.key_words];
	}
	return sum;
}

static bool round_once(struct session *s, void *arg, struct progress *out, struct error *err)
{
	struct counts_run *r = arg;

	if (r->live.armed && !read_table(s, r, false, err))
		return false;
	gone_look(&r->live.gone);
	*out = (struct progress){ .hits = count_at(r, r->points[0]->addr), .enough = gone_has(&r->live.gone, 0) };
	return true;
}

static bool finish(struct session *s, struct counts_run *r, struct error *err)
{
	struct kt_status status;

	return read_table(s, r, true, err) && read_missed(s, r, &r->at_end, err) && device_totals(&s->dev, &status, &r->after, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct counts_run *r = arg;
	struct live *live = &r->live;
	struct kt_anchor *anchors;
	bool ok = true;

	if (!live->armed)
		return true;
	ok = !r->began || finish(s, r, err);
	if (ok && device_clock(&s->dev, &live->clock, &anchors, err)) {
		free(anchors);
		r->ended = live->clock.now;
	}
	if (!trace_remove(s, &live->plans, live->reqs, err))
		ok = false;
	trace_release(s, &live->plans, live->reqs);
	live->armed = false;
	return ok;
}

/* ----------------------------------------------------------------- results */

static struct samples counted(uint64_t count)
{
	return (struct samples){ .count = count, .is_count = true };
}

static void fill_point(struct measurement *m, const struct counts_run *r, size_t i)
{
	const struct line_addr *point = r->points[i];
	struct line *line = &m->lines[point->line];
	const bool is_refused = r->live.reqs[i].refusal;
	const uint64_t braked = r->at_end[i].braked - r->at_begin[i].braked;

	lines_add_addr(m, point->line, point->addr, is_refused);
	line->samples.count += count_at(r, point->addr);
	line->is_least |= is_refused || braked || r->at_end[i].is_off;
	line->repeats |= point->repeats;
	m->turned_away += braked;
}

/* The module counts hits that were not recorded without the reason: it is known only if there is no other one. */
static uint64_t filtered(const struct counts_run *r, const struct measurement *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->live.plans.n; i++)
		sum += r->at_end[i].missed - r->at_begin[i].missed;
	return r->after.frozen == r->before.frozen && r->after.recursed == r->before.recursed ? sum - m->turned_away : 0;
}

static void fill(const struct oneshot *o, const struct counts_run *r, struct measurement *m)
{
	const struct live *live = &r->live;

	m->kind = MEASURE_LINE_COUNTS;
	lines_name(r->subject, o, m);
	m->from.nr_points = live->plans.n;
	m->from.method = live_methods(live, 0, live->plans.n);
	for (size_t i = 0; i < m->nr_lines; i++)
		m->lines[i].samples = counted(0);
	for (size_t i = 0; i < live->plans.n; i++)
		fill_point(m, r, i);
	for (size_t i = 0; i < r->nr_unplanned; i++) {
		lines_add_addr(m, r->unplanned[i]->line, r->unplanned[i]->addr, true);
		m->lines[r->unplanned[i]->line].is_least = true;
	}
	m->all = counted(count_at(r, r->points[0]->addr));
	m->entered = m->all.count;
	m->filtered_by_task = filtered(r, m);
	m->lost = r->data.lost;
	m->ns_per_tick = (double)live->clock.ns_num / live->clock.ns_den;
	snprintf(m->clock, sizeof(m->clock), "%.15s", live->clock.name);
	m->began = r->data.began;
	m->ended = r->ended;
	m->began_at = live->began_at;
}

/* Hits of these lines may be among those that were stopped or lost: nobody counts them by tracepoint. */
static void tell_missed(struct session *s, const struct counts_run *r)
{
	const uint64_t frozen = r->after.frozen - r->before.frozen, recursed = r->after.recursed - r->before.recursed;

	if (r->nr_unplanned)
		session_note(s, "%zu not traced: %s", r->nr_unplanned, r->why.text);
	if (frozen)
		session_warn(s, "warning: recording was stopped meanwhile: the counts lack up to %" PRIu64 " hits", frozen);
	if (recursed)
		session_warn(s, "warning: the counts lack up to %" PRIu64 " hits inside ktrace's own code", recursed);
	if (r->data.began != r->began)
		session_warn(s, "warning: another ktrace has emptied all tables meanwhile: the counts begin there");
}

static bool measure(struct session *s, struct oneshot *o, struct counts_run *r, struct measurement *m, struct error *err)
{
	const struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .arg = r };

	if (!oneshot_measure(s, o, &ops, err))
		return false;
	fill(o, r, m);
	gone_say(s, &r->live.gone, &r->live.plans);
	tell_missed(s, r);
	return true;
}

bool lines_counts(struct session *s, struct oneshot *o, struct lines_subject *subject, struct measurement *m, struct error *err)
{
	struct counts_run r = { .subject = subject };
	const struct target kernel = session_target(s);
	bool ok;

	line_begins_find(subject->home ? subject->home : &kernel, &subject->lines);
	ok = only_filters(&subject->typed.v[0], err) && plan_all(s, &r, err) && measure(s, o, &r, m, err);
	aggregate_data_free(&r.data);
	live_free(&r.live);
	free(r.points);
	free(r.unplanned);
	free(r.at_begin);
	free(r.at_end);
	return ok;
}
