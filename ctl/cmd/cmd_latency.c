// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_latency.c - latency: measure the duration of calls, or the time between two probe points. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/device/property.h"
#include "ctl/measure/live.h"
#include "ctl/measure/many.h"
#include "ctl/measure/slowest.h"
#include "ctl/report/report.h"
#include "ctl/report/report_many.h"
#include "ctl/resolve/address.h"
#include "ctl/resolve/debuginfo.h"
#include "ctl/resolve/resolve.h"
#include "ctl/resolve/source.h"
#include "ctl/session/confirm.h"
#include "ctl/session/session_target.h"
#include "ctl/session/trace.h"

#define SLOTS	16384	/* calls open at once */
#define SLOTS_EACH	1024	/* of each function, where many are measured */
#define MOST_FUNCTIONS	256
#define GROUPS	255

enum { FROM, TO, NR_ENDS };

struct latency {
	struct requests typed;
	struct request ends[NR_ENDS];
	char *function;		/* the function whose calls are measured: "vfs_write"; NULL: two probe points */
	char *back;		/* "vfs_write%return" */
	char **made;		/* arguments of options that were added, not typed */
	size_t nr_made;
	size_t nr_from;		/* number of plans of the first end */
	bool is_one_of_many;	/* a pattern named its function */
	struct live live;
	struct slowest *slowest;	/* NULL: not requested */
	struct measurement m;
};

/* ------------------------------------------------------------------- options */

static void add_use(struct request *request, const struct use *use)
{
	request->uses = MEM_MORE(request->uses, request->nr_uses);
	request->uses[request->nr_uses++] = (struct use){ use->option, use->arg, NULL };
}

static void make_use(struct latency *l, struct request *request, const char *option, const char *arg)
{
	l->made = MEM_MORE(l->made, l->nr_made);
	l->made[l->nr_made++] = mem_strdup(arg);
	add_use(request, &(struct use){ option_find(option), l->made[l->nr_made - 1], NULL });
}

static bool is_filter(const struct use *use)
{
	return use->option->measured == FILTERS_ENTRY || use->option->measured == FILTERS_BOTH;
}

/* A mask with a bit for each end that the option belongs to. */
static unsigned int ends_of(const struct use *use)
{
	if (use->arg && (strstr(use->arg, "RETVAL") || strstr(use->arg, "ELAPSED")))
		return 1U << TO;
	if (use->option->measured == FILTERS_BOTH)
		return 1U << FROM | 1U << TO;
	return 1U << (use->option->measured == AT_RETURN ? TO : FROM);
}

static bool cannot_have(const struct use *use, bool top, struct error *err)
{
	if (use->option->measured == NOT_MEASURED)
		return !error_set(err, STATUS_USAGE, "%s: a measurement records no hits: leave it out", use->option->name);
	if (is_filter(use) || top)
		return false;
	return !error_set(err, STATUS_USAGE, "%s: data is recorded only with the slowest calls: add --top 10",
			  use->option->name);
}

/* Distribute the options of a function to entry and return; with two probe points each keeps its own options. */
static bool deal_uses(struct latency *l, const struct request *from, unsigned int end, bool top, struct error *err)
{
	for (size_t i = 0; i < from->nr_uses; i++) {
		const struct use *use = &from->uses[i];
		const unsigned int ends = ends_of(use);

		if (cannot_have(use, top, err))
			return false;
		for (unsigned int at = FROM; at < NR_ENDS; at++)
			if (end == NR_ENDS ? ends >> at & 1 : at == end)
				add_use(&l->ends[at], use);
	}
	return true;
}

static bool no_key(const char *by, struct error *err)
{
	char names[256] = "";

	for (size_t i = 0; i < nr_properties; i++)
		if (properties[i].option)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s, ", properties[i].name);
	return error_set(err, STATUS_USAGE, "--by %s: give one of %sor 'VAR expression'", by, names);
}

/* The key of the groups is the first saved item. */
static bool take_by(struct latency *l, const struct oneshot *o, struct error *err)
{
	const struct property *property = o->by ? property_named(o->by) : NULL;

	if (!o->by)
		return true;
	if (o->across)
		return error_set(err, STATUS_USAGE, "--by: a call that ends in another thread has no group: leave out --across");
	if (property && property->option) {
		add_use(&l->ends[FROM], &(struct use){ option_find(property->option), NULL, NULL });
		return true;
	}
	if (strncmp(o->by, "VAR ", 4) && strncmp(o->by, "STR ", 4))
		return no_key(o->by, err);
	make_use(l, &l->ends[FROM], *o->by == 'V' ? "VAR" : "STR", o->by + 4);
	return true;
}

