// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_record.c - record: write the events of the whole system into a directory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/cmd/cmd_record.h"
#include "ctl/cmd/command.h"
#include "ctl/saved/disk.h"
#include "ctl/session/expand.h"
#include "ctl/session/session_target.h"
#include "ctl/session/trace.h"

#define USUAL_EVENTS	"core,sched,process,block"	/* what the report of a recording needs */
#define USUAL_BUFFER	(4U << 20)

/* --------------------------------------------------------------- what to record */

static bool take_spec(struct recording *r, const char *text, struct error *err)
{
	const char *at = text;
	struct requests more;
	struct words words;

	if (lex_command(&at, &words, err) != LEX_COMMAND)
		return error_set(err, STATUS_USAGE, "--trace: a tracepoint is missing: --trace 'vfs_write VAR count'");
	r->words = MEM_MORE(r->words, r->nr_words);
	r->words[r->nr_words++] = words;
	if (!requests_parse(&words, !strcmp(words.v[0], "trace"), &more, err))
		return false;
	requests_append(&r->requests, &more);
	return true;
}

static bool take_events(struct session *s, const struct oneshot *o, struct recording *r, struct error *err)
{
	const struct target target = session_target(s);
	AUTO_NOTES struct notes notes = { 0 };
	bool ok;

	if (!o->events && o->nr_specs)
		return true;
	ok = events_expand(&target, o->events ? o->events : USUAL_EVENTS, &r->requests, &notes, err);
	for (size_t i = 0; i < notes.n; i++)
		session_note(s, "%s", notes.v[i]);
	return ok;
}

static bool plan(struct session *s, const struct oneshot *o, struct recording *r, struct error *err)
{
	if (!session_symbols(s, err) || !take_events(s, o, r, err))
		return false;
	for (size_t i = 0; i < o->nr_specs; i++)
		if (!take_spec(r, o->specs[i], err))
			return false;
	for (size_t i = 0; i < r->requests.n; i++) {
		r->requests.v[i].is_packed = true;
		if (o->pid)
			request_use(&r->requests.v[i], "ONLYTGID", mem_printf("%" PRIu64, o->pid));
	}
	if (!trace_plan(s, &r->requests, &r->plans, err))
		return false;
	/* Where the kernel refuses a function, the other events are recorded all the same. */
	r->with_state = o->events || !o->nr_specs;
	r->plans.is_partial |= r->with_state;
	return true;
}

/* --------------------------------------------------------------------- the course */

/* The descriptor of a plan, or those of its cases: then its own has no records. */
static bool describe_one(struct recording *r, const struct plan *plan, uint32_t id, struct error *err)
{
	if (!plan->nr_cases)
		return r->mode->add(r, id, err);
	for (size_t i = 0; i < plan->nr_cases; i++)
		if (!r->mode->add(r, plan->cases[i].id, err))
			return false;
	return true;
}

static bool describe(struct recording *r, struct error *err)
{
	for (size_t i = 0; i < r->plans.n; i++)
		if (!r->reqs[i].refusal && !describe_one(r, &r->plans.v[i], r->reqs[i].id, err))
			return false;
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct recording *r = arg;

	r->reqs = mem_zalloc(r->plans.n, sizeof(*r->reqs));
	r->armed = trace_set(s, &r->plans, KT_TRACE_OWNED, r->reqs, err);
	r->began = now_ms();
	if (!r->armed || !describe(r, err) || !r->mode->begin(s, r, err))
		return false;
	r->began = now_ms();
	return true;
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct recording *r = arg;

	return r->mode->round(s, r, progress, err);
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct recording *r = arg;

	if (!r->armed)
		return true;
	r->armed = false;
	r->ended = now_ms();
	return trace_remove(s, &r->plans, r->reqs, err);
}

/* ------------------------------------------------------------------ the mode disk */

static bool disk_begins(struct session *s, struct recording *r, struct error *err)
{
	return (r->disk = disk_create(r->dir, &s->dev, err));
}

static bool disk_learns(struct recording *r, uint32_t id, struct error *err)
{
	return disk_add(r->disk, id, err);
}

/* The state of the system when all tracepoints are set: from then on events tell what changes. */
static bool disk_starts(struct session *s, struct recording *r, struct error *err)
{
	struct error why;

	if (!disk_describe(r->disk, r->with_state, err))
		return false;
	if (!r->with_state)
		return true;
	if (!disk_state(r->disk, &why, err))
		return false;
	if (*why.text && !interrupt_pending())
		session_warn(s, "the recording lacks a part of the system's state at its begin: %s", why.text);
	return true;
}

static bool disk_goes_on(struct session *s, struct recording *r, struct progress *progress, struct error *err)
{
	const bool ok = disk_round(r->disk, err);
	const struct disk_totals totals = disk_totals(r->disk);

	*progress = (struct progress){ totals.records, totals.lost, device_is_stopped(&s->dev) };
	return ok;
}

