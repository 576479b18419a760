// SPDX-License-Identifier: GPL-2.0-or-later
/* latency.c - see latency.h. */
#include "ctl/live/measure/latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/go_code.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/groups.h"
#include "ctl/live/measure/latency_int.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

#define SLOTS	16384	/* calls open at once */
#define SLOTS_EACH	1024	/* of each function, where many are measured */
#define GROUPS	255

/* ---------------------------------------------------------------------- plan */

/* Of many functions there are no hints. */
static bool plan_end(struct session *s, struct latency *l, unsigned int end, struct error *err)
{
	const struct requests one = { &l->ends[end], 1 };
	const struct target target = session_target(s);

	return l->is_one_of_many ? plan_request(&target, one.v, &l->live.plans, err)
				 : trace_plan(s, &one, &l->live.plans, err);
}

static bool is_call(const struct latency *l)
{
	return l->function;
}

static bool plan_ends(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	bool planned = false;

	if (!plan_end(s, l, LATENCY_FROM, err))
		return false;
	l->nr_from = l->live.plans.n;
	if (l->live.plans.v[0].home && (l->by == BY_EXIT || o->off_cpu))
		return error_set(err, STATUS_USAGE, "%s: not for the functions of a program: leave it out",
				 o->off_cpu ? "--off-cpu" : "--by EXIT");
	if (l->by == BY_EXIT && !latency_exits_plan(s, l, err))
		return false;
	l->first_end = l->live.plans.n;
	l->ends[LATENCY_TO].is_measured = true;
	l->ends[LATENCY_TO].saved = o->top ? l->live.plans.v[0].desc : NULL;
	if (is_call(l) && l->live.plans.v[0].home && l->live.plans.v[0].point.sym && !latency_tails_plan(s, l, &planned, err))
		return false;
	if (planned)
		return true;
	return plan_end(s, l, LATENCY_TO, err);
}

/* A call that IF turns down is closed all the same, and recognised at its return. */
static bool has_if(const struct request *request)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (!strcmp(request->uses[i].option->name, "IF"))
			return true;
	return false;
}

/* The tracepoint that saves the key of calls that end at plan i: this one, or those before it. */
static const struct desc *key_desc(const struct latency *l, size_t i)
{
	const struct plan *plan = &l->live.plans.v[i];

	return l->by == BY_END || (l->by == BY_EXIT && !plan->point.is_return) ? plan->desc : l->live.plans.v[0].desc;
}

/*
 * The key of the groups is the first item; for a string the text, not its address.  With --top the time of the call and
 * what was saved come before it.
 */
static const struct field *key_of(const struct latency *l, const struct desc *desc)
{
	const struct field *key = desc->fields + (desc->is_hidden ? 1 + l->live.plans.v[0].desc->nr_fields : 0);

	return key + key->is_address;
}

/* What comes before the key: the mask of unreadable items, and other items. */
static void give_key(const struct latency *l, const struct desc *desc, struct kt_role *role)
{
	const struct field *key = key_of(l, desc);
	const size_t bytes = field_payload(key);

	role->by = bytes < KT_MAX_KEY ? bytes : KT_MAX_KEY;
	role->by_at = desc_mask(desc);
	for (const struct field *field = desc->fields; field < key; field++)
		role->by_at += field_payload(field);
}

static bool check_key(const struct latency *l, const struct oneshot *o, struct error *err)
{
	return !l->by || !key_of(l, key_desc(l, l->first_end))->group ||
	       error_set(err, STATUS_USAGE, "--by %s: a key is one value: name a member", o->by);
}

static void give_end(struct latency *l, const struct oneshot *o, size_t i, struct kt_role *role)
{
	const struct desc *desc = key_desc(l, i);

	role->what = KT_ROLE_END | KT_ROLE_TALLY | (o->top ? KT_ROLE_TOP : o->off_cpu ? 0 : KT_ROLE_SILENT);
	if (!l->by)
		return;
	role->saved = desc == l->live.plans.v[i].desc ? desc_payload(desc) : 0;
	give_key(l, desc, role);
}

