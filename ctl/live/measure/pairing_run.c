// SPDX-License-Identifier: GPL-2.0-or-later
/* pairing_run.c - see pairing_run.h. */
#include "ctl/live/measure/pairing_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/trace.h"

/* ---------------------------------------------------------------------- plan */

const char *pairing_run_key(const struct oneshot *o, unsigned int end)
{
	const char *key = end == PAIRING_B && o->keys[PAIRING_B] ? o->keys[PAIRING_B] : o->keys[PAIRING_A];

	return strncmp(key, "VAR ", 4) ? key : key + 4;
}

/* The key comes first, then the thread: see take_key(). */
static bool plan_end(struct session *s, const struct oneshot *o, struct pairing_run *p, unsigned int end, struct error *err)
{
	const struct request *typed = &p->typed.v[end];
	AUTO_FREE struct use *uses = mem_zalloc(typed->nr_uses + 3, sizeof(*uses));
	AUTO_FREE char *process = mem_printf("%" PRIu64, o->pid);
	struct request request = *typed;
	struct requests one = { &request, 1 };

	uses[0] = (struct use){ option_find("VAR"), pairing_run_key(o, end), NULL };
	uses[1] = (struct use){ option_find("PID"), NULL, NULL };
	for (size_t i = 0; i < typed->nr_uses; i++)
		uses[2 + i] = typed->uses[i];
	request.uses = uses;
	request.nr_uses = typed->nr_uses + 2;
	if (o->pid)
		uses[request.nr_uses++] = (struct use){ option_find("ONLYTGID"), process, NULL };
	return trace_plan(s, &one, &p->plans, err);
}

/* The number of the field with the thread: 1, or 2 behind a key that is recorded with the text it points to. */
static size_t thread_at(const struct desc *desc)
{
	return desc->fields[0].is_address ? 2 : 1;
}

static const char *command(const struct pairing_run *p)
{
	return p->times_only ? "latency" : "pairs";
}

static const char *option(const struct pairing_run *p)
{
	return p->times_only ? "--key" : "--by";
}

static bool check_plans(const struct pairing_run *p, struct error *err)
{
	for (size_t i = 0; i < p->plans.n; i++) {
		const struct desc *desc = p->plans.v[i].desc;

		if (desc->aggregate)
			return error_set(err, STATUS_USAGE, "%s: %s counts hits and has no records: leave COUNT and the like out", command(p), desc->typed);
		if (desc->nr_fields <= thread_at(desc) || desc->fields[thread_at(desc)].kind != FIELD_NUMBER ||
		    field_payload(&desc->fields[0]) > PAIRING_KEY || !field_payload(&desc->fields[0]))
			return error_set(err, STATUS_USAGE, "%s: %s %s: a key is one number or pointer: give another expression", command(p), option(p), desc->fields[0].name);
	}
	return true;
}

bool pairing_run_plan(struct session *s, const struct oneshot *o, struct pairing_run *p, struct error *err)
{
	const struct words words = { .v = (char **)o->subjects, .n = o->nr_subjects };

	if (!requests_parse(&words, 0, &p->typed, err))
		return false;
	if (p->typed.n != NR_PAIRING_ENDS)
		return error_set(err, STATUS_USAGE, "%s: give two places: %s A B %s KEY", command(p), command(p), option(p));
	if (!o->keys[PAIRING_A])
		return error_set(err, STATUS_USAGE, "pairs: what do A and B have in common? Give --by KEY: pairs A B --by ptr");
	if (!session_begin_symbols(s, err) || !plan_end(s, o, p, PAIRING_A, err))
		return false;
	p->nr_from = p->plans.n;
	if (!plan_end(s, o, p, PAIRING_B, err) || !check_plans(p, err))
		return false;
	if (oneshot_follows(o) && !s->dry_run)
		plans_follow(&p->plans);
	return true;
}

/* ------------------------------------------------------------------- records */

static bool is_unreadable(const struct desc *desc, const uint8_t *payload)
{
	uint32_t mask = 0;

	if (!desc->has_faults || desc->fields[0].fault_bit < 0)
		return false;
	memcpy(&mask, payload, desc_mask(desc) < sizeof(mask) ? desc_mask(desc) : sizeof(mask));
	return mask >> desc->fields[0].fault_bit & 1;
}