static void say_json(struct session *s, const struct recording *r, const struct disk_totals *totals)
{
	struct json j = json_typed(s->out, "recorded");

	json_text(&j, "directory", r->dir);
	json_number(&j, "events", totals->records);
	json_number(&j, "lost", totals->lost);
	json_number(&j, "bytes", totals->bytes);
	json_number(&j, "ms", r->ended - r->began);
	json_end(&j);
}

static void say(struct session *s, const struct recording *r, const struct disk_totals *totals)
{
	char events[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE], size[DURATION_SIZE];

	if (s->format == PRINT_JSON) {
		say_json(s, r, totals);
		return;
	}
	session_note(s, "%s: %s event%s in %s, %s, %s lost: 'ktrace -i %s print' prints them", r->dir,
		     count_text(totals->records, events), totals->records == 1 ? "" : "s",
		     duration_text((r->ended - r->began) * 1e6, time), bytes_text(totals->bytes, "bytes", size),
		     totals->lost ? count_text(totals->lost, lost) : "none", r->dir);
	if (totals->lost)
		session_warn(s, "events were lost, because the disk was too slow for them: enlarge --buffer, or record fewer --events");
}

static bool disk_ends(struct session *s, struct recording *r, struct error *err)
{
	const char *symbols = disk_wants_symbols(r->disk) && session_want_symbols(s) ? s->kallsyms : NULL;
	struct disk_totals totals;

	if (!disk_finish(r->disk, symbols, err))
		return false;
	totals = disk_totals(r->disk);
	say(s, r, &totals);
	return true;
}

/* Where nothing was recorded, nothing is left. */
static void disk_fails(struct recording *r)
{
	if (!r->disk || (r->began && disk_totals(r->disk).bytes))
		return;
	disk_abandon(r->disk);
	r->disk = NULL;
}

static void disk_is_over(struct recording *r)
{
	disk_free(r->disk);
}

const struct record_mode record_disk = {
	.name = "disk", .ring_mode = KT_MODE_DISCARD, .drains = true,
	.create = disk_begins, .add = disk_learns, .begin = disk_starts, .round = disk_goes_on, .finish = disk_ends,
	.fail = disk_fails, .release = disk_is_over,
};

/* --------------------------------------------------------------------- the command */

static bool measure(struct session *s, struct oneshot *o, struct recording *r, struct error *err)
{
	struct oneshot_ops ops = {
		.arm = arm, .round = round_once, .disarm = disarm, .drains = r->mode->drains, .arg = r,
	};

	if (!device_rings(&s->dev, r->name, r->mode->ring_mode, r->buffer, err) || !r->mode->create(s, r, err))
		return false;
	ops.wakes = r->listener;
	if (oneshot_measure(s, o, &ops, err))
		return r->mode->finish(s, r, err) && session_flush(s, err) && oneshot_conclude(s, o, NULL, err);
	r->mode->fail(r);
	return false;
}

/* The recording has a device of its own: that of the prompt, and what is set there, stay as they are. */
static bool record(struct session *s, struct oneshot *o, struct recording *r, struct error *err)
{
	struct device own = { .fd = -1 };
	const struct device prompt = s->dev;
	bool ok;

	if (!device_open(&own, err))
		return false;
	s->dev = own;
	ok = measure(s, o, r, err);
	r->mode->release(r);
	device_close(&s->dev);
	s->dev = prompt;
	return ok;
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
	r->buffer = o->buffer ? o->buffer : USUAL_BUFFER;
}

static void drop(struct recording *r)
{
	plans_free(&r->plans);
	requests_free(&r->requests);
	for (size_t i = 0; i < r->nr_words; i++)
		words_free(&r->words[i]);
	free(r->words);
	free(r->reqs);
	free(r->dir);
	free(r->name);
}

static bool run(struct session *s, struct oneshot *o, struct error *err)
{
	struct recording r = { .mode = &record_disk, .listener = -1 };
	bool ok;

	if (o->mode && !strcmp(o->mode, record_flight.name))
		r.mode = &record_flight;
	else if (o->mode && strcmp(o->mode, record_disk.name))
		return error_set(err, STATUS_USAGE, "--mode %s: not a mode: choose disk or flight", o->mode);
	name_all(o, &r);
	ok = plan(s, o, &r, err);
	if (ok)
		ok = s->dry_run ? trace_try(s, &r.plans, err) : record(s, o, &r, err);
	drop(&r);
	return ok;
}

bool cmd_record(struct session *s, const struct words *words, struct error *err)
{
	AUTO_ONESHOT struct oneshot o;

	if (!oneshot_parse(s, words, &record_flags, &o, err) || !session_connect(s, err))
		return false;
	if (o.nr_subjects)
		return error_set(err, STATUS_USAGE, "record: %s: not an option: a command follows --, a tracepoint --trace '...'",
				 o.subjects[0]);
	if (o.stop)
		return device_stop(&s->dev, o.stop, err);
	return run(s, &o, err);
}
