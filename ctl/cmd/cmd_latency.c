// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_latency.c - latency: measure the duration of calls, or the time between two probe points. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/programs.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/live/measure/latency.h"
#include "ctl/live/measure/many.h"
#include "ctl/live/session/confirm.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"
#include "ctl/show/report/report.h"
#include "ctl/show/report/report_many.h"

#define MOST_FUNCTIONS	256

static bool measure_one(struct session *s, struct oneshot *o, struct error *err)
{
	struct latency l = { .nr_from = 0 };
	const bool ok = latency_plan(s, o, &l, err) && latency_measure(s, o, &l, err) && report_show(s, o, &l.m, NULL, err);

	latency_free(s, &l);
	return ok;
}

static bool measure_keyed(struct session *s, struct oneshot *o, struct error *err)
{
	struct measurement m = { .began = 0 };
	const bool ok = latency_keyed(s, o, &m, err) && report_show(s, o, &m, NULL, err);

	measurement_free(&m);
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
static bool add_function(struct session *s, const struct oneshot *o, const struct request *typed, const char *name,
			 const char *shown, struct functions *out, struct error *err)
{
	struct latency l = { .nr_from = 0 };

	if (latency_plan_function(s, o, typed, name, shown, &l, err) &&
	    trace_can(s, &l.live.plans, err)) {
		plans_forget_pieces(&l.live.plans);
		out->v[out->n++] = l;
		return true;
	}
	latency_free(s, &l);
	return false;
}

/* A function that matches a pattern, by a name that means no other: in a program it may be mangled. */
static char *name_of(const struct target *home, const char *pattern, const char *inside, const struct probe_point *point)
{
	const size_t size = strlen(point->sym->name) + strlen(point->sym->module) + 32;
	AUTO_FREE char *spelt = mem_zalloc(size, 1);

	return mem_printf("%.*s%s", (int)(inside - pattern), pattern, address_spell(home->tab, point->sym, spelt, size));
}

/* The same by its name for people. */
static char *shown_name_of(const struct target *home, const char *pattern, const char *inside, const struct probe_point *point)
{
	return home->program ? mem_printf("%.*s%s", (int)(inside - pattern), pattern, point->name + strlen(home->label))
			     : name_of(home, pattern, inside, point);
}

static bool plan_many(struct session *s, const struct oneshot *o, const struct request *typed, struct functions *out,
		      struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	AUTO_FREE char *pattern = latency_function(typed->address);
	const struct target *home;
	struct target target;
	const char *inside;

	if (!session_begin_symbols(s, err))
		return false;
	target = session_target(s);
	if (!many_allows(o, err) || !programs_resolve(&target, pattern, o->pid, &home, &inside, &points, err))
		return false;
	if (points.v[0].is_event)
		return error_set(err, STATUS_USAGE, "%s: events have no end: name functions, or two places", typed->address);
	if (points.n > MOST_FUNCTIONS)
		return error_set(err, STATUS_USAGE, "'%s' matches %zu functions, at most %d are measured at once: be more precise",
				 typed->address, points.n, MOST_FUNCTIONS);
	if (!confirm_many(s, "measure", points.n, err))
		return false;
	out->v = mem_zalloc(points.n, sizeof(*out->v));
	for (size_t i = 0; i < points.n && !interrupt_pending(); i++) {
		AUTO_FREE char *name = name_of(home, pattern, inside, &points.v[i]);
		AUTO_FREE char *shown = shown_name_of(home, pattern, inside, &points.v[i]);

		if (!is_variant(&points, i) && !add_function(s, o, typed, name, shown, out, err))
			many_refuse(&out->many, points.v[i].name, err);
	}
	return true;
}

static bool fill_many(struct session *s, const struct oneshot *o, struct functions *f, struct error *err)
{
	AUTO_FREE struct measurement *all = mem_zalloc(f->n, sizeof(*all));
	struct many_report report = { f->many.pattern, all, 0 };

	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].live.is_left_out)
			continue;
		if (!latency_fill(s, o, &f->v[i], err))
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
		latency_free(s, &f.v[i]);
	free(f.v);
	return ok;
}

/* "main.(*pool).get" may be the name of a function of Go. */
static bool is_pattern(struct session *s, const struct oneshot *o, const char *address)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	const struct target *home;
	struct target target;
	const char *inside;
	struct error unused;

	if (!strpbrk(address, "*?["))
		return false;
	if (!strstr(address, "(*"))
		return true;
	session_want_symbols(s);
	target = session_target(s);
	return !programs_resolve(&target, address, o->pid, &home, &inside, &points, &unused) || points.is_pattern;
}

static bool run(struct session *s, struct oneshot *o, struct error *err)
{
	AUTO_REQUESTS struct requests typed = { 0 };

	if (o->keys[0])
		return measure_keyed(s, o, err);
	if (!latency_parse(o, &typed, err))
		return false;
	return typed.n == 1 && is_pattern(s, o, typed.v[0].address) ? measure_many(s, o, &typed.v[0], err)
								    : measure_one(s, o, err);
}

bool cmd_latency(struct session *s, const struct words *words, struct error *err)
{
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &latency_flags, &o, err) && session_connect(s, err) && run(s, &o, err);

	oneshot_free(&o);
	return ok;
}
