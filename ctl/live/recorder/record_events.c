// SPDX-License-Identifier: GPL-2.0-or-later
/* record_events.c - see record_events.h. */
#include "ctl/live/recorder/record_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/lang/args.h"
#include "ctl/ask/plan/expand.h"
#include "ctl/ask/resolve/resolve.h"
#include "ctl/ask/resolve/vars.h"
#include "ctl/base/memory.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

bool record_events_add(struct session *s, const char *sets, const char *bare, struct record_events *events,
		       struct error *err)
{
	AUTO_NOTES struct notes notes = { 0 };
	struct target target;
	bool ok;

	if (!session_symbols(s, err))
		return false;
	target = session_target(s);
	ok = events_expand(&target, sets, bare, &events->requests, &notes, err);
	for (size_t i = 0; i < notes.n; i++)
		session_note(s, "%s", notes.v[i]);
	events->plans.is_partial = true;
	return ok;
}

bool record_events_spec(const char *text, struct record_events *events, struct error *err)
{
	const char *at = text;
	struct requests more;
	struct words words;

	if (lex_command(&at, &words, err) != LEX_COMMAND)
		return error_set(err, STATUS_USAGE, "--trace: a tracepoint is missing: --trace 'vfs_write VAR count'");
	events->words = MEM_MORE(events->words, events->nr_words);
	events->words[events->nr_words++] = words;
	if (!requests_parse(&words, !strcmp(words.v[0], "trace"), &more, err))
		return false;
	requests_append(&events->requests, &more);
	return true;
}

/* The field of a row with this name.  False: it has none. */
static bool find_field(const struct event_row *row, const char *name, struct event_field *out)
{
	const char *fields = row->fields;

	while (events_field(&fields, out)) {
		if ((size_t)out->name_len == strlen(name) && !strncmp(out->name, name, out->name_len))
			return true;
		free(out->expressions);
	}
	return false;
}

/*
 * Where the program entered the kernel, as an argument of VAR: the registers that the event itself has tell it, for much less than
 * CALLER takes.  NULL: this kernel has no type for them.
 */
static char *entered_words(struct session *s, const struct request *request)
{
	AUTO_PROBE_POINTS struct probe_points points = { 0 };
	const struct target target = session_target(s);
	struct event_field field;
	struct vars vars;
	struct error err;
	char *words, *ip;
	bool is_text;

	if (!find_field(events_named(request->name), "ip", &field))
		return NULL;
	ip = field.expressions;
	field = (struct event_field){ CALLER_FIELD, strlen(CALLER_FIELD), mem_printf("(void *)(%s)", ip) };
	free(ip);
	if (!probe_points_resolve(&target, request->address, &points, &err)) {
		free(field.expressions);
		return NULL;
	}
	vars_init(&vars, &target, &points.v[0]);
	words = args_field(&field, &vars, s->tab, &is_text);
	vars_free(&vars);
	free(field.expressions);
	return words;
}

/* As an argument of CALLER that does not depend on a process. */
static char *caller_words(const struct caller *caller)
{
	return caller->is_range ? mem_printf("in 0x%" PRIx64 "-0x%" PRIx64, caller->from, caller->to) :
				  mem_printf("depth %" PRIu32, caller->depth);
}

static void add_caller(struct session *s, struct request *request, const struct caller *caller)
{
	AUTO_FREE char *entered = !caller->is_range && !caller->depth ? entered_words(s, request) : NULL,
		       *words = entered ? mem_strdup(entered) : caller_words(caller);
	const char *option = entered ? "VAR" : "CALLER";

	for (size_t i = 0; i < request->nr_cases; i++)
		request_use(&request->cases[i].request, option, mem_strdup(words));
	if (!request->nr_cases)
		request_use(request, option, mem_strdup(words));
}

static bool begins_call(const struct request *request)
{
	const struct event_row *row = request->name ? events_named(request->name) : NULL;

	return row && row->flags & EVENT_CALLS && !row->call_fields;
}

