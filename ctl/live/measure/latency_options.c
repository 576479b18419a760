// SPDX-License-Identifier: GPL-2.0-or-later
/* latency_options.c - which end of the calls has which option.  See latency.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/resolve/source.h"
#include "ctl/base/device/property.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/latency_int.h"

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
		return 1U << LATENCY_TO;
	if (use->option->measured == FILTERS_BOTH)
		return 1U << LATENCY_FROM | 1U << LATENCY_TO;
	return 1U << (use->option->measured == AT_RETURN ? LATENCY_TO : LATENCY_FROM);
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
		for (unsigned int at = LATENCY_FROM; at < NR_LATENCY_ENDS; at++)
			if (end == NR_LATENCY_ENDS ? ends >> at & 1 : at == end)
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
	return error_set(err, STATUS_USAGE, "--by %s: give one of %sRETVAL, EXIT or 'VAR expression'", by, names);
}

/* Where the calls have the key: see enum latency_by. */
static enum latency_by by_of(const struct oneshot *o)
{
	if (!o->by)
		return BY_NOTHING;
	if (!strcmp(o->by, "EXIT"))
		return BY_EXIT;
	return strstr(o->by, "RETVAL") ? BY_END : BY_BEGIN;
}

/* A call that leaves by an exit that is not seen keeps the address where it began. */
static bool take_exit(struct latency *l, const struct oneshot *o, struct error *err)
{
	if (l->typed.n == NR_LATENCY_ENDS)
		return error_set(err, STATUS_USAGE, "--by EXIT: the exits are those of a function: name one, not two places");
	if (o->top)
		return error_set(err, STATUS_USAGE, "--by EXIT: the slowest calls cannot be shown as well: leave out --top");
	for (unsigned int end = LATENCY_FROM; end < NR_LATENCY_ENDS; end++)
		make_use(l, &l->ends[end], "REG", arch_reg_name(&arch_native, arch_native.dwarf_pc));
	return true;
}

/* The key of the groups is the first item of its end. */
static bool take_by(struct latency *l, const struct oneshot *o, struct error *err)
{
	const struct property *property = o->by ? property_named(o->by) : NULL;
	struct request *end;

	l->by = by_of(o);
	if (!l->by)
		return true;
	if (o->across)
		return error_set(err, STATUS_USAGE, "--by: a call that ends in another thread has no group: leave out --across");
	if (l->by == BY_EXIT)
		return take_exit(l, o, err);
	end = &l->ends[l->by == BY_END ? LATENCY_TO : LATENCY_FROM];
	if (!strcmp(o->by, "RETVAL") || (property && property->option)) {
		add_use(end, &(struct use){ option_find(property ? property->option : o->by), NULL, NULL });
		return true;
	}
	if (strncmp(o->by, "VAR ", 4) && strncmp(o->by, "STR ", 4))
		return no_key(o->by, err);
	make_use(l, end, *o->by == 'V' ? "VAR" : "STR", o->by + 4);
	return true;
}

/* A call is known by its thread and its stack pointer: calls within calls have other ones. */
static bool take_off_cpu(struct latency *l, const struct oneshot *o, struct error *err)
{
	const char *given = oneshot_given(o, GIVEN_BY | GIVEN_TOP | GIVEN_ACROSS | GIVEN_HTML);

	if (!o->off_cpu)
		return true;
	if (given)
		return error_set(err, STATUS_USAGE, "%s: not with --off-cpu: leave one out", given);
	if (l->typed.n == NR_LATENCY_ENDS)
		return error_set(err, STATUS_USAGE, "--off-cpu: its calls are those of a function: name one, not two places");
	for (unsigned int end = LATENCY_FROM; end < NR_LATENCY_ENDS; end++) {
		add_use(&l->ends[end], &(struct use){ option_find("PID"), NULL, NULL });
		make_use(l, &l->ends[end], "REG", arch_reg_name(&arch_native, arch_native.dwarf_sp));
		l->ends[end].is_hidden = true;
	}
	return true;
}

bool latency_parse(const struct oneshot *o, struct requests *out, struct error *err)
{
	const struct words words = { .v = (char **)o->subjects, .n = o->nr_subjects };

	return requests_parse(&words, 0, out, err);
}

static bool take_function(struct latency *l, const struct oneshot *o, const struct request *typed, const char *name,
			  const char *shown, struct error *err)
{
	l->function = mem_strdup(name);
	l->shown = mem_strdup(shown);
	l->back = mem_printf("%s%%return", l->function);
	l->ends[LATENCY_FROM].address = l->function;
	l->ends[LATENCY_TO].address = l->back;
	return deal_uses(l, typed, NR_LATENCY_ENDS, o->top, err);
}

static void take_pid(struct latency *l, const struct oneshot *o)
{
	AUTO_FREE char *arg = mem_printf("%" PRIu64, o->pid);

	for (unsigned int end = LATENCY_FROM; o->pid && end < NR_LATENCY_ENDS; end++)
		make_use(l, &l->ends[end], "ONLYTGID", arg);
}

char *latency_function(const char *address)
{
	char *function = source_returning(address);

	return function ? function : mem_strdup(address);
}

static bool take_typed(struct latency *l, const struct oneshot *o, struct error *err)
{
	AUTO_FREE char *function = NULL;
	const struct request *typed;

	if (!latency_parse(o, &l->typed, err))
		return false;
	if (l->typed.n > NR_LATENCY_ENDS)
		return error_set(err, STATUS_USAGE, "latency: '%s' is a third place: a command stands behind --",
				 l->typed.v[NR_LATENCY_ENDS].address);
	if (l->typed.n < 1)
		return error_set(err, STATUS_USAGE, "latency: give a function, or two places: latency vfs_write");
	if (o->across && l->typed.n < NR_LATENCY_ENDS)
		return error_set(err, STATUS_USAGE, "--across: give two places: latency A B --across");
	typed = l->typed.v;
	if (!take_off_cpu(l, o, err) || !take_by(l, o, err))
		return false;
	if (l->typed.n == NR_LATENCY_ENDS) {
		l->ends[LATENCY_FROM].address = typed[0].address;
		l->ends[LATENCY_TO].address = typed[1].address;
		return deal_uses(l, &typed[0], LATENCY_FROM, o->top, err) && deal_uses(l, &typed[1], LATENCY_TO, o->top, err);
	}
	function = latency_function(typed[0].address);
	return take_function(l, o, &typed[0], function, function, err);
}

bool latency_take(struct latency *l, const struct oneshot *o, struct error *err)
{
	take_pid(l, o);
	return take_typed(l, o, err);
}

bool latency_take_function(struct latency *l, const struct oneshot *o, const struct request *typed, const char *name,
			   const char *shown, struct error *err)
{
	take_pid(l, o);
	return take_function(l, o, typed, name, shown, err);
}
