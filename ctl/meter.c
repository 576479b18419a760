// SPDX-License-Identifier: GPL-2.0-or-later
/* meter.c - see meter.h. */
#include "ctl/meter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/cmd_trace.h"
#include "ctl/interrupt.h"
#include "ctl/memory.h"

#define CALLS		1024	/* that are calibrated by */
#define ARM_WAIT_MS	10000	/* for jumps to be written */
#define ARM_NAP_MS	20

/* ------------------------------------------------------------------- scratch */

/* The scratch function's entry and return. */
struct scratch {
	struct kt_measure req;
	struct kt_role roles[2];
	struct kt_site_req sites[2];
	struct desc desc[2];
	void *blobs[2];
	uint32_t ways[2];	/* KT_ROLE_LONG, KT_ROLE_THREAD as the ends have it */
	bool set;
};

static const struct kt_insn just_end = { .op = KT_OP_END };

static bool scratch_describe(struct scratch *scratch, size_t i, struct error *err)
{
	struct desc *desc = &scratch->desc[i];
	size_t len;

	desc->name = i ? "ktrace:scratch%return" : "ktrace:scratch";
	desc->typed = desc->name;
	desc->options = "";
	desc->prog = (struct kt_insn *)&just_end;
	desc->prog_len = 1;
	if (!desc_encode(desc, &scratch->blobs[i], &len, err))
		return false;
	scratch->roles[i] = (struct kt_role){
		.size = sizeof(scratch->roles[i]), .measure = scratch->req.id, .reg = arch_native.dwarf_sp,
		.what = KT_ROLE_SILENT | (i ? KT_ROLE_CLOSE | KT_ROLE_TALLY : KT_ROLE_OPEN) | scratch->ways[i],
	};
	scratch->sites[i] = (struct kt_site_req){
		.addr = i, .desc = (uintptr_t)scratch->blobs[i], .desc_len = len, .flags = KT_SITE_SCRATCH,
		.role = (uintptr_t)&scratch->roles[i],
	};
	return true;
}

static bool scratch_create(struct session *s, struct scratch *scratch, struct error *err)
{
	scratch->req = (struct kt_measure){ .slots = KT_MIN_SLOTS };
	return device_measure(&s->dev, &scratch->req, err) && scratch_describe(scratch, 0, err) &&
	       scratch_describe(scratch, 1, err);
}

/* The addresses come back in place of the numbers: set again, they are numbers again. */
static bool scratch_set(struct session *s, struct scratch *scratch, uint8_t entry, uint8_t back,
			struct error *err)
{
	struct kt_trace req = { .flags = KT_TRACE_OWNED, .nr = 2, .sites = (uintptr_t)scratch->sites };

	scratch->sites[0].addr = 0;
	scratch->sites[1].addr = 1;
	scratch->sites[0].method = entry;
	scratch->sites[1].method = back;
	if (!device_trace(&s->dev, &req, err))
		return false;
	scratch->set = true;
	return true;
}

static void scratch_drop(struct session *s, struct scratch *scratch)
{
	uint64_t addrs[] = { scratch->sites[0].addr, scratch->sites[1].addr };
	struct kt_delete req = { .nr = 2, .addrs = (uintptr_t)addrs };
	struct error err;

	if (scratch->set)
		device_delete(&s->dev, &req, &err);
	free(scratch->blobs[0]);
	free(scratch->blobs[1]);
}

/* ------------------------------------------------------------------- methods */

static const struct kt_list_entry *entry_at(const struct kt_list_entry *list, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].addr == addr)
			return &list[i];
	return NULL;
}

/* False: it is to become another one in a moment. */
static bool method_now(const struct kt_list_entry *list, size_t n, uint64_t addr, uint8_t *method)
{
	const struct kt_list_entry *entry = entry_at(list, n, addr);

	*method = entry ? entry->method : KT_METHOD_BREAKPOINT;
	return !entry || entry->method == entry->planned;
}

static bool methods_now(struct session *s, struct meter *meter, struct scratch *scratch, bool *settled,
			struct error *err)
{
	struct kt_list_entry *list;
	size_t n;

