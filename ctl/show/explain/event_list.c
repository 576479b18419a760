// SPDX-License-Identifier: GPL-2.0-or-later
/* event_list.c - the kernel's events that can be traced by name.  See event_list.h. */
#include "ctl/show/explain/event_list.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/events.h"
#include "ctl/ask/events/field_find.h"
#include "ctl/ask/events/systems.h"
#include "ctl/ask/lang/args.h"
#include "ctl/ask/plan/expand.h"
#include "ctl/ask/plan/plan.h"
#include "ctl/ask/resolve/address.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/live/session/session_target.h"

/* ----------------------------------------------------------------- entries */

struct entry {
	char *address;			/* as `trace` takes it */
	const struct event_row *row;	/* NULL: it has none */
};

struct system_of {
	char *event, *system;
};

struct list {
	const struct symtab *tab;
	const char *pattern;
	struct system_of *systems;
	size_t nr_systems;
	struct entry *v;
	size_t n;
	size_t prefix;			/* of the symbols that are listed now */
};

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i].address);
	for (size_t i = 0; i < list->nr_systems; i++) {
		free(list->systems[i].event);
		free(list->systems[i].system);
	}
	free(list->v);
	free(list->systems);
}

static bool is_wanted(const char *pattern, const struct entry *entry)
{
	const char *name = strrchr(entry->address, ':');
	AUTO_FREE char *system = mem_strndup(entry->address, name ? name - entry->address : 0);

	if (pattern && !strncmp(pattern, EVENT, strlen(EVENT)))
		pattern += strlen(EVENT);
	if (!pattern || !fnmatch(pattern, entry->address, 0) || (name && !fnmatch(pattern, name + 1, 0)) ||
	    !fnmatch(pattern, system, 0))
		return true;
	return entry->row && (!fnmatch(pattern, entry->row->name, 0) ||
			      !fnmatch(pattern, events_set_name(entry->row->set), 0) ||
			      (entry->row->flags & EVENT_CORE && !strcmp(pattern, "core")));
}

/* Takes address. */
static void add(struct list *list, char *address, const struct event_row *row)
{
	const struct entry entry = { address, row };

	if (!is_wanted(list->pattern, &entry)) {
		free(address);
		return;
	}
	list->v = MEM_MORE(list->v, list->n);
	list->v[list->n++] = entry;
}

static int compare_systems(const void *a, const void *b)
{
	return strcmp(((const struct system_of *)a)->event, ((const struct system_of *)b)->event);
}

static void add_system(const char *system, const char *event, void *arg)
{
	struct list *list = arg;

	list->systems = MEM_MORE(list->systems, list->nr_systems);
	list->systems[list->nr_systems++] = (struct system_of){ mem_strdup(event), mem_strdup(system) };
}

static bool add_event(const struct sym *sym, void *arg)
{
	struct list *list = arg;
	const char *name = sym->name + list->prefix;
	const struct system_of key = { .event = (char *)name };
	const struct system_of *found = !list->nr_systems ? NULL :
		bsearch(&key, list->systems, list->nr_systems, sizeof(key), compare_systems);

	add(list, mem_printf("%s:%s", found ? found->system : "event", name), events_of_tracepoint(name));
	return true;
}

static bool add_call(const struct sym *sym, void *arg)
{
	struct list *list = arg;

	if (!strpbrk(sym->name, "."))
		add(list, mem_printf("%s%s", ADDRESS_SYSCALL, sym->name + list->prefix), NULL);
	return true;
}

/* The functions of rows, as far as they exist. */
static void add_functions(struct list *list)
{
	const struct sym *const *all;

	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		const char *rest = row->system ? NULL : row->at;
		bool found = false;
		char *at;

		while (!found && (at = events_alternative(&rest))) {
			AUTO_FREE char *function = mem_strndup(at, strcspn(at, "%"));

			found = symtab_by_name(list->tab, function, NULL, &all);
			if (found)
				add(list, at, row);
			else
				free(at);
		}
	}
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->address, ((const struct entry *)b)->address);
}

