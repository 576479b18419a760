// SPDX-License-Identifier: GPL-2.0-or-later
/* latency_key.c - the times from A to B where a key has the same value, from the records that `pairs` pairs, too. */
#include <string.h>

#include "ctl/ask/resolve/function_lines.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/live/measure/latency_int.h"
#include "ctl/live/measure/pairing_run.h"
#include "ctl/live/session/session_target.h"

static bool check(const struct oneshot *o, struct error *err)
{
	const char *given = oneshot_given(o, GIVEN_BY | GIVEN_TOP | GIVEN_ACROSS | GIVEN_COUNT | GIVEN_RAW | GIVEN_OFF_CPU);

	return !given ||
	       error_set(err, STATUS_USAGE, "%s: not with --key, which pairs records of any threads: leave one out", given);
}

/* Only filters: the records have the key and no other data. */
static bool check_uses(const struct oneshot *o, struct error *err)
{
	AUTO_REQUESTS struct requests typed = { 0 };

	if (!latency_parse(o, &typed, err))
		return false;
	for (size_t i = 0; i < typed.n; i++)
		for (size_t k = 0; k < typed.v[i].nr_uses; k++) {
			const struct option_row *option = typed.v[i].uses[k].option;

			if (option->measured != FILTERS_ENTRY && option->measured != FILTERS_BOTH)
				return error_set(err, STATUS_USAGE, "%s: of no use with --key: leave it out", option->name);
		}
	return true;
}

static void fill_end(struct session *s, const struct pairing_run *p, unsigned int end, struct measure_end *out)
{
	const size_t from = end == PAIRING_A ? 0 : p->nr_from;
	const struct plan *plan = &p->plans.v[from];
	const struct target target = session_target(s);
	char line[256];

	out->spec = mem_strdup(p->typed.v[end].address);
	out->nr_points = end == PAIRING_A ? p->nr_from : p->plans.n - p->nr_from;
	if (*function_line_at(plan_target(plan, &target), plan->point.addr, line, sizeof(line)))
		out->where = mem_strdup(line);
}

static char *say_key(const struct oneshot *o)
{
	const char *a = pairing_run_key(o, PAIRING_A), *b = pairing_run_key(o, PAIRING_B);

	return strcmp(a, b) ? mem_printf("%s = %s", a, b) : mem_strdup(a);
}

static void fill(struct session *s, const struct oneshot *o, struct pairing_run *p, struct measurement *m)
{
	struct pairing *pairing = p->pairing;

	m->kind = MEASURE_KEYED;
	m->name = mem_printf("%s -> %s", p->typed.v[PAIRING_A].address, p->typed.v[PAIRING_B].address);
	m->key = say_key(o);
	fill_end(s, p, PAIRING_A, &m->from);
	fill_end(s, p, PAIRING_B, &m->to);
	snprintf(m->correction.why, sizeof(m->correction.why), "the times are those of the records");
	m->ns_per_tick = (double)p->clock.ns_num / p->clock.ns_den;
	snprintf(m->clock, sizeof(m->clock), "%.15s", p->clock.name);
	m->began = p->began;
	m->ended = p->ended;
	m->all = pairing->times;
	pairing->times.buckets = NULL;
	m->unreadable[0] = pairing->unreadable[PAIRING_A];
	m->unreadable[1] = pairing->unreadable[PAIRING_B];
	m->entered = pairing_run_hits(p, PAIRING_A) - m->unreadable[0];
	m->returned = pairing_run_hits(p, PAIRING_B) - m->unreadable[1];
	m->overflow = p->no_room;
	m->open = pairing->open;
	m->unmatched = pairing->unmatched;
	m->lost = p->lost;
}

bool latency_keyed(struct session *s, struct oneshot *o, struct measurement *m, struct error *err)
{
	struct pairing_run p = { .times_only = true };
	bool ok = check(o, err) && check_uses(o, err) && pairing_run_plan(s, o, &p, err);

	m->began_at = now_wall();
	ok = ok && pairing_run_measure(s, o, &p, err);
	if (ok)
		fill(s, o, &p, m);
	if (ok)
		gone_say(s, &p.gone, &p.plans);
	pairing_run_free(s, &p);
	return ok;
}
