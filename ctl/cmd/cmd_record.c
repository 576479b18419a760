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
#include "ctl/cmd/command.h"
#include "ctl/cmd/record_events.h"
#include "ctl/measure/oneshot.h"
#include "ctl/saved/disk.h"
#include "ctl/session/trace.h"

struct recording {
	struct record_events events;
	bool with_state;		/* write the state of the system, too */
	char *dir, *name;
	uint64_t buffer;
	struct disk *disk;
	int64_t began, ended;		/* now_ms() */
};

/* --------------------------------------------------------------- what to record */

static bool plan(struct session *s, const struct oneshot *o, struct recording *r, struct error *err)
{
	r->with_state = o->events || !o->nr_specs;
	if (r->with_state && !record_events_add(s, o->events ? o->events : RECORD_USUAL_EVENTS, &r->events, err))
		return false;
	for (size_t i = 0; i < o->nr_specs; i++)
		if (!record_events_spec(o->specs[i], &r->events, err))
			return false;
	return record_events_plan(s, &r->events, o->pid, err);
}

/* --------------------------------------------------------------------- the course */

static bool describe_one(void *disk, uint32_t id, struct error *err)
{
	return disk_add(disk, id, err);
}

static bool describe(struct recording *r, struct error *err)
{
	return record_events_each(&r->events, describe_one, r->disk, err) &&
	       disk_describe(r->disk, r->with_state, err);
}

/* The state of the system when all tracepoints are set: from then on events tell what changes. */
static bool dump_state(struct session *s, struct recording *r, struct error *err)
{
	struct error why;

	if (!r->with_state)
		return true;
	if (!disk_state(r->disk, &why, err))
		return false;
	if (*why.text && !interrupt_pending())
		session_warn(s, "the recording lacks a part of the system's state at its begin: %s", why.text);
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct recording *r = arg;

	const bool set = record_events_set(s, &r->events, err);

	r->began = now_ms();
	if (!set || !describe(r, err) || !dump_state(s, r, err))
		return false;
	r->began = now_ms();
	return true;
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct recording *r = arg;
	const bool ok = disk_round(r->disk, err);
	const struct disk_totals totals = disk_totals(r->disk);

	*progress = (struct progress){ totals.records, totals.lost, device_is_stopped(&s->dev) };
	return ok;
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct recording *r = arg;

	if (r->events.is_set)
		r->ended = now_ms();
	return record_events_remove(s, &r->events, err);
}

/* --------------------------------------------------------------------- telling */

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

static bool finish(struct session *s, struct recording *r, struct error *err)
{
	const char *symbols = disk_wants_symbols(r->disk) && session_want_symbols(s) ? s->kallsyms : NULL;
	struct disk_totals totals;

	if (!disk_finish(r->disk, symbols, err))
		return false;
	totals = disk_totals(r->disk);
	say(s, r, &totals);
	return session_flush(s, err);
}

/* --------------------------------------------------------------------- the command */

static bool measure(struct session *s, struct oneshot *o, struct recording *r, struct error *err)
{
	const struct oneshot_ops ops = {
		.arm = arm, .round = round_once, .disarm = disarm, .drains = true, .arg = r,
	};

	if (!device_rings(&s->dev, r->name, r->buffer, err))
		return false;
	r->disk = disk_create(r->dir, &s->dev, err);
	if (!r->disk)
		return false;
	if (oneshot_measure(s, o, &ops, err))
		return finish(s, r, err) && oneshot_conclude(s, o, NULL, err);
	/* Nothing was recorded: leave nothing behind. */
	if (!r->began || !disk_totals(r->disk).bytes) {
		disk_abandon(r->disk);
		r->disk = NULL;
	}
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
	disk_free(r->disk);
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
	r->buffer = o->buffer ? o->buffer : RECORD_USUAL_BUFFER;
}

static void drop(struct recording *r)
{
	record_events_free(&r->events);
	free(r->dir);
	free(r->name);
}

static bool run(struct session *s, struct oneshot *o, struct error *err)
{
	struct recording r = { 0 };
	bool ok;

	name_all(o, &r);
	ok = plan(s, o, &r, err);
	if (ok)
		ok = s->dry_run ? trace_try(s, &r.events.plans, err) : record(s, o, &r, err);
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