static bool parse_subjects(const struct oneshot *o, struct requests *out, struct error *err)
{
	const struct words words = { .v = (char **)o->subjects, .n = o->nr_subjects };

	return requests_parse(&words, 0, out, err);
}

/* The calls of a function, with the options that were typed. */
static bool take_function(struct latency *l, const struct oneshot *o, const struct request *typed, const char *name,
			  struct error *err)
{
	l->function = mem_strdup(name);
	l->back = mem_printf("%s%%return", l->function);
	l->ends[FROM].address = l->function;
	l->ends[TO].address = l->back;
	return deal_uses(l, typed, NR_ENDS, o->top, err);
}

/* The function whose calls an address means: "vfs_write%return" alone also means the calls of the function. */
static char *function_of(const char *address)
{
	char *function = source_returning(address);

	return function ? function : mem_strdup(address);
}

static bool take_subjects(struct latency *l, const struct oneshot *o, struct error *err)
{
	AUTO_FREE char *function = NULL;
	const struct request *typed;

	if (!parse_subjects(o, &l->typed, err))
		return false;
	if (l->typed.n < 1 || l->typed.n > NR_ENDS)
		return error_set(err, STATUS_USAGE, "latency: give a function, or two places: latency vfs_write");
	if (o->across && l->typed.n < NR_ENDS)
		return error_set(err, STATUS_USAGE, "--across: give two places: latency A B --across");
	typed = l->typed.v;
	if (!take_by(l, o, err))
		return false;
	if (l->typed.n == NR_ENDS) {
		l->ends[FROM].address = typed[0].address;
		l->ends[TO].address = typed[1].address;
		return deal_uses(l, &typed[0], FROM, o->top, err) && deal_uses(l, &typed[1], TO, o->top, err);
	}
	function = function_of(typed[0].address);
	return take_function(l, o, &typed[0], function, err);
}

static void take_pid(struct latency *l, const struct oneshot *o)
{
	AUTO_FREE char *arg = mem_printf("%" PRIu64, o->pid);

	for (unsigned int end = FROM; o->pid && end < NR_ENDS; end++)
		make_use(l, &l->ends[end], "ONLYTGID", arg);
}

/* ---------------------------------------------------------------------- plan */

/* Of many functions there are no hints. */
static bool plan_end(struct session *s, struct latency *l, unsigned int end, struct error *err)
{
	const struct requests one = { &l->ends[end], 1 };
	const struct target target = session_target(s);

	return l->is_one_of_many ? plan_request(&target, one.v, &l->live.plans, err)
				 : trace_plan(s, &one, &l->live.plans, err);
}

static bool plan_ends(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	if (!plan_end(s, l, FROM, err))
		return false;
	l->nr_from = l->live.plans.n;
	l->ends[TO].is_measured = true;
	l->ends[TO].saved = o->top ? l->live.plans.v[0].desc : NULL;
	return plan_end(s, l, TO, err);
}

static bool is_call(const struct latency *l)
{
	return l->function;
}

/* A call that IF turns down is closed all the same, and recognised at its return. */
static bool has_if(const struct request *request)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (!strcmp(request->uses[i].option->name, "IF"))
			return true;
	return false;
}

/* The key of the groups is the first item; for a string the text, not its address. */
static const struct field *key_of(const struct desc *desc)
{
	return &desc->fields[desc->fields[0].is_address ? 1 : 0];
}

/* The key is at the beginning of the saved data, behind the mask of unreadable items. */
static void give_key(const struct latency *l, struct kt_role *role)
{
	const struct desc *desc = l->live.plans.v[0].desc;
	const struct field *key = key_of(desc);
	const size_t bytes = field_payload(key);

	role->by = bytes < KT_MAX_KEY ? bytes : KT_MAX_KEY;
	role->by_at = desc_mask(desc);
	if (key != desc->fields)
		role->by_at += field_payload(&desc->fields[0]);
}