/* The key and the thread of a record.  False: the key could not be read. */
static bool take_key(const struct record *record, struct begun *out)
{
	const struct desc *desc = record->desc;
	const uint8_t *at = record->payload + desc_mask(desc);

	*out = (struct begun){ .ticks = record->ticks };
	memcpy(out->key, at, field_payload(&desc->fields[0]));
	for (size_t i = 0; i < thread_at(desc); i++)
		at += field_payload(&desc->fields[i]);
	memcpy(&out->thread, at, sizeof(out->thread));
	return !is_unreadable(desc, record->payload);
}

static bool take_begin(struct pairing_run *p, const struct record *record, uint32_t point, struct error *err)
{
	struct begun begun;

	if (!take_key(record, &begun)) {
		p->pairing->unreadable[PAIRING_A]++;
		p->points[point].unknown++;
		return true;
	}
	begun.point = point;
	begun.count = p->nr_kept++;
	if (!pairing_begin(p->pairing, &begun)) {
		p->no_room++;
		p->points[point].unknown++;
	}
	return p->times_only || record_file_add(p->kept, record, point, err);
}

static void take_end(struct pairing_run *p, const struct record *record)
{
	struct begun end;
	uint32_t point;

	if (!take_key(record, &end))
		p->pairing->unreadable[PAIRING_B]++;
	else if (pairing_end(p->pairing, end.key, end.thread, end.ticks, &point))
		p->points[point].paired++;
}

static bool take(const struct record *record, void *arg, struct error *err)
{
	struct pairing_run *p = arg;
	uint32_t point;

	if (record->type == RECORD_LOST) {
		p->lost += record->lost;
		return true;
	}
	point = plan_ids_find(&p->ids, record->desc->id);
	if (point == PLAN_NONE)
		return true;
	p->points[point].hits++;
	if (point < p->nr_from)
		return take_begin(p, record, point, err);
	take_end(p, record);
	return true;
}

/* ------------------------------------------------------------------------ run */

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct pairing_run *p = arg;

	p->reqs = mem_zalloc(p->plans.n, sizeof(*p->reqs));
	p->points = mem_zalloc(p->plans.n, sizeof(*p->points));
	p->pairing = pairing_create();
	p->kept = record_file_create(err);
	p->reader = p->kept ? reading_begin(s, err) : NULL;
	if (!p->reader || !reading_clock(s, &p->clock, &p->anchors, &p->began, err))
		return false;
	p->armed = trace_set(s, &p->plans, KT_TRACE_OWNED, p->reqs, err);
	if (!p->armed)
		return false;
	plan_ids_take(&p->ids, p->reqs, p->plans.n);
	trace_say_frozen(s, &p->plans);
	gone_watch(&p->gone, &p->plans);
	return true;
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct pairing_run *p = arg;
	const bool ok = reading_round(p->reader, take, p, err);

	gone_look(&p->gone);
	*progress = (struct progress){ .hits = p->nr_kept, .lost = p->lost };
	return ok;
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct pairing_run *p = arg;

	if (!p->armed)
		return true;
	p->armed = false;
	if (!p->nr_kept && !reach_read(s, reach_filter(&p->typed), &p->ids, &p->reach, err))
		return false;
	return trace_remove(s, &p->plans, p->reqs, err) && reading_clock(s, &p->clock, &p->anchors, &p->ended, err);
}

bool pairing_run_measure(struct session *s, struct oneshot *o, struct pairing_run *p, struct error *err)
{
	const struct oneshot_ops ops = {
		.arm = arm, .round = round_once, .disarm = disarm, .drains = true, .arg = p,
	};

	return oneshot_measure(s, o, &ops, err);
}

uint64_t pairing_run_hits(const struct pairing_run *p, unsigned int end)
{
	uint64_t n = 0;

	for (size_t i = end == PAIRING_A ? 0 : p->nr_from; i < (end == PAIRING_A ? p->nr_from : p->plans.n); i++)
		n += p->points[i].hits;
	return n;
}

void pairing_run_free(struct session *s, struct pairing_run *p)
{
	if (p->reqs)
		trace_release(s, &p->plans, p->reqs);
	plans_free(&p->plans);
	requests_free(&p->typed);
	plan_ids_free(&p->ids);
	gone_free(&p->gone);
	free(p->reqs);
	free(p->points);
	free(p->anchors);
	pairing_free(p->pairing);
	reader_destroy(p->reader);
	record_file_free(p->kept);
}