bool record_events_caller(struct session *s, struct record_events *events, const struct caller *caller, struct error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < events->requests.n; i++) {
		if (!begins_call(&events->requests.v[i]))
			continue;
		add_caller(s, &events->requests.v[i], caller);
		n++;
	}
	return n || error_set(err, STATUS_USAGE, "--caller: no system calls are recorded: give --events syscalls, or more sets with it");
}

bool record_events_plan(struct session *s, struct record_events *events, uint64_t pid, struct error *err)
{
	if (!session_symbols(s, err))
		return false;
	for (size_t i = 0; i < events->requests.n; i++) {
		events->requests.v[i].is_packed = true;
		if (pid)
			request_use(&events->requests.v[i], "ONLYTGID", mem_printf("%" PRIu64, pid));
	}
	return trace_plan(s, &events->requests, &events->plans, err);
}

bool record_events_set(struct session *s, struct record_events *events, struct error *err)
{
	events->reqs = mem_zalloc(events->plans.n, sizeof(*events->reqs));
	events->is_set = trace_set(s, &events->plans, KT_TRACE_OWNED, events->reqs, err);
	if (events->is_set)
		gone_watch(&events->gone, &events->plans);
	return events->is_set;
}

/* The brake switches off all tracepoints at an address, whose ever they are. */
static bool is_off(const struct kt_list_entry *list, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].off && list[i].addr == addr)
			return true;
	return false;
}

uint32_t record_events_off(struct session *s, const struct record_events *events)
{
	AUTO_FREE struct kt_list_entry *list = NULL;
	struct error err;
	uint32_t off = 0;
	size_t n;

	if (!device_list(&s->dev, &list, &n, &err))
		return 0;
	for (size_t i = 0; i < events->plans.n; i++)
		off += !events->reqs[i].refusal && is_off(list, n, events->reqs[i].addr);
	return off;
}

bool record_events_remove(struct session *s, struct record_events *events, struct error *err)
{
	if (!events->is_set)
		return true;
	events->is_set = false;
	events->off = record_events_off(s, events);
	gone_look(&events->gone);
	gone_say(s, &events->gone, &events->plans);
	gone_free(&events->gone);
	return trace_remove(s, &events->plans, events->reqs, err);
}

/* The descriptor of a plan, or those of its cases: then its own has no records. */
static bool each_of(const struct plan *plan, uint32_t id, record_event_fn *each, void *arg, struct error *err)
{
	if (!plan->nr_cases)
		return each(arg, id, plan->desc, err);
	for (size_t i = 0; i < plan->nr_cases; i++)
		if (!each(arg, plan->cases[i].id, plan->case_descs[i], err))
			return false;
	return true;
}

/* Windows have records, too. */
static bool has_windows(const struct record_events *events)
{
	for (size_t i = 0; i < events->plans.n; i++)
		if (!events->reqs[i].refusal && events->reqs[i].windowed)
			return true;
	return false;
}

bool record_events_own(struct device *dev, const struct record_events *events, record_event_fn *each, void *arg, struct error *err)
{
	struct kt_status status;

	return device_status(dev, &status, NULL, err) &&
	       (!has_windows(events) || each(arg, status.window_id, NULL, err)) &&
	       (!status.late_id || each(arg, status.late_id, NULL, err));
}

bool record_events_each(const struct record_events *events, record_event_fn *each, void *arg, struct error *err)
{
	for (size_t i = 0; i < events->plans.n; i++)
		if (!events->reqs[i].refusal && !each_of(&events->plans.v[i], events->reqs[i].id, each, arg, err))
			return false;
	return true;
}

void record_events_free(struct record_events *events)
{
	plans_free(&events->plans);
	requests_free(&events->requests);
	for (size_t i = 0; i < events->nr_words; i++)
		words_free(&events->words[i]);
	free(events->words);
	free(events->reqs);
	gone_free(&events->gone);
}