static void give_roles(struct latency *l, const struct oneshot *o)
{
	struct live *live = &l->live;
	const size_t saved = o->by || o->top ? desc_payload(live->plans.v[0].desc) : 0;

	live->roles = mem_zalloc(live->plans.n, sizeof(*live->roles));
	for (size_t i = 0; i < live->plans.n; i++) {
		struct kt_role *role = &live->roles[i];
		const bool opens = i < l->nr_from;

		role->reg = arch_native.dwarf_sp;
		role->what = opens ? KT_ROLE_BEGIN | KT_ROLE_SILENT
				   : KT_ROLE_END | KT_ROLE_TALLY | (o->top ? KT_ROLE_TOP : KT_ROLE_SILENT);
		role->saved = opens ? saved : 0;
		if (o->by && !opens)
			give_key(l, role);
		if (!is_call(l))
			role->what |= KT_ROLE_THREAD;
		else if (opens && live->plans.v[l->nr_from].point.is_return)
			role->what |= KT_ROLE_JUMPS;
		if (is_call(l) && (has_if(&l->ends[FROM]) || (!opens && has_if(&l->ends[TO]))))
			role->what |= KT_ROLE_MARK;
	}
}

/* The functions of a pattern may call each other. */
static uint32_t flags_of(const struct oneshot *o, const struct latency *l)
{
	return l->is_one_of_many ? KT_MEASURE_TOGETHER : o->across ? KT_MEASURE_ACROSS : 0;
}

static bool plan_taken(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	take_pid(l, o);
	session_want_symbols(s);
	if (!plan_ends(s, o, l, err))
		return false;
	give_roles(l, o);
	if (desc_payload(l->live.plans.v[0].desc) > KT_MAX_SAVED)
		return error_set(err, STATUS_USAGE, "too much data: at most %d bytes are saved with each call: record less", KT_MAX_SAVED);
	l->live.raw = o->raw;
	l->live.quota = o->count;
	l->live.req = (struct kt_measure){
		.slots = l->is_one_of_many ? SLOTS_EACH : SLOTS, .flags = flags_of(o, l), .groups = o->by ? GROUPS : 0,
		.saved = l->live.roles[0].saved, .top = o->top < KT_MAX_TOP ? o->top : KT_MAX_TOP,
	};
	if (o->top)
		l->slowest = slowest_create(l->live.req.top);
	return true;
}

static bool plan(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	return take_subjects(l, o, err) && plan_taken(s, o, l, err);
}

/* ------------------------------------------------------------------- results */

static void fill_end(struct session *s, const struct latency *l, struct measure_end *out, unsigned int end)
{
	const size_t from = end == FROM ? 0 : l->nr_from, to = end == FROM ? l->nr_from : l->live.plans.n;
	struct target target = session_target(s);
	char line[256];

	out->spec = mem_strdup(l->ends[end].address);
	out->nr_points = to - from;
	if (from < to && *addr_info_line(&target, l->live.plans.v[from].point.addr, line, sizeof(line)))
		out->where = mem_strdup(line);
	out->method = live_methods(&l->live, from, to);
}

static bool fill(struct session *s, const struct oneshot *o, struct latency *l, struct error *err)
{
	struct measurement *m = &l->m;

	m->kind = is_call(l) ? MEASURE_CALL : o->across ? MEASURE_ACROSS : MEASURE_INTERVAL;
	m->name = is_call(l) ? mem_strdup(l->function)
			     : mem_printf("%s -> %s", l->ends[FROM].address, l->ends[TO].address);
	fill_end(s, l, &m->from, FROM);
	fill_end(s, l, &m->to, TO);
	if (!live_fill(s, &l->live, m, err))
		return false;
	m->by = o->by ? mem_strdup(o->by) : NULL;
	if (o->by && !groups_read(s, &l->live, key_of(l->live.plans.v[0].desc), m, err))
		return false;
	return !l->slowest || slowest_take(s, l->slowest, &l->live, l->nr_from, m, err);
}

/* ------------------------------------------------------------------------ run */

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct latency *l = arg;

	return (!l->slowest || slowest_begin(s, l->slowest, err)) && live_arm(s, o, &l->live, err);
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct latency *l = arg;

	return (!l->slowest || slowest_round(l->slowest, &l->live, l->nr_from, err)) &&
	       live_progress(s, &l->live, progress, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct latency *l = arg;

	return live_disarm(s, &l->live, err);
}

static bool measure(struct session *s, struct oneshot *o, struct latency *l, struct error *err)
{
	const struct oneshot_ops ops = { .arm = arm, .round = round_once, .disarm = disarm, .arg = l };

	return oneshot_measure(s, o, &ops, err) && fill(s, o, l, err) && report_show(s, o, &l->m, NULL, err);
}

static void drop(struct latency *l)
{
	slowest_free(l->slowest);
	live_free(&l->live);
	measurement_free(&l->m);
	free(l->ends[FROM].uses);
	free(l->ends[TO].uses);
	for (size_t i = 0; i < l->nr_made; i++)
		free(l->made[i]);
	free(l->made);
	free(l->back);
	free(l->function);
	requests_free(&l->typed);
}

