// SPDX-License-Identifier: GPL-2.0-or-later
/* event.c - static tracepoints by name.  See event.h. */
#include "ctl/ask/resolve/event.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/events/calls.h"
#include "ctl/ask/events/events.h"
#include "ctl/ask/events/systems.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/compat_call.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"

#define EVENT_SYMBOL	"__tracepoint_"
/* Every kernel with static tracepoints has this one. */
#define SOME_EVENT	"sched_switch"
/* the function that calls the event's listeners; its first argument is internal */
#define EVENT_CALLER	"__traceiter_"
/* In newer kernels tracepoints without an event of tracefs have this suffix. */
#define BARE		"_tp"

static bool note_one(const struct sym *sym, void *arg)
{
	*(bool *)arg = true;
	return false;
}

/* A kernel without data symbols still has these functions; the module accepts either. */
const char *event_symbols(const struct symtab *tab)
{
	const struct sym *const *all;
	bool found = symtab_by_name(tab, EVENT_SYMBOL SOME_EVENT, NULL, &all);

	if (!found)
		symtab_complete(tab, EVENT_SYMBOL, note_one, &found);
	return found ? EVENT_SYMBOL : EVENT_CALLER;
}

static uint64_t event_entry(const struct target *target, const char *event, const struct sym *sym)
{
	AUTO_FREE char *name = mem_printf("%s%s", EVENT_CALLER, event);
	const struct sym *const *all;

	return symtab_by_name(target->tab, name, sym->module, &all) ? (*all)->addr : 0;
}

static void add_event(const struct target *target, const struct sym *sym, const char *event, struct probe_points *out)
{
	struct probe_point *point;

	out->v = MEM_MORE(out->v, out->n);
	point = &out->v[out->n++];
	*point = (struct probe_point){ .addr = sym->addr, .sym = sym, .is_event = true,
				 .entry = event_entry(target, event, sym) };
	point->name = mem_join(EVENT, event, NULL);
}

/* ------------------------------------------------------------------- forms */

/* The parts of "event:SYSTEM:NAME". */
struct named {
	char system[64];	/* "": none */
	const char *name;
};

static bool split(const char *text, struct named *out)
{
	const char *start = strncmp(text, EVENT, strlen(EVENT)) ? text : text + strlen(EVENT);
	const char *colon = strchr(start, ':');
	const size_t len = colon ? colon - start : 0;

	*out = (struct named){ .name = colon ? colon + 1 : start };
	if (len >= sizeof(out->system))
		return false;
	memcpy(out->system, start, len);
	return *out->name && !(colon && !len);
}

static bool is_module(const struct symtab *tab, const char *name)
{
	return symtab_has_module(tab, name) || !strcmp(name, "vmlinux");
}

/* SYSTEM:NAME, where a module's functions may have the same spelling. */
static bool is_of_system(const struct symtab *tab, const char *text, const struct named *named)
{
	struct address address;

	if (!*named->system || !systems_has(named->system))
		return false;
	if (!tab || !is_module(tab, named->system))
		return true;
	return systems_match(named->system, named->name) && !address_parse(tab, text, ADDRESS_CODE, &address, NULL);
}

bool event_is(const struct symtab *tab, const char *text)
{
	struct named named;

	if (!strncmp(text, EVENT, strlen(EVENT)))
		return text[strlen(EVENT)];
	return strchr(text, ':') && !strpbrk(text, "+@%") && split(text, &named) && is_of_system(tab, text, &named);
}

/* ------------------------------------------------------------------ resolve */

struct events {
	const struct target *target;
	const struct named *wanted;
	struct probe_points *out;
	struct suggestions similar;
};

static const char *name_of(const struct sym *sym)
{
	const bool is_data = !strncmp(sym->name, EVENT_SYMBOL, strlen(EVENT_SYMBOL));

	return sym->name + strlen(is_data ? EVENT_SYMBOL : EVENT_CALLER);
}

/* A name without a pattern is looked up at once. */
static void add_named(struct events *events, const char *suffix)
{
	static const char *const prefixes[] = { EVENT_SYMBOL, EVENT_CALLER };
	AUTO_FREE char *name = mem_printf("%s%s", events->wanted->name, suffix);
	const struct sym *const *all;

	for (size_t i = 0; !events->out->n && i < ARRAY_SIZE(prefixes); i++) {
		AUTO_FREE char *symbol = mem_printf("%s%s", prefixes[i], name);
		const size_t n = symtab_by_name(events->target->tab, symbol, NULL, &all);

		for (size_t j = 0; j < n; j++)
			add_event(events->target, all[j], name, events->out);
	}
}

