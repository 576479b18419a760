// SPDX-License-Identifier: GPL-2.0-or-later
/* disk_mode.c - record --mode disk: write all events to a directory as they come. */
#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/live/recorder/recording.h"
#include "ctl/trace/saved/disk.h"
#include "ctl/trace/saved/series.h"

static bool disk_begins(struct session *s, struct recording *r, struct error *err)
{
	r->disk = disk_create(r->trace, r->dev, err);
	if (!r->disk)
		return false;
	disk_form(r->disk, &r->form);
	if (r->tasks)
		disk_confine(r->disk, mem_strdup(r->tasks));
	return true;
}

static bool disk_learns(struct recording *r, uint32_t id, const struct desc *planned, struct error *err)
{
	return disk_add(r->disk, id, planned, err);
}

/* The state of the system when all tracepoints are set: from then on events tell what changes. */
static bool disk_starts(struct session *s, struct recording *r, struct error *err)
{
	struct progress_line line = progress_open(s->messages, s->quiet, false);
	struct error why;
	bool ok;

	if (!disk_describe(r->disk, r->with_state, err))
		return false;
	if (!r->with_state)
		return true;
	ok = disk_state(r->disk, &line, &why, err);
	progress_close(&line);
	if (!ok)
		return false;
	if (*why.text && !interrupt_pending())
		session_warn(s, "%s lacks a part of the system's state at its begin: %s", r->trace, why.text);
	return true;
}

/* A single trace ends when it is large enough. */
static void look_at_size(struct session *s, struct recording *r, const struct disk_totals *totals)
{
	if (r->series || r->full || !r->max_bytes || totals->bytes < r->max_bytes)
		return;
	r->full = true;
	session_note(s, "%s has reached --max-size: the recording ends", r->trace);
}

static bool disk_goes_on(struct session *s, struct recording *r, struct progress *progress, struct error *err)
{
	struct disk_totals totals;

	if (!disk_round(r->disk, err) || (r->series && !rotate_round(s, r, err)))
		return false;
	totals = disk_totals(r->disk);
	look_at_size(s, r, &totals);
	*progress = (struct progress){
		.hits = totals.records, .lost = totals.lost, .enough = r->full || device_is_stopped(&s->dev),
	};
	if (r->series) {
		const struct series_totals before = series_totals(r->series);

		progress->hits += before.records;
		progress->lost += before.lost;
		progress->enough |= device_is_stopped(r->holder);
	}
	return true;
}

/* ------------------------------------------------------------------------ telling */

static void say_json(struct session *s, const struct recording *r, const struct series_totals *totals)
{
	struct json j = json_typed(s->out, "recorded");

	json_text(&j, "directory", r->dir);
	json_number(&j, "events", totals->records);
	json_number(&j, "lost", totals->lost);
	json_number(&j, "braked", totals->braked);
	json_number(&j, "off", totals->off);
	json_number(&j, "bytes", totals->bytes);
	json_number(&j, "ms", r->ended - r->began);
	if (r->series) {
		json_number(&j, "parts", totals->parts);
		json_number(&j, "removed", totals->removed);
	}
	json_end(&j);
}

static void say_parts(struct session *s, const struct series_totals *totals)
{
	session_note(s, "%u part%s, each a trace of its own: the newest is %s", totals->parts, totals->parts == 1 ? "" : "s",
		     totals->newest);
	if (totals->removed)
		session_note(s, "%u older part%s removed, because of --max-size", totals->removed,
			     totals->removed == 1 ? " was" : "s were");
}

static void say(struct session *s, const struct recording *r, const struct series_totals *totals)
{
	char events[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE], size[DURATION_SIZE];
	const char *dir = r->series ? totals->newest : r->dir;

	if (s->format == PRINT_JSON) {
		say_json(s, r, totals);
		return;
	}
	session_note(s, "%s: %s event%s in %s, %s, %s lost: " READ_IT, r->dir,
		     count_text(totals->records, events), totals->records == 1 ? "" : "s",
		     duration_text((r->ended - r->began) * 1e6, time), bytes_text(totals->bytes, "bytes", size),
		     totals->lost ? count_text(totals->lost, lost) : "none", dir, dir);
	if (r->series)
		say_parts(s, totals);
	if (totals->lost)
		session_warn(s, "events were lost, because the disk%s was too slow for them: enlarge --buffer, or record fewer --events",
			     r->form.compressed ? " or the compression" : "");
	recording_say_brake(s, totals->braked, totals->off);
}

static bool disk_ends(struct session *s, struct recording *r, struct error *err)
{
	struct symbols_source from;
	const struct symbols_source *symbols = recording_symbols(s, r, disk_wants_symbols(r->disk), &from);
	struct disk_totals disk;
	struct series_totals totals;

	disk_switched_off(r->disk, r->events.off);
	if (!disk_finish(r->disk, symbols, err))
		return false;
	disk = disk_totals(r->disk);
	totals = (struct series_totals){
		.records = disk.records, .lost = disk.lost, .bytes = disk.bytes, .braked = disk.braked, .off = disk.off,
	};
	if (r->series) {
		series_add(r->series, &disk);
		totals = series_totals(r->series);
	}
	say(s, r, &totals);
	return true;
}

static void say_unwritten(struct session *s, const struct recording *r)
{
	const uint64_t n = disk_unwritten(r->disk);
	char events[DURATION_SIZE];

	if (n)
		session_warn(s, "%s event%s that came later %s lost", count_text(n, events), n == 1 ? "" : "s",
			     n == 1 ? "is" : "are");
}

/* Where nothing was recorded, nothing is left. */
static void disk_fails(struct session *s, struct recording *r)
{
	if (!r->disk)
		return;
	if (r->began)
		say_unwritten(s, r);
	if (r->began && disk_totals(r->disk).bytes)
		return;
	disk_abandon(r->disk);
	r->disk = NULL;
}

static void disk_is_over(struct recording *r)
{
	disk_free(r->disk);
	r->disk = NULL;
}

const struct record_mode record_disk = {
	.name = "disk", .ring_mode = KT_MODE_DISCARD, .drains = true,
	.create = disk_begins, .add = disk_learns, .begin = disk_starts, .round = disk_goes_on, .finish = disk_ends,
	.fail = disk_fails, .release = disk_is_over,
};
