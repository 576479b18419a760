// SPDX-License-Identifier: GPL-2.0-or-later
/* meter.c - see meter.h. */
#include "ctl/measure/meter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/measure/calibration.h"
#include "ctl/session/trace.h"

#define ARM_WAIT_MS	10000	/* for jumps to be written */
#define ARM_NAP_MS	20

/* ------------------------------------------------------------------- methods */

/* The scratch functions that a measurement is calibrated on: the other one only where a kretprobe ends calls. */
struct scratches {
	struct scratch v[2];
	size_t n;
};

static bool methods_now(struct session *s, struct meter *meter, struct scratches *scratches, bool *settled,
			struct error *err)
{
	struct kt_list_entry *list;
	size_t n;

	if (!device_list(&s->dev, &list, &n, err))
		return false;
	*settled = true;
	for (size_t i = 0; i < meter->plans.n; i++)
		*settled &= method_now(list, n, meter->reqs[i].addr, &meter->methods[i]);
	for (size_t i = 0; i < scratches->n; i++)
		*settled &= scratch_settled(&scratches->v[i], list, n);
	free(list);
	return true;
}

static bool settle(struct session *s, struct meter *meter, struct scratches *scratches, struct error *err)
{
	bool settled = false;

	for (int ms = 0; ms < ARM_WAIT_MS && !settled && !interrupt_pending(); ms += ARM_NAP_MS) {
		if (ms)
			nanosleep(&(struct timespec){ .tv_nsec = ARM_NAP_MS * 1000000L }, NULL);
		if (!methods_now(s, meter, scratches, &settled, err))
			return false;
	}
	return true;
}

const char *meter_methods(const struct meter *meter, size_t from, size_t to)
{
	bool has[KT_NR_METHODS] = { false };

	for (size_t i = from; i < to; i++)
		has[meter->methods[i] % KT_NR_METHODS] = true;
	if (has[KT_METHOD_JUMP] && has[KT_METHOD_BREAKPOINT])
		return "jump and breakpoint";
	if (has[KT_METHOD_RETURN])
		return "kretprobe";
	return has[KT_METHOD_JUMP] ? "jump" : has[KT_METHOD_EVENT] ? "static tracepoint" : "breakpoint";
}

/* The methods most used: what is told of. */
static void choose_shown(struct meter *meter, const struct calibration *c)
{
	const uint8_t entry = meter->methods[0] % KT_NR_METHODS;

	meter->correction = c->by[entry][meter->methods[meter->plans.n - 1] % KT_NR_METHODS];
	meter->correction.known = true;
	meter->correction.calls = c->calls;
	meter->correction.nested = c->run.nested[0][entry];
}

/* ----------------------------------------------------------------------- arm */

static bool start(struct session *s, struct meter *meter, const struct calibration *c, struct error *err)
{
	meter->run = meter->raw ? (struct kt_measure_run){ 0 } : c->run;
	meter->run.id = meter->req.id;
	meter->run.on = 1;
	meter->run.quota = meter->quota;
	meter->began_at = now_wall();
	return device_measure_run(&s->dev, &meter->run, err);
}

static void give_roles(struct meter *meter)
{
	for (size_t i = 0; i < meter->plans.n; i++) {
		meter->roles[i].size = sizeof(meter->roles[i]);
		meter->roles[i].measure = meter->req.id;
		meter->plans.v[i].req.role = (uintptr_t)&meter->roles[i];
	}
}

static bool take_all(struct session *s, struct scratches *scratches, struct calibration *c, struct error *err)
{
	for (size_t i = 0; i < scratches->n; i++)
		if (!calibration_take(s, &scratches->v[i], c, err))
			return false;
	return true;
}

static size_t first_set(const struct meter *meter)
{
	size_t i = 0;

	while (i + 1 < meter->plans.n && meter->reqs[i].refusal)
		i++;
	return i;
}

static size_t last_set(const struct meter *meter)
{
	size_t i = meter->plans.n - 1;

	while (i && meter->reqs[i].refusal)
		i--;
	return i;
}

/* Does the module say that the hits of that tracepoint go the slow path? */
static bool is_long(const struct meter *meter, size_t i, const struct kt_list_entry *list, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (list[k].id == meter->reqs[i].id)
			return list[k].slow_path;
	return false;
}

/* The scratch functions' hits go the same way as those of the first and the last tracepoint. */
static bool go_alike(struct session *s, const struct meter *meter, struct scratches *scratches, struct error *err)
{
	struct kt_list_entry *list;
	bool ok = true, from, to;
	size_t n;

	if (!device_list(&s->dev, &list, &n, err))
		return false;
	from = is_long(meter, first_set(meter), list, n);
	to = is_long(meter, last_set(meter), list, n);
	free(list);
	for (size_t i = 0; ok && i < scratches->n; i++)
		ok = scratch_set_long(s, &scratches->v[i], from, to, err);
	return ok;
}

static void plan_scratches(const struct meter *meter, struct scratches *out)
{
	const size_t last = meter->plans.n - 1;

	*out = (struct scratches){ .n = 1 };
	for (size_t i = 0; i <= last; i++)
		if (meter->plans.v[i].place.is_return)
			out->n = 2;
	for (size_t i = 0; i < out->n; i++) {
		out->v[i].role_flags[0] = meter->roles[0].what & KT_ROLE_THREAD;
		out->v[i].role_flags[1] = meter->roles[last].what & KT_ROLE_THREAD;
		out->v[i].returns = i;
	}
}