static void collect(struct list *list)
{
	const char *symbols = event_symbols(list->tab);

	systems_each(add_system, list);
	if (list->nr_systems)
		qsort(list->systems, list->nr_systems, sizeof(*list->systems), compare_systems);
	list->prefix = strlen(symbols);
	symtab_complete(list->tab, symbols, add_event, list);
	add_functions(list);
	list->prefix = strlen(arch_native.syscall_prefix);
	symtab_complete(list->tab, arch_native.syscall_prefix, add_call, list);
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare_entries);
}

/* ------------------------------------------------------------------ details */

/* What a record of the event has, on this kernel. */
struct details {
	struct arch_insn insn;
	char *fields;			/* in the form of a row */
	struct probe_points points;
	struct vars vars;
	struct plans plans;		/* empty: why has the reason */
	struct error why;
};

static void free_details(struct details *d)
{
	if (d->points.n)
		vars_free(&d->vars);
	probe_points_free(&d->points);
	plans_free(&d->plans);
	free(d->fields);
}

/* All parameters, written as the fields of a row: "fd = fd; count = count". */
static char *fields_of_parameters(struct details *d)
{
	const struct scope *function = vars_open(&d->vars) ? vars_function(&d->vars) : NULL;
	char *text = mem_strdup("");

	for (size_t i = d->points.v[0].is_event; function && i < function->nr_vars; i++) {
		const struct var *var = &function->vars[i];
		AUTO_FREE char *before = text;

		text = mem_printf("%s%s%s = %s", before, *before ? "; " : "", var->name, var->name);
	}
	return text;
}

static void plan_entry(const struct target *target, const struct entry *entry, struct details *d)
{
	struct use args = { option_find("ARGS"), NULL, NULL };
	const struct request plain = { .address = entry->address, .uses = &args, .nr_uses = 1 };
	struct requests requests = { 0 };
	AUTO_NOTES struct notes notes = { 0 };

	if (!entry->row)
		plan_request(target, &plain, &d->plans, &d->why);
	else if (events_expand_row(target, entry->row, false, &requests, &notes, &d->why))
		plan_request(target, &requests.v[0], &d->plans, &d->why);
	requests_free(&requests);
}

static void find_details(const struct target *target, const struct entry *entry, struct details *d)
{
	AUTO_FREE char *function = source_returning(entry->address);

	*d = (struct details){ .insn = { .is_return = function } };
	if (!probe_points_resolve(target, entry->address, &d->points, &d->why))
		return;
	vars_init(&d->vars, target, &d->points.v[0]);
	d->vars.insn = &d->insn;
	d->fields = entry->row ? mem_strdup(entry->row->fields) : event_fields(&d->points.v[0]);
	if (!d->fields)
		d->fields = fields_of_parameters(d);
	plan_entry(target, entry, d);
}

/* Call each for every field that the kernel has, with the expression for it and its type. */
static void each_field(const struct target *target, struct details *d,
		       void (*each)(const char *name, const char *type, const char *expression, void *arg), void *arg)
{
	const char *rest = d->fields;
	struct event_field field;

	while (d->points.n && events_field(&rest, &field)) {
		AUTO_FREE char *name = mem_strndup(field.name, field.name_len);
		bool is_text;
		AUTO_FREE char *text = args_field(&field, &d->vars, target->tab, &is_text);
		const char *expression = text ? text + field.name_len + strlen(" = ") : NULL;
		char type[128];

		if (text)
			each(name, args_type(expression, &d->vars, target->tab, type, sizeof(type)), expression, arg);
		free(field.expressions);
	}
}

/* ------------------------------------------------------------------- output */

static const char *sets_of(const struct event_row *row, char buf[64])
{
	snprintf(buf, 64, "%s%s", row ? events_set_name(row->set) : "", row && row->flags & EVENT_CORE ? ", core" : "");
	return buf;
}