	if (!device_list(&s->dev, &list, &n, err))
		return false;
	*settled = true;
	for (size_t i = 0; i < meter->plans.n; i++)
		*settled &= method_now(list, n, meter->reqs[i].addr, &meter->methods[i]);
	for (size_t i = 0; i < 2; i++)
		*settled &= method_now(list, n, scratch->sites[i].addr, &scratch->sites[i].method);
	free(list);
	return true;
}

static bool settle(struct session *s, struct meter *meter, struct scratch *scratch, struct error *err)
{
	bool settled = false;

	for (int ms = 0; ms < ARM_WAIT_MS && !settled && !interrupt_pending(); ms += ARM_NAP_MS) {
		if (ms)
			nanosleep(&(struct timespec){ .tv_nsec = ARM_NAP_MS * 1000000L }, NULL);
		if (!methods_now(s, meter, scratch, &settled, err))
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
	return has[KT_METHOD_JUMP] ? "jump" : has[KT_METHOD_EVENT] ? "static tracepoint" : "breakpoint";
}

/* --------------------------------------------------------------- calibration */

/* What a call through tracepoints of two methods costs. */
struct costs {
	uint64_t untraced;	/* a whole call, without any */
	uint64_t calls;
	struct kt_measure_run run;
	struct correction shown;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* By the methods that the scratch function is traced by now. */
static bool calibrate(struct session *s, struct scratch *scratch, struct costs *costs, struct error *err)
{
	struct kt_calibrate req = { .calls = CALLS, .id = scratch->req.id };
	const uint8_t entry = scratch->sites[0].method, back = scratch->sites[1].method;
	uint64_t hits;

	if (!device_calibrate(&s->dev, &req, err))
		return false;
	costs->run.cost[entry][back] = less(req.sample, req.inside);
	costs->shown = (struct correction){
		.known = true, .cost = less(req.sample, req.inside), .low = less(req.low, req.inside),
		.high = less(req.high, req.inside), .calls = CALLS,
	};
	hits = less(less(req.whole, costs->untraced), req.charged);
	if (entry == back) {
		costs->run.nested[0][entry] = hits / 2;
		costs->run.nested[1][entry] = hits - hits / 2;
	}
	return true;
}

static bool set_and_calibrate(struct session *s, struct scratch *scratch, uint8_t entry, uint8_t back,
			      struct costs *costs, struct error *err)
{
	if (!scratch_set(s, scratch, entry, back, err))
		return false;
	scratch->sites[0].method = entry;
	scratch->sites[1].method = back;
	return calibrate(s, scratch, costs, err);
}

/* Jumps become breakpoints at once, the other way round it takes long: the fourth follows from the three. */
static bool calibrate_all(struct session *s, struct scratch *scratch, struct costs *costs, struct error *err)
{
	__u64 (*cost)[KT_NR_METHODS] = costs->run.cost;
	const bool jumps = scratch->sites[0].method == KT_METHOD_JUMP &&
			   scratch->sites[1].method == KT_METHOD_JUMP;
	struct correction shown;

	if (jumps && !calibrate(s, scratch, costs, err))
		return false;
	shown = costs->shown;
	if (jumps && !set_and_calibrate(s, scratch, KT_METHOD_JUMP, KT_METHOD_BREAKPOINT, costs, err))
		return false;
	if (!set_and_calibrate(s, scratch, KT_METHOD_BREAKPOINT, KT_METHOD_BREAKPOINT, costs, err))
		return false;
	if (jumps)
		costs->shown = shown;
	cost[KT_METHOD_BREAKPOINT][KT_METHOD_JUMP] =
		less(cost[KT_METHOD_BREAKPOINT][KT_METHOD_BREAKPOINT] + cost[KT_METHOD_JUMP][KT_METHOD_JUMP],
		     cost[KT_METHOD_JUMP][KT_METHOD_BREAKPOINT]);
	return true;
}

static void run_without_cost(struct session *s, uint32_t id, bool on, struct error *err, bool *ok)
{
	struct kt_measure_run run = { .id = id, .on = on };

	*ok = *ok && device_measure_run(&s->dev, &run, err);
}

/* The methods most used: what is told of. */
static void choose_shown(struct meter *meter, const struct costs *costs)
{
	meter->correction = costs->shown;
	meter->correction.nested = costs->run.nested[0][meter->methods[0] % KT_NR_METHODS];
	meter->correction.cost =
		costs->run.cost[meter->methods[0] % KT_NR_METHODS][meter->methods[meter->plans.n - 1] % KT_NR_METHODS];
}

static bool calibrate_meter(struct session *s, struct meter *meter, struct scratch *scratch, struct costs *costs,
			    struct error *err)
{
	bool ok = true;

	run_without_cost(s, scratch->req.id, true, err, &ok);
	ok = ok && calibrate_all(s, scratch, costs, err);
	run_without_cost(s, scratch->req.id, false, err, &ok);
	if (ok)
		choose_shown(meter, costs);
	return ok;
}

/* ----------------------------------------------------------------------- arm */

static double wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static bool start(struct session *s, struct meter *meter, const struct costs *costs, struct error *err)
{
	meter->run = meter->raw ? (struct kt_measure_run){ 0 } : costs->run;
	meter->run.id = meter->req.id;
	meter->run.on = 1;
	meter->run.quota = meter->quota;
	meter->began_at = wall_clock();
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

static bool untraced(struct session *s, struct costs *costs, struct error *err)
{
	struct kt_calibrate req = { .calls = CALLS };

	if (!device_calibrate(&s->dev, &req, err))
		return false;
	costs->untraced = req.whole;
	return true;
}

static bool set_all(struct session *s, struct meter *meter, struct scratch *scratch, struct error *err)
{
	if (!scratch_set(s, scratch, KT_METHOD_AUTO, KT_METHOD_AUTO, err))
		return false;
	meter->armed = trace_set(s, &meter->plans, KT_TRACE_OWNED, meter->reqs, err);
	return meter->armed && settle(s, meter, scratch, err);
}

/* Hits of which more than an end of the program is to be run go another way: so do those that they are compared with. */
static uint32_t way_of(const struct meter *meter, size_t i)
{
	const bool is_long = meter->plans.v[i].desc->prog_len > 1 || meter->roles[i].by || meter->req.saved ||
			     meter->req.flags || !(meter->roles[i].what & KT_ROLE_SILENT);

	return (is_long ? KT_ROLE_LONG : 0) | (meter->roles[i].what & KT_ROLE_THREAD);
}

bool meter_arm(struct session *s, struct oneshot *o, struct meter *meter, struct error *err)
{
	struct scratch scratch = { .set = false };
	struct costs costs = { .calls = CALLS };
	bool ok;

	scratch.ways[0] = way_of(meter, 0);
	scratch.ways[1] = way_of(meter, meter->plans.n - 1);
	meter->reqs = mem_zalloc(meter->plans.n, sizeof(*meter->reqs));
	meter->methods = mem_zalloc(meter->plans.n, sizeof(*meter->methods));
	for (size_t i = 0; o->command && i < meter->plans.n; i++)
		((struct kt_desc_req *)meter->plans.v[i].blob)->flags |= KT_DESC_FAMILY;
	if (!device_measure(&s->dev, &meter->req, err))
		return false;
	give_roles(meter);
	ok = untraced(s, &costs, err) && scratch_create(s, &scratch, err) && set_all(s, meter, &scratch, err) &&
	     calibrate_meter(s, meter, &scratch, &costs, err);
	scratch_drop(s, &scratch);
	return ok && start(s, meter, &costs, err);
}

bool meter_disarm(struct session *s, struct meter *meter, struct error *err)
{
	AUTO_FREE uint64_t *addrs = mem_zalloc(meter->plans.n, sizeof(*addrs));
	struct kt_delete req = { .addrs = (uintptr_t)addrs };
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
}

/* -------------------------------------------------------------------- results */

bool meter_progress(struct session *s, const struct meter *meter, struct progress *out, struct error *err)
{
	struct kt_tally tally = { .id = meter->req.id, .group = KT_TALLY_ALL };
	bool found;

	if (!device_tally(&s->dev, &tally, &found, err))
		return false;
	*out = (struct progress){ tally.samples.count, tally.overflow, tally.ended };
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
	return true;
}
