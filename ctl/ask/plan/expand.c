// SPDX-License-Identifier: GPL-2.0-or-later
/* expand.c - choose what the running kernel has of the events.  See expand.h. */
#include "ctl/ask/plan/expand.h"

#include <stdlib.h>
#include <string.h>

#include "core/ktrace_abi.h"
#include "ctl/ask/events/calls.h"
#include "ctl/ask/expr/expr_known.h"
#include "ctl/ask/lang/args.h"
#include "ctl/ask/lang/option.h"
#include "ctl/ask/resolve/event.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"

/* ------------------------------------------------------------------- notes */

void notes_free(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->v[i]);
	free(notes->v);
	*notes = (struct notes){ 0 };
}

static void add_note(struct notes *notes, char *text)
{
	notes->v = MEM_MORE(notes->v, notes->n);
	notes->v[notes->n++] = text;
}

/* A list of names, separated by commas. */
struct list {
	char *text;
	size_t n;
};

static void list_add(struct list *list, const char *name, int len)
{
	char *longer = mem_printf("%s%s%.*s", list->n ? list->text : "", list->n ? ", " : "", len, name);

	free(list->text);
	list->text = longer;
	list->n++;
}

/* ------------------------------------------------------------------- points */

static char *address_of(const struct event_row *row, const char *at)
{
	return row->system ? mem_printf("%s%s", EVENT, at) : mem_strdup(at);
}

/* The address of the first alternative that this kernel has.  NULL: there is none, err has the reason of the last. */
static char *find_points(const struct target *target, const struct event_row *row, struct probe_points *points,
			struct error *err)
{
	const char *rest = row->at;
	char *at;

	while ((at = events_alternative(&rest))) {
		char *address = address_of(row, at);

		free(at);
		if (probe_points_resolve(target, address, points, err))
			return address;
		free(address);
	}
	return NULL;
}

/* ------------------------------------------------------------------ fields */

/* Add the fields of a row's text to the request. */
static void add_fields(const struct target *target, const char *fields, struct vars *vars, struct request *request,
		       struct list *missing)
{
	struct event_field field;

	while (events_field(&fields, &field)) {
		bool is_text;
		char *text = args_field(&field, vars, target->tab, &is_text);

		if (text)
			request_use(request, is_text ? "STR" : "VAR", text);
		else
			list_add(missing, field.name, field.name_len);
		free(field.expressions);
	}
}

static void note_fields(struct notes *notes, const char *event, struct list *missing)
{
	if (missing->n)
		add_note(notes, mem_printf("%s is recorded without %s: this kernel does not have %s", event, missing->text,
					   missing->n == 1 ? "it" : "them"));
	free(missing->text);
}

/* ------------------------------------------------------------- system calls */

#define TEXT_BYTES	256	/* of a name; a record has only what is there */

/* The arguments of a call as the text of a row. */
static char *argument_fields(const struct call_arg *args, size_t n)
{
	char *text = mem_strdup("");

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *field = call_field(&args[i], i, TEXT_BYTES);
		char *longer = mem_join(text, i ? "; " : "", field, NULL);

		free(text);
		text = longer;
	}
	return text;
}

/* The fields of one call: its arguments, or those of the row; and what it gets or gives in memory. */
static char *call_fields(const struct event_row *row, const char *name, const struct call_arg *args, size_t n)
{
	AUTO_FREE char *own = row->call_fields ? NULL : argument_fields(args, n);
	const char *first = own ? own : row->call_fields;
	const char *more = row->call_fields ? call_end_fields(name) : call_begin_fields(name);

	return mem_join(first, more ? "; " : "", more ? more : "", NULL);
}

static void add_call(const struct target *target, const struct event_row *row, unsigned int number, struct vars *vars,
		     bool bare, struct request *request, struct list *missing)
{
	const char *name = call_kernel_name(call_name(number));
	struct call_arg args[CALL_ARGS];
	AUTO_FREE char *fields = NULL;
	size_t n = 0;

	if (row->call_fields ? !call_is_known(name) : !call_args_known(name, args, &n))
		return;
	fields = bare ? mem_strdup("") : call_fields(row, name, args, n);
	add_fields(target, fields, vars, request_case(request, number, mem_join(row->name, "_", name, NULL)), missing);
}