static bool each_event(const struct sym *sym, void *arg)
{
	struct events *events = arg;
	const char *name = name_of(sym), *system = events->wanted->system;

	if (!fnmatch(events->wanted->name, name, 0) && (!*system || systems_match(system, name)))
		add_event(events->target, sym, name, events->out);
	return true;
}

/* Offer the names of the same system. */
static bool each_similar(const struct sym *sym, void *arg)
{
	struct events *events = arg;
	const char *name = name_of(sym), *system = events->wanted->system;

	if (!*system || systems_match(system, name))
		suggestion_offer(&events->similar, name);
	return true;
}

static bool no_event(const char *text, struct events *events, struct error *err)
{
	const char *system = events->wanted->system;
	const char *const call = "sys_enter_";
	AUTO_FREE char *other = *system ? systems_of(events->wanted->name) : NULL;
	char buf[256];

	if (!strcmp(system, "syscalls") && !strncmp(events->wanted->name, call, strlen(call)))
		return error_set(err, STATUS_FAILURE, "'%s' is not a static tracepoint of its own: write %s%s", text,
				 ADDRESS_SYSCALL, events->wanted->name + strlen(call));
	if (strchr(events->wanted->name, '%'))
		return error_set(err, STATUS_FAILURE, "'%s': an event has no return: 'latency A B' measures from one to another", text);
	if (other)
		return error_set(err, STATUS_FAILURE, "'%s': that static tracepoint is of the system %s: write %s:%s", text, other,
				 other, events->wanted->name);
	if (*system && !strpbrk(system, "*?[") && !systems_has(system))
		return error_set(err, STATUS_FAILURE, "'%s': the kernel has no system '%s' of static tracepoints: leave it out, as in event:%s",
				 text, system, events->wanted->name);
	symtab_complete(events->target->tab, event_symbols(events->target->tab), each_similar, events);
	return error_set(err, STATUS_FAILURE, "'%s': the kernel has no such static tracepoint: %s", text,
			 suggestion_say(events->similar.names, events->similar.n, "press Tab behind event: to see their names", buf, sizeof(buf)));
}

bool event_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err)
{
	struct named named;
	struct events events = { .target = target, .wanted = &named, .out = out };

	if (!split(text, &named))
		return error_set(err, STATUS_USAGE, "'%s': a name is missing: write for example event:sched:sched_switch", text);
	if (!target->tab)
		return error_set(err, STATUS_FAILURE, "'%s': static tracepoints need symbols, and there are none: 'status' tells how to get symbols", text);
	events.similar.word = named.name;
	out->is_pattern = strpbrk(named.name, "*?[") || strpbrk(named.system, "*?[");
	if (strpbrk(named.name, "*?["))
		symtab_complete(target->tab, event_symbols(target->tab), each_event, &events);
	else if (!*named.system || systems_match(named.system, named.name))
		add_named(&events, "");
	if (!out->n && !*named.system)
		add_named(&events, BARE);
	return out->n || no_event(text, &events, err);
}

/* ------------------------------------------------------------------- fields */

static char *fields_of_call(const char *name, bool compat)
{
	const char *call = compat ? call_compat_find(name) : NULL;
	struct call_arg args[CALL_ARGS];
	char *text = mem_strdup("");
	size_t n;

	if (!call || !call_compat_args_known(call, args, &n))
		n = call_args(name, args);

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *field = call_field(&args[i], i, 64), *before = text;

		text = mem_printf("%s%s%s", before, i ? "; " : "", field);
	}
	return text;
}

char *event_fields(const struct probe_point *point)
{
	const size_t len = strlen(ADDRESS_SYSCALL), compat = strlen(ADDRESS_COMPAT);
	const struct event_row *row = NULL;

	if (point->is_event)
		row = events_of_tracepoint(point->name + strlen(EVENT));
	else if (!strncmp(point->name, ADDRESS_SYSCALL, len) && !strpbrk(point->name, "+%#"))
		return fields_of_call(point->name + len, false);
	else if (!strncmp(point->name, ADDRESS_COMPAT, compat) && !strpbrk(point->name, "+%#"))
		return fields_of_call(point->name + compat, true);
	return row ? mem_strdup(row->fields) : NULL;
}