static bool set_all(struct session *s, struct meter *meter, struct scratches *scratches, struct error *err)
{
	for (size_t i = 0; i < scratches->n; i++)
		if (!scratch_set_best(s, &scratches->v[i], err))
			return false;
	meter->armed = trace_set(s, &meter->plans, KT_TRACE_OWNED, meter->reqs, err);
	return meter->armed && go_alike(s, meter, scratches, err) && settle(s, meter, scratches, err);
}

bool meter_arm(struct session *s, struct oneshot *o, struct meter *meter, struct error *err)
{
	struct scratches scratches;
	struct calibration c;
	bool ok;

	plan_scratches(meter, &scratches);
	meter->reqs = mem_zalloc(meter->plans.n, sizeof(*meter->reqs));
	meter->methods = mem_zalloc(meter->plans.n, sizeof(*meter->methods));
	for (size_t i = 0; o->command && i < meter->plans.n; i++)
		((struct kt_desc_req *)meter->plans.v[i].blob)->flags |= KT_DESC_PROCESS_TREE;
	if (!device_measure(&s->dev, &meter->req, err))
		return false;
	give_roles(meter);
	ok = calibration_begin(s, &c, err) && set_all(s, meter, &scratches, err) &&
	     take_all(s, &scratches, &c, err);
	for (size_t i = 0; i < scratches.n; i++)
		scratch_drop(s, &scratches.v[i]);
	if (!ok)
		return false;
	choose_shown(meter, &c);
	gone_watch(&meter->gone, &meter->plans);
	return start(s, meter, &c, err);
}

bool meter_disarm(struct session *s, struct meter *meter, struct error *err)
{
	AUTO_FREE uint64_t *addrs = mem_zalloc(meter->plans.n, sizeof(*addrs));
	struct kt_delete req = { .flags = KT_DELETE_LEFT, .addrs = (uintptr_t)addrs };
	struct kt_measure_run run = { .id = meter->req.id };

	if (!meter->armed)
		return true;
	meter->armed = false;
	for (size_t i = 0; i < meter->plans.n; i++)
		if (!meter->reqs[i].refusal)
			addrs[req.nr++] = meter->reqs[i].addr;
	return device_measure_run(&s->dev, &run, err) && device_delete(&s->dev, &req, err);
}

void meter_free(struct meter *meter)
{
	plans_free(&meter->plans);
	free(meter->roles);
	free(meter->reqs);
	free(meter->methods);
	gone_free(&meter->gone);
}

/* -------------------------------------------------------------------- results */

/* Have all tracepoints of these roles gone with their modules? */
static bool all_gone(const struct meter *meter, uint32_t what)
{
	bool any = false;

	for (size_t i = 0; i < meter->plans.n; i++) {
		if (!(meter->roles[i].what & what))
			continue;
		if (!gone_has(&meter->gone, i))
			return false;
		any = true;
	}
	return any;
}

bool meter_progress(struct session *s, struct meter *meter, struct progress *out, struct error *err)
{
	struct kt_tally tally = { .id = meter->req.id, .group = KT_TALLY_ALL };
	bool found;

	if (!device_tally(&s->dev, &tally, &found, err))
		return false;
	gone_look(&meter->gone);
	*out = (struct progress){ tally.samples.count, tally.overflow, tally.ended };
	out->enough |= all_gone(meter, KT_ROLE_OPEN) || all_gone(meter, KT_ROLE_CLOSE);
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

static bool tally(struct session *s, const struct meter *meter, uint32_t group, bool buckets, struct kt_tally *req,
		  struct samples *out, bool *found, struct error *err)
{
	uint64_t *counts = buckets ? mem_zalloc(KT_HIST_BUCKETS, sizeof(*counts)) : NULL;

	*req = (struct kt_tally){ .id = meter->req.id, .group = group, .buckets = (uintptr_t)counts };
	if (!device_tally(&s->dev, req, found, err) || !*found) {
		free(counts);
		return !*found;
	}
	*out = samples_of(&req->samples);
	out->buckets = counts;
	return true;
}

bool meter_samples(struct session *s, const struct meter *meter, uint32_t group, bool buckets, struct samples *out,
		   uint8_t key[KT_MAX_KEY], bool *found, struct error *err)
{
	struct kt_tally req;

	if (!tally(s, meter, group, buckets, &req, out, found, err))
		return false;
	if (*found && key)
		memcpy(key, req.key, sizeof(req.key));
	return true;
}

static void take_counts(struct measurement *m, const struct kt_tally *req)
{
	m->entered = req->entered;
	m->overflow = req->overflow;
	m->superseded = req->superseded;
	m->open = req->open;
	m->braked = req->braked;
	m->turned_away = req->turned_away;
	m->unmatched = req->unmatched;
	m->filtered = req->filtered;
	m->surplus = req->surplus;
	m->elsewhere = req->elsewhere;
	m->returned = m->all.count + m->filtered + m->surplus + m->unmatched;
	m->began = req->began;
	m->ended = req->ended;
}

bool meter_fill(struct session *s, const struct meter *meter, struct measurement *m, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;
	struct kt_tally req;
	bool found;

	if (!device_clock(&s->dev, &clock, &anchors, err))
		return false;
	free(anchors);
	if (!tally(s, meter, KT_TALLY_ALL, true, &req, &m->all, &found, err))
		return false;
	take_counts(m, &req);
	m->raw = meter->raw;
	m->correction = meter->correction;
	m->ns_per_tick = (double)clock.ns_num / clock.ns_den;
	snprintf(m->clock, sizeof(m->clock), "%.15s", clock.name);
	m->began_at = meter->began_at;
	gone_say(s, &meter->gone, &meter->plans);
	return true;
}