/* The same call of a 32-bit program: "compat_syscall_entry_close", as LTTng names it. */
static void add_compat_call(const struct target *target, const struct event_row *row, unsigned int number, struct vars *vars,
			    bool bare, struct request *request, struct list *missing)
{
	const char *call = call_compat_name(number);
	AUTO_FREE char *name = call_compat_kernel_name(call), *fields = NULL;
	struct call_arg args[CALL_ARGS];
	size_t n = 0;

	if (row->call_fields ? !call_compat_is_known(call) : !call_compat_args_known(call, args, &n))
		return;
	fields = bare ? mem_strdup("") : call_fields(row, name, args, n);
	add_fields(target, fields, vars,
		   request_case(request, number | KT_CASE_COMPAT, mem_join("compat_", row->name, "_", name, NULL)), missing);
}

/*
 * Each call gets a case of its own; what has no known arguments gets the row itself.  Where tracefs is not readable, the row
 * records all calls.
 */
static bool add_calls(const struct target *target, const struct event_row *row, struct vars *vars, bool bare,
		      struct request *request, struct list *missing)
{
	struct call_arg args[CALL_ARGS];
	size_t n;

	if (!call_args_known("read", args, &n))
		return false;
	add_fields(target, bare ? "" : row->fields, vars,
		   request_case(request, KT_CASE_OTHER, mem_join(row->name, "_unknown", NULL)), missing);
	for (unsigned int i = 0; i < call_numbers(); i++)
		if (call_name(i))
			add_call(target, row, i, vars, bare, request, missing);
	for (unsigned int i = 0; i < call_compat_numbers(); i++)
		if (call_compat_name(i))
			add_compat_call(target, row, i, vars, bare, request, missing);
	return true;
}

/* -------------------------------------------------------------------- rows */

static bool is_return(const char *address)
{
	AUTO_FREE char *function = source_returning(address);

	return function;
}

bool events_expand_row(const struct target *target, const struct event_row *row, bool bare, struct requests *out,
		       struct notes *notes, struct error *err)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	struct request request = { .name = row->name, .is_readable = row->flags & EVENT_READABLE, .is_packed = true };
	struct list missing = { 0 };
	struct arch_insn insn = { 0 };
	struct vars vars;

	request.owned = find_points(target, row, &points, err);
	if (!request.owned)
		return false;
	request.address = request.owned;
	insn.is_return = is_return(request.address);
	vars_init(&vars, target, &points.v[0]);
	vars.insn = &insn;
	vars.known = expr_known_create();
	if (!(row->flags & EVENT_CALLS) || !add_calls(target, row, &vars, bare, &request, &missing))
		add_fields(target, bare ? "" : row->fields, &vars, &request, &missing);
	expr_known_free(vars.known);
	vars_free(&vars);
	note_fields(notes, row->name, &missing);
	out->v = MEM_MORE(out->v, out->n);
	out->v[out->n++] = request;
	return true;
}

static bool set_is_empty(unsigned int missing, struct error *err)
{
	for (size_t i = 0; i < NR_EVENT_SETS; i++)
		if (missing & 1U << i)
			return error_set(err, STATUS_FAILURE, "this kernel has no event of the set '%s': 'events' lists those it has",
					 events_set_name(i));
	return true;
}

static void note_missing(struct notes *notes, struct list *missing)
{
	if (missing->n)
		add_note(notes, mem_printf("this kernel does not have %s: left out", missing->text));
	free(missing->text);
}

bool events_expand(const struct target *target, const char *sets, const char *bare, struct requests *out,
		   struct notes *notes, struct error *err)
{
	struct event_choice choice, bare_choice = { 0 };
	struct list missing = { 0 };
	unsigned int wanted = 0, found = 0;

	*out = (struct requests){ 0 };
	*notes = (struct notes){ 0 };
	if (!events_choose(sets, &choice, err) || (bare && !events_choose(bare, &bare_choice, err)))
		return false;
	if (!target->tab)
		return error_set(err, STATUS_FAILURE, "events need symbols, and there are none: 'status' tells how to get symbols");
	for (const struct event_row *row = events_next(NULL); row; row = events_next(row)) {
		if (!events_chosen(&choice, row))
			continue;
		wanted |= 1U << row->set;
		if (events_expand_row(target, row, events_chosen(&bare_choice, row), out, notes, err))
			found |= 1U << row->set;
		else
			list_add(&missing, row->name, strlen(row->name));
	}
	note_missing(notes, &missing);
	if (!wanted)
		return error_set(err, STATUS_USAGE, "'%s' leaves out all events: name what to record first, as in 'core,-irq'", sets);
	if (!out->n)
		return error_set(err, STATUS_FAILURE, "this kernel has none of the events '%s': 'doctor' tells what is missing", sets);
	return set_is_empty(choice.sets & wanted & ~found, err);
}
