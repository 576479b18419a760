// SPDX-License-Identifier: GPL-2.0-or-later
/* calibration.c - see calibration.h. */
#include "ctl/live/calibration/calibration.h"

#include <stdlib.h>
#include <time.h>

#include "ctl/base/device/refusal.h"
#include "ctl/base/memory.h"

#define CALLS		1024	/* before a measurement */
#define FEW_CALLS	256	/* for display only */
#define TURNS		3000	/* attempts to calibrate while another ktrace calibrates */
#define LONGEST_TURN_MS	20	/* the longest wait between two attempts */
#define FIRST_WAIT_MS	1	/* first wait for jumps; each further wait is twice as long */
#define LAST_WAIT_MS	16

static void nap(int ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* ------------------------------------------------------------------- scratch */

static const struct kt_insn just_end = { .op = KT_OP_END };

static bool scratch_encode(struct scratch *scratch, size_t i, struct error *err)
{
	size_t len;

	free(scratch->blobs[i]);
	scratch->blobs[i] = NULL;
	if (!desc_encode(&scratch->desc[i], &scratch->blobs[i], &len, err))
		return false;
	scratch->sites[i].desc = (uintptr_t)scratch->blobs[i];
	scratch->sites[i].desc_len = len;
	return true;
}

static bool scratch_describe(struct scratch *scratch, size_t i, struct error *err)
{
	struct desc *desc = &scratch->desc[i];

	desc->name = i ? "ktrace:scratch%return" : "ktrace:scratch";
	desc->typed = desc->name;
	desc->options = "";
	desc->prog = (struct kt_insn *)&just_end;
	desc->prog_len = 1;
	scratch->roles[i] = (struct kt_role){
		.size = sizeof(scratch->roles[i]), .measure = scratch->measure, .reg = arch_native.dwarf_sp,
		.what = KT_ROLE_SILENT | (i ? KT_ROLE_END | KT_ROLE_TALLY : KT_ROLE_BEGIN) | scratch->role_flags[i],
	};
	scratch->sites[i] = (struct kt_site_req){
		.flags = KT_SITE_SCRATCH | (i && scratch->returns ? KT_SITE_RETURN : 0),
		.role = (uintptr_t)&scratch->roles[i],
	};
	return scratch_encode(scratch, i, err);
}

/* One measurement serves all calibrations of the session. */
static bool scratch_create(struct session *s, struct scratch *scratch, struct error *err)
{
	struct kt_measure req = { .slots = KT_MIN_SLOTS };

	if (!s->scratch_measure && !device_measure(&s->dev, &req, err))
		return false;
	if (!s->scratch_measure)
		s->scratch_measure = req.id;
	scratch->measure = s->scratch_measure;
	return scratch_describe(scratch, 0, err) && scratch_describe(scratch, 1, err);
}

static bool is_taken(const struct scratch *scratch)
{
	return scratch->sites[0].refusal == KT_REFUSE_TAKEN || scratch->sites[1].refusal == KT_REFUSE_TAKEN;
}

/* The module replaced the numbers by addresses: put the numbers back. */
static bool scratch_set(struct session *s, struct scratch *scratch, uint8_t entry, uint8_t back,
			struct error *err)
{
	struct kt_trace req = { .flags = KT_TRACE_OWNED, .nr = 2, .sites = (uintptr_t)scratch->sites };

	scratch->sites[0].addr = scratch->returns ? KT_SCRATCH_CALLED : KT_SCRATCH_ENTRY;
	scratch->sites[1].addr = scratch->returns ? KT_SCRATCH_RETURNED : KT_SCRATCH_RET;
	scratch->sites[0].method = entry;
	scratch->sites[1].method = back;
	scratch->sites[0].refusal = scratch->sites[1].refusal = 0;
	if (device_trace(&s->dev, &req, err)) {
		scratch->set = true;
		return true;
	}
	for (size_t i = 0; i < 2; i++)
		if (scratch->sites[i].refusal)
			return refusal_set(err, scratch->sites[i].refusal, scratch->desc[i].name, NULL);
	return false;
}

/*
 * Wait while another ktrace uses the scratch function.  The waits have different lengths.  Another process may take and release
 * the function again and again.  With equal waits, every attempt could fall into the time when it is taken.
 */
static bool scratch_set_in_turn(struct session *s, struct scratch *scratch, struct error *err)
{
	bool ok = scratch_set(s, scratch, KT_METHOD_AUTO, KT_METHOD_AUTO, err);

	for (int i = 0; !ok && is_taken(scratch) && i < TURNS; i++) {
		nap(1 + 7 * i % LONGEST_TURN_MS);
		ok = scratch_set(s, scratch, KT_METHOD_AUTO, KT_METHOD_AUTO, err);
	}
	return ok;
}

bool scratch_set_best(struct session *s, struct scratch *scratch, struct error *err)
{
	return scratch_create(s, scratch, err) && scratch_set_in_turn(s, scratch, err);
}

static bool scratch_unset(struct session *s, struct scratch *scratch, struct error *err)
{
	uint64_t addrs[] = { scratch->sites[0].addr, scratch->sites[1].addr };
	struct kt_delete req = { .nr = 2, .addrs = (uintptr_t)addrs };

	if (scratch->set && !device_delete(&s->dev, &req, err))
		return false;
	scratch->set = false;
	return true;
}

void scratch_drop(struct session *s, struct scratch *scratch)
{
	struct error err;

	scratch_unset(s, scratch, &err);
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

bool method_now(const struct kt_list_entry *list, size_t n, uint64_t addr, uint8_t *method)
{
	const struct kt_list_entry *entry = entry_at(list, n, addr);

	*method = entry ? entry->method : KT_METHOD_BREAKPOINT;
	return !entry || (entry->method == entry->planned && !entry->misfit);
}

struct hit_path hit_path_of(const struct kt_list_entry *entry)
{
	if (entry->shared)
		return (struct hit_path){ .is_shared = true };
	return (struct hit_path){
		.is_long = entry->slow_path,
		.is_plain = !entry->slow_path && !entry->code_bytes &&
			    (entry->planned == KT_METHOD_JUMP || entry->planned == KT_METHOD_AUTO),
	};
}

static bool has_code(const struct scratch *scratch, size_t i, const struct kt_list_entry *list, size_t n)
{
	const struct kt_list_entry *entry = entry_at(list, n, scratch->sites[i].addr);

	return entry && entry->code_bytes;
}

bool scratch_go(struct session *s, struct scratch *scratch, const struct kt_list_entry *list, size_t n,
		const struct hit_path paths[2], struct error *err)
{
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		any |= paths[i].is_long || paths[i].is_shared || (paths[i].is_plain && has_code(scratch, i, list, n));
		scratch->roles[i].what |= paths[i].is_long ? KT_ROLE_SLOW_PATH : 0;
		scratch->roles[i].what |= paths[i].is_shared ? KT_ROLE_SHARED_PATH : 0;
		scratch->desc[i].control |= paths[i].is_plain ? KT_DESC_PLAIN : 0;
		if (!scratch_encode(scratch, i, err))
			return false;
	}
	return !any || scratch_set_in_turn(s, scratch, err);
}

bool scratch_settled(struct scratch *scratch, const struct kt_list_entry *list, size_t n)
{
	bool settled = true;

	for (size_t i = 0; i < 2; i++)
		settled &= method_now(list, n, scratch->sites[i].addr, &scratch->sites[i].method);
	return settled;
}

/* --------------------------------------------------------------- calibration */

static bool begin(struct session *s, uint32_t calls, uint32_t flags, struct calibration *c, struct error *err)
{
	*c = (struct calibration){ .calls = calls };
	for (size_t returns = 0; returns < ARRAY_SIZE(c->untraced); returns++) {
		struct kt_calibrate req = { .calls = calls, .flags = flags | (returns ? KT_CALIBRATE_RETURN : 0) };

		if (!device_calibrate(&s->dev, &req, err))
			return false;
		c->untraced[returns] = req.whole;
	}
	return true;
}

bool calibration_begin(struct session *s, struct calibration *c, struct error *err)
{
	return begin(s, CALLS, 0, c, err);
}

static struct correction correction_of(const struct kt_calibrate *req)
{
	return (struct correction){
		.known = true, .cost = less(req->sample, req->inside), .low = less(req->low, req->inside),
		.high = less(req->high, req->inside), .calls = req->calls,
	};
}

/* Calibrate by the present methods of the scratch function. */
static bool calibrate(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err)
{
	struct kt_calibrate req = {
		.calls = c->calls, .id = scratch->measure, .flags = scratch->returns ? KT_CALIBRATE_RETURN : 0,
	};
	const uint8_t entry = scratch->sites[0].method, back = scratch->sites[1].method;
	uint64_t hits;

	if (!device_calibrate(&s->dev, &req, err))
		return false;
	c->by[entry][back] = correction_of(&req);
	c->run.cost[entry][back] = c->by[entry][back].cost;
	hits = less(less(req.whole, c->untraced[scratch->returns]), req.charged);
	if (entry == back) {
		c->run.nested[0][entry] = hits / 2;
		c->run.nested[1][entry] = hits - hits / 2;
	} else if (scratch->returns) {
		c->run.nested[1][back] = less(hits, c->run.nested[0][entry]);
	}
	return true;
}

static bool set_and_calibrate(struct session *s, struct scratch *scratch, uint8_t entry, uint8_t back,
			      struct calibration *c, struct error *err)
{
	if (!scratch_set(s, scratch, entry, back, err))
		return false;
	scratch->sites[0].method = entry;
	scratch->sites[1].method = scratch->returns ? KT_METHOD_RETURN : back;
	return calibrate(s, scratch, c, err);
}

/* Assume the same spread as for jump and breakpoint in the other order. */
static void derive_fourth(struct calibration *c)
{
	struct correction (*by)[KT_NR_METHODS] = c->by;
	struct correction *fourth = &by[KT_METHOD_BREAKPOINT][KT_METHOD_JUMP];
	const struct correction *third = &by[KT_METHOD_JUMP][KT_METHOD_BREAKPOINT];

	*fourth = *third;
	fourth->cost = less(by[KT_METHOD_BREAKPOINT][KT_METHOD_BREAKPOINT].cost + by[KT_METHOD_JUMP][KT_METHOD_JUMP].cost,
			    third->cost);
	fourth->low = less(fourth->cost, less(third->cost, third->low));
	fourth->high = fourth->cost + less(third->high, third->cost);
	c->run.cost[KT_METHOD_BREAKPOINT][KT_METHOD_JUMP] = fourth->cost;
}

/*
 * A jump becomes a breakpoint at once, but the reverse takes long: compute the fourth combination from the
 * other three.
 */
static bool calibrate_all(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err)
{
	const bool jumps = scratch->sites[0].method == KT_METHOD_JUMP &&
			   scratch->sites[1].method == KT_METHOD_JUMP;

	if (jumps && !calibrate(s, scratch, c, err))
		return false;
	if (jumps && !set_and_calibrate(s, scratch, KT_METHOD_JUMP, KT_METHOD_BREAKPOINT, c, err))
		return false;
	if (!set_and_calibrate(s, scratch, KT_METHOD_BREAKPOINT, KT_METHOD_BREAKPOINT, c, err))
		return false;
	if (jumps)
		derive_fourth(c);
	return true;
}

/* The return has one method only; the entry may be a jump or a breakpoint. */
static bool calibrate_returns(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err)
{
	return (scratch->sites[0].method != KT_METHOD_JUMP || calibrate(s, scratch, c, err)) &&
	       set_and_calibrate(s, scratch, KT_METHOD_BREAKPOINT, KT_METHOD_AUTO, c, err);
}

static void run_without_cost(struct session *s, uint32_t id, bool on, struct error *err, bool *ok)
{
	struct kt_measure_run run = { .id = id, .on = on };

	*ok = *ok && device_measure_run(&s->dev, &run, err);
}

bool calibration_take(struct session *s, struct scratch *scratch, struct calibration *c, struct error *err)
{
	bool ok = true;

	run_without_cost(s, scratch->measure, true, err, &ok);
	ok = ok && (scratch->returns ? calibrate_returns(s, scratch, c, err) : calibrate_all(s, scratch, c, err));
	run_without_cost(s, scratch->measure, false, err, &ok);
	return ok;
}

/* ----------------------------------------------------------------- to be shown */

/* Limit the wait: jumps of other tracepoints may come first. */
static bool wait_for_jumps(struct session *s, struct scratch *scratch, struct error *err)
{
	bool settled = false;

	for (int ms = FIRST_WAIT_MS; !settled && ms <= LAST_WAIT_MS; ms *= 2) {
		struct kt_list_entry *list;
		size_t n;

		nap(ms);
		if (!device_list(&s->dev, &list, &n, err))
			return false;
		settled = scratch_settled(scratch, list, n);
		free(list);
	}
	return true;
}

bool calibration_now(struct session *s, struct calibration *c, struct error *err)
{
	struct scratch scratch = { .set = false };
	bool ok = begin(s, FEW_CALLS, KT_CALIBRATE_ALONE, c, err) && scratch_create(s, &scratch, err) &&
		  scratch_set(s, &scratch, KT_METHOD_AUTO, KT_METHOD_AUTO, err) &&
		  wait_for_jumps(s, &scratch, err) && calibration_take(s, &scratch, c, err);

	scratch_drop(s, &scratch);
	return ok || !is_taken(&scratch) ? ok : error_set(err, STATUS_FAILURE, "another ktrace calibrates just now");
}