static void give_key_register(const struct latency *l, struct kt_role *role)
{
	const struct plan *first = &l->live.plans.v[0];

	role->reg = arch_native.dwarf_sp;
	if (!is_call(l)) {
		role->what |= KT_ROLE_THREAD;
	} else if (first->home && go_code_is(first->home, first->point.sym)) {
		role->what |= KT_ROLE_GOROUTINE;
		role->reg = arch_native.dwarf_goroutine;
	}
}

static void give_role(struct latency *l, const struct oneshot *o, size_t i, struct kt_role *role)
{
	const struct plan *plans = l->live.plans.v;
	const bool ends = i >= l->first_end, saves = o->top || l->by == BY_BEGIN || l->by == BY_EXIT;

	if (ends) {
		give_end(l, o, i, role);
	} else {
		role->what = (i < l->nr_from ? KT_ROLE_BEGIN : KT_ROLE_STEP) | (o->off_cpu ? 0 : KT_ROLE_SILENT);
		role->saved = saves && (i < l->nr_from || !l->tails) ? desc_payload(plans[i].desc) : 0;
	}
	if (l->tails) {
		role->what |= l->tails[i].what;
		role->body = l->tails[i].body;
		role->to = l->tails[i].to;
	}
	give_key_register(l, role);
	if (is_call(l) && i < l->nr_from && plans[l->first_end].point.is_return)
		role->what |= KT_ROLE_JUMPS;
	if (is_call(l) && (has_if(&l->ends[LATENCY_FROM]) || (ends && has_if(&l->ends[LATENCY_TO]))))
		role->what |= KT_ROLE_MARK;
}

/* Returns the most bytes that a tracepoint saves. */
static size_t give_roles(struct latency *l, const struct oneshot *o)
{
	struct live *live = &l->live;
	size_t most = 0;

	live->roles = mem_zalloc(live->plans.n, sizeof(*live->roles));
	for (size_t i = 0; i < live->plans.n; i++) {
		give_role(l, o, i, &live->roles[i]);
		most = live->roles[i].saved > most ? live->roles[i].saved : most;
	}
	return most;
}

/* The functions of a pattern may call each other. */
static uint32_t flags_of(const struct oneshot *o, const struct latency *l)
{
	const uint32_t in_program = is_call(l) && l->live.plans.v[0].home ? KT_MEASURE_PROCESS : 0;

	return in_program | (l->is_one_of_many ? KT_MEASURE_TOGETHER : o->across ? KT_MEASURE_ACROSS : 0);
}

/* The records of calls do not tell of the end of those that a filter turns down there, or that are beyond the quota. */
static bool plan_off_cpu(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	l->off_cpu.off = off_cpu_create();
	l->off_cpu.off->sees_ends = !has_if(&l->ends[LATENCY_TO]) && !o->count;
	return off_cpu_plan(s, o, &l->off_cpu, err);
}

static bool plan_taken(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	size_t saved;

	if (!session_begin_symbols(s, err) || !plan_ends(s, o, l, err) || !check_key(l, o, err))
		return false;
	saved = give_roles(l, o);
	if (saved > KT_MAX_SAVED)
		return error_set(err, STATUS_USAGE, "too much data: at most %d bytes are saved with each call: record less", KT_MAX_SAVED);
	l->live.raw = o->raw;
	l->live.quota = o->count;
	l->live.req = (struct kt_measure){
		.slots = l->is_one_of_many ? SLOTS_EACH : SLOTS, .flags = flags_of(o, l), .groups = o->by ? GROUPS : 0,
		.saved = saved, .top = o->top < KT_MAX_TOP ? o->top : KT_MAX_TOP,
	};
	if (o->top)
		l->slowest = slowest_create(l->live.req.top);
	return !o->off_cpu || plan_off_cpu(s, o, l, err);
}

bool latency_plan(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	return latency_take(l, o, err) && plan_taken(s, o, l, err);
}