static bool measure_one(struct session *s, struct oneshot *o, struct error *err)
{
	struct latency l = { .nr_from = 0 };
	const bool ok = plan(s, o, &l, err) && measure(s, o, &l, err);

	drop(&l);
	return ok;
}

/* ----------------------------------------------------------------------- many */

struct functions {
	struct many many;
	struct latency *v;
	size_t n;
};

/* The compiler's variants (f.isra.0) are measured with their function, if the pattern names that, too. */
static bool is_variant(const struct probe_points *points, size_t i)
{
	const char *name = points->v[i].sym->name;
	const size_t len = strcspn(name, ".");

	for (size_t k = 0; name[len] && k < points->n; k++)
		if (strlen(points->v[k].sym->name) == len && !strncmp(points->v[k].sym->name, name, len))
			return true;
	return false;
}

/* False: this function cannot be measured, err has the reason. */
static bool add_function(struct session *s, const struct oneshot *o, const struct request *typed,
			 const struct sym *sym, struct functions *out, struct error *err)
{
	struct latency l = { .is_one_of_many = true };
	char name[256];

	if (take_function(&l, o, typed, address_spell(s->tab, sym, name, sizeof(name)), err) &&
	    plan_taken(s, o, &l, err) && trace_can(s, &l.live.plans, err)) {
		plans_forget_pieces(&l.live.plans);
		out->v[out->n++] = l;
		return true;
	}
	drop(&l);
	return false;
}

static bool plan_many(struct session *s, const struct oneshot *o, const struct request *typed, struct functions *out,
		      struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	AUTO_FREE char *pattern = function_of(typed->address);
	struct target target;

	session_want_symbols(s);
	target = session_target(s);
	if (!many_allows(o, err) || !probe_points_resolve(&target, pattern, &points, err))
		return false;
	if (points.v[0].is_event)
		return error_set(err, STATUS_USAGE, "%s: events have no end: name functions, or two places", typed->address);
	if (points.n > MOST_FUNCTIONS)
		return error_set(err, STATUS_USAGE, "'%s' matches %zu functions, at most %d are measured at once: be more precise",
				 typed->address, points.n, MOST_FUNCTIONS);
	if (!confirm_many(s, "measure", points.n, err))
		return false;
	out->v = mem_zalloc(points.n, sizeof(*out->v));
	for (size_t i = 0; i < points.n && !interrupt_pending(); i++)
		if (!is_variant(&points, i) && !add_function(s, o, typed, points.v[i].sym, out, err))
			many_refuse(&out->many, points.v[i].name, err);
	return true;
}

static bool fill_many(struct session *s, const struct oneshot *o, struct functions *f, struct error *err)
{
	AUTO_FREE struct measurement *all = mem_zalloc(f->n, sizeof(*all));
	struct many_report report = { f->many.pattern, all, 0 };

	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].live.is_left_out)
			continue;
		if (!fill(s, o, &f->v[i], err))
			return false;
		all[report.n++] = f->v[i].m;
	}
	return report_many(s, o, &report, err);
}

static bool measure_many(struct session *s, struct oneshot *o, const struct request *typed, struct error *err)
{
	struct functions f = { .many = { .pattern = typed->address } };
	AUTO_FREE struct live **lives = NULL;
	bool ok = plan_many(s, o, typed, &f, err);

	lives = mem_zalloc(f.n + 1, sizeof(*lives));
	for (size_t i = 0; i < f.n; i++)
		lives[i] = &f.v[i].live;
	f.many.lives = (struct lives){ lives, f.n };
	ok = ok && many_measure(s, o, &f.many, err) && fill_many(s, o, &f, err);
	for (size_t i = 0; i < f.n; i++)
		drop(&f.v[i]);
	free(f.v);
	return ok;
}

static bool run(struct session *s, struct oneshot *o, struct error *err)
{
	AUTO_REQUESTS struct requests typed = { 0 };

	if (!parse_subjects(o, &typed, err))
		return false;
	return typed.n == 1 && strpbrk(typed.v[0].address, "*?[") ? measure_many(s, o, &typed.v[0], err)
								   : measure_one(s, o, err);
}

bool cmd_latency(struct session *s, const struct words *words, struct error *err)
{
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &latency_flags, &o, err) && session_connect(s, err) && run(s, &o, err);

	oneshot_free(&o);
	return ok;
}
