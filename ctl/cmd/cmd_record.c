// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_record.c - record: write the events of the whole system into a directory. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/memory.h"
#include "ctl/cmd/command.h"
#include "ctl/live/recorder/recording.h"
#include "ctl/live/recorder/user_record.h"
#include "ctl/live/session/trace.h"

/* --------------------------------------------------------------- what to record */

/* Only some tasks are recorded. */
static bool is_filtered(const struct oneshot *o)
{
	return o->tasks.n || o->tasks.children;
}

/* The only process that is recorded.  0: there are several. */
static int only_process(const struct oneshot *o)
{
	const struct kt_task_rule *rule = o->tasks.n == 1 && !o->tasks.children ? o->tasks.v : NULL;

	return rule && (rule->kind == KT_TASK_TGID || rule->kind == KT_TASK_PID) ? (int)rule->value[0] : 0;
}

static bool take_caller(const struct oneshot *o, struct caller *out, struct error *err)
{
	static const struct caller_option option = { "--caller", "--pid" };
	AUTO_FREE char *text = o->caller[0] ? mem_printf("%s %s", o->caller[0], o->caller[1]) : NULL;

	return !text || caller_parse(&option, text, only_process(o), out, err);
}

static bool plan(struct session *s, const struct oneshot *o, const struct caller *caller, struct recording *r, struct error *err)
{
	const bool has_events = o->events || !o->nr_specs;

	r->with_state = has_events && !o->no_state;
	if (has_events && !record_events_add(s, o->events ? o->events : RECORD_USUAL_EVENTS, o->bare, &r->events, err))
		return false;
	for (size_t i = 0; i < o->nr_specs; i++)
		if (!record_events_spec(o->specs[i], &r->events, err))
			return false;
	if (o->caller[0] && !record_events_caller(s, &r->events, caller, err))
		return false;
	if (!record_events_plan(s, &r->events, 0, err))
		return false;
	if (is_filtered(o) && !s->dry_run)
		plans_flag(&r->events.plans, KT_DESC_TASKS | KT_DESC_ABOUT);
	return true;
}

/* --------------------------------------------------------------------- the command */

static char *tasks_text(const struct oneshot *o)
{
	if (!o->tasks.n)
		return mem_printf("%s and its children", o->command[0]);
	return mem_printf("%s%s", o->tasks.text, o->tasks.children ? " --children" : "");
}

/* ktrace-20261123-101500 */
static char *usual_dir(void)
{
	const time_t now = time(NULL);
	char text[64];
	struct tm tm;

	strftime(text, sizeof(text), "ktrace-%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	return mem_strdup(text);
}

static void name_all(const struct oneshot *o, struct recording *r)
{
	const char *slash;

	r->dir = o->dir ? mem_strdup(o->dir) : usual_dir();
	slash = strrchr(r->dir, '/');
	r->name = mem_strdup(o->recording ? o->recording : slash && slash[1] ? slash + 1 : r->dir);
	r->buffer = o->buffer ? o->buffer : RECORD_USUAL_BUFFER;
}

static void drop(struct recording *r)
{
	record_events_free(&r->events);
	free(r->dir);
	free(r->name);
	free(r->tasks);
}

static bool take_mode(const struct oneshot *o, struct recording *r, struct error *err)
{
	r->mode = &record_disk;
	if (o->mode && !strcmp(o->mode, record_flight.name))
		r->mode = &record_flight;
	r->rotate_bytes = o->rotate.bytes;
	r->rotate_ms = o->rotate.ms;
	r->max_bytes = o->max_bytes;
	r->form = (struct trace_form){ .ctf2 = o->ctf2, .compressed = o->compress };
	if (r->mode == &record_flight && (r->rotate_bytes || r->rotate_ms || r->max_bytes))
		return error_set(err, STATUS_USAGE, "--mode flight: has a size of its own: give --buffer in place of --rotate and --max-size");
	if ((r->rotate_bytes || r->rotate_ms) && o->tasks.children)
		return error_set(err, STATUS_USAGE, "--rotate: not together with --children: a new part would not know which tasks they are");
	if (r->rotate_bytes && r->max_bytes && r->max_bytes < 2 * r->rotate_bytes)
		return error_set(err, STATUS_USAGE, "--max-size: there must be room for two parts of --rotate");
	return true;
}

/* Events of processes are not in the module's rings, and need no ktrace.ko. */
static bool run_user(struct session *s, struct oneshot *o, struct error *err)
{
	AUTO_FREE char *dir = o->dir ? mem_strdup(o->dir) : usual_dir();

	return user_record_run(s, o, dir, err);
}

static bool run(struct session *s, struct oneshot *o, const struct caller *caller, struct recording *r, struct error *err)
{
	bool ok;

	name_all(o, r);
	r->tasks = is_filtered(o) ? tasks_text(o) : NULL;
	r->rules = &o->tasks;
	ok = plan(s, o, caller, r, err);
	if (ok)
		ok = s->dry_run ? trace_try(s, &r->events.plans, err) : recording_run(s, o, r, err);
	drop(r);
	return ok;
}

bool cmd_record(struct session *s, const struct words *words, struct error *err)
{
	AUTO_ONESHOT struct oneshot o;
	struct recording r = { 0 };
	struct caller caller;

	if (!oneshot_parse(s, words, &record_flags, &o, err) || !take_mode(&o, &r, err) || !take_caller(&o, &caller, err))
		return false;
	if (o.nr_subjects)
		return error_set(err, STATUS_USAGE, "record: unexpected '%s': a command stands behind --: record -- %s", o.subjects[0],
				 o.subjects[0]);
	if (o.tasks.children && !o.tasks.n && !o.command)
		return error_set(err, STATUS_USAGE, "record: --children: of whom? give --pid, --uid or the like, or a command behind --");
	if (!o.stop && user_record_is(&o))
		return run_user(s, &o, err);
	if (!session_connect(s, err))
		return false;
	return o.stop ? device_stop(&s->dev, o.stop, err) : run(s, &o, &caller, &r, err);
}