bool latency_plan_function(struct session *s, const struct oneshot *o, const struct request *typed, const char *name,
			   const char *shown, struct latency *l, struct error *err)
{
	l->is_one_of_many = true;
	return latency_take_function(l, o, typed, name, shown, err) && plan_taken(s, o, l, err);
}

/* ------------------------------------------------------------------- results */

static void fill_end(struct session *s, const struct latency *l, struct measure_end *out, unsigned int end)
{
	const size_t from = end == LATENCY_FROM ? 0 : l->first_end, to = end == LATENCY_FROM ? l->nr_from : l->live.plans.n;
	const struct target kernel = session_target(s);
	char line[256];

	out->spec = mem_strdup(end == LATENCY_FROM && l->function ? l->shown : l->ends[end].address);
	out->nr_points = to - from;
	if (from < to && *addr_info_line(plan_target(&l->live.plans.v[from], &kernel), l->live.plans.v[from].point.addr, line, sizeof(line)))
		out->where = mem_strdup(line);
	out->method = live_methods(&l->live, from, to);
}

static bool fill_groups(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	const struct desc *desc = key_desc(l, l->first_end);

	l->m.by = mem_strdup(o->by);
	if (!groups_read(s, &l->live, desc, key_of(l, desc), &l->m, err))
		return false;
	if (l->by == BY_EXIT)
		latency_exits_name(s, l);
	if (l->by == BY_EXIT || l->by == BY_END)
		groups_by_total(&l->m);
	return true;
}

bool latency_fill(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	struct measurement *m = &l->m;

	m->kind = is_call(l) ? MEASURE_CALL : o->across ? MEASURE_ACROSS : MEASURE_INTERVAL;
	m->name = is_call(l) ? mem_strdup(l->shown)
			     : mem_printf("%s -> %s", l->ends[LATENCY_FROM].address, l->ends[LATENCY_TO].address);
	fill_end(s, l, &m->from, LATENCY_FROM);
	fill_end(s, l, &m->to, LATENCY_TO);
	if (!live_fill(s, &l->live, m, err))
		return false;
	if (l->by && !fill_groups(s, o, l, err))
		return false;
	if (o->off_cpu)
		m->off_cpu = off_cpu_take(s, &l->off_cpu, l->live.plans.v[0].point.sym, m->all.count, m->ended);
	return !l->slowest || slowest_take(s, l->slowest, &l->live, l->first_end, m, err);
}

/* ------------------------------------------------------------------------ run */

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct latency *l = arg;

	return (!l->slowest || slowest_begin(s, l->slowest, err)) && (!o->off_cpu || off_cpu_arm(s, &l->off_cpu, err)) &&
	       live_arm(s, o, &l->live, err);
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct latency *l = arg;

	return (!l->slowest || slowest_round(l->slowest, &l->live, l->first_end, err)) &&
	       (!l->off_cpu.off || off_cpu_round(s, &l->off_cpu, &l->live, l->first_end, err)) &&
	       live_progress(s, &l->live, progress, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct latency *l = arg;
	struct error why;
	const bool ok = live_disarm(s, &l->live, err);

	return off_cpu_disarm(s, &l->off_cpu, ok ? err : &why) && ok;
}

bool latency_measure(struct session *s, struct oneshot *o, struct latency *l, struct error *err)
{
	const struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .drains = o->off_cpu, .arg = l };

	return oneshot_measure(s, o, &ops, err) && latency_fill(s, o, l, err);
}

void latency_free(struct session *s, struct latency *l)
{
	slowest_free(l->slowest);
	off_cpu_run_free(s, &l->off_cpu);
	live_free(&l->live);
	measurement_free(&l->m);
	free(l->ends[LATENCY_FROM].uses);
	free(l->ends[LATENCY_TO].uses);
	for (size_t i = 0; i < l->nr_made; i++)
		free(l->made[i]);
	free(l->made);
	free(l->tails);
	free(l->back);
	free(l->function);
	free(l->shown);
	exits_free(&l->exits);
	requests_free(&l->typed);
}