static void add_field(const char *name, const char *type, const char *expression, void *arg)
{
	const char *other = field_of_tracefs(name);
	struct sheet *sheet = arg;

	sheet_row(sheet);
	cell_format(sheet, NULL, "", "  %s", name);
	cell_text(sheet, NULL, "", *type ? type : "?");
	cell_format(sheet, NULL, "", "%s%s%s", expression, other ? "  # tracefs: " : "", other ? other : "");
	cell_text(sheet, "name", NULL, name);
	cell_text(sheet, "ctype", NULL, type);
	cell_text(sheet, "expression", NULL, expression);
}

static void say_verbose(struct session *s, const struct target *target, const struct entry *entry)
{
	AUTO_SHEET struct sheet fields = { .key = "fields" };
	struct details d;
	char sets[64];

	find_details(target, entry, &d);
	style_put(s->out, s->colour, STYLE_NAME, entry->address, 0);
	if (entry->row)
		fprintf(s->out, "  set %s, recorded as %s", sets_of(entry->row, sets), entry->row->name);
	if (d.plans.n)
		fprintf(s->out, "  %zu bytes, %zu instructions\n", desc_payload(d.plans.v[0].desc), d.plans.v[0].desc->prog_len);
	else
		fprintf(s->out, "  cannot be traced: %s\n", d.why.text);
	each_field(target, &d, add_field, &fields);
	sheet_print(&fields, SIZE_MAX, s->out, false);
	free_details(&d);
}

static void add_details(struct sheet *sheet, const struct target *target, const struct entry *entry)
{
	struct sheet fields = { .key = "fields" };
	struct details d;

	find_details(target, entry, &d);
	each_field(target, &d, add_field, &fields);
	cell_sheet(sheet, &fields);
	cell_number(sheet, "bytes", NULL, d.plans.n ? desc_payload(d.plans.v[0].desc) : 0)->absent = !d.plans.n;
	cell_number(sheet, "instructions", NULL, d.plans.n ? d.plans.v[0].desc->prog_len : 0)->absent = !d.plans.n;
	cell_text(sheet, "refusal", NULL, d.why.text)->absent = d.plans.n;
	free_details(&d);
}

static void add_entry(struct sheet *sheet, const struct target *target, const struct entry *entry, bool verbose)
{
	const struct event_row *row = entry->row;
	char sets[64];

	sheet_row(sheet);
	cell_text(sheet, "address", "EVENT", entry->address);
	cell_text(sheet, NULL, "SET", sets_of(row, sets));
	cell_text(sheet, NULL, "RECORDED AS", row ? row->name : "");
	cell_text(sheet, "set", NULL, row ? events_set_name(row->set) : NULL);
	cell_boolean(sheet, "core", NULL, row && row->flags & EVENT_CORE);
	cell_text(sheet, "recorded", NULL, row ? row->name : NULL);
	if (verbose)
		add_details(sheet, target, entry);
}

static void say_entries(struct session *s, const struct entry *entries, size_t n, bool verbose)
{
	AUTO_SHEET struct sheet sheet = { .key = "event" };
	const struct target target = session_target(s);

	for (size_t i = 0; i < n; i++) {
		if (s->format == PRINT_TEXT && verbose)
			say_verbose(s, &target, &entries[i]);
		else
			add_entry(&sheet, &target, &entries[i], verbose);
	}
	sheet_write(&sheet, s->format, s->out, s->colour);
}

void event_explain(struct session *s, const struct probe_point *point)
{
	const struct entry entry = { (char *)point->name, events_of_tracepoint(point->name + strlen(EVENT)) };

	say_entries(s, &entry, 1, true);
}

bool event_list(struct session *s, const char *pattern, bool verbose, struct error *err)
{
	struct list list = { .pattern = pattern };
	bool ok;

	if (!session_symbols(s, err))
		return false;
	if (verbose)
		session_connect(s, NULL);
	list.tab = s->tab;
	collect(&list);
	ok = list.n || error_set(err, STATUS_FAILURE, "events: nothing matches '%s': 'events' lists all; * stands for any text",
				 pattern ? pattern : "*");
	if (ok)
		say_entries(s, list.v, list.n, verbose);
	free_list(&list);
	return ok;
}
