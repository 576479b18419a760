// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rotate.c - record --rotate: a series of traces, one after the other.
 *
 * Each part is a recording of its own, with its own rings, tracepoints, state of the system: so it can be read without
 * the others.  The next part records before the one before it ends: no event is missing between them, and those of
 * that moment are in both.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/live/recorder/recording.h"
#include "ctl/trace/saved/disk.h"
#include "ctl/trace/saved/series.h"

/* Where a part could not begin, the present one goes on for that long before the next try. */
#define AGAIN_MS	1000

static char *part_name(const struct recording *r)
{
	return mem_printf("%.50s/%04u", r->name, series_totals(r->series).number + 1);
}

bool rotate_prepare(struct session *s, struct recording *r, struct error *err)
{
	AUTO_FREE char *name = NULL;

	r->holder = mem_zalloc(1, sizeof(*r->holder));
	r->holder->fd = -1;
	if (!device_open(r->holder, err) || !device_rings(r->holder, r->name, KT_MODE_DISCARD, KT_BUFFER_MIN, err))
		return false;
	r->series = series_create(r->dir, err);
	if (!r->series)
		return false;
	name = part_name(r);
	r->trace = series_next(r->series);
	if (recording_open(s, r, name, err) && r->mode->create(s, r, err))
		return true;
	r->mode->fail(s, r);
	return false;
}

void rotate_release(struct recording *r)
{
	if (r->holder)
		device_close(r->holder);
	free(r->holder);
	series_free(r->series);
}

static size_t count_refused(const struct record_events *events)
{
	size_t n = 0;

	for (size_t i = 0; i < events->plans.n; i++)
		n += !!events->reqs[i].refusal;
	return n;
}

/* Open and arm the next part.  False: nothing of it is left, and the present one goes on. */
static bool open_next(struct session *s, const struct recording *r, struct recording *next, struct error *err)
{
	AUTO_FREE char *name = part_name(r);
	const bool quiet = s->quiet;
	bool ok;

	next->trace = series_next(r->series);
	/* The notes on events that cannot be set were given at the begin. */
	s->quiet = true;
	ok = recording_open(s, next, name, err) && next->mode->create(s, next, err) && recording_arm(s, next, err);
	s->quiet = quiet;
	if (ok)
		return true;
	if (next->dev)
		record_events_remove(s, &next->events, NULL);
	next->began = 0;
	next->mode->fail(s, next);
	recording_close(next);
	free(next->events.reqs);
	series_undo(r->series);
	s->dev = *r->dev;
	return false;
}

/* The next part is armed: end this one. */
static bool end_part(struct session *s, struct recording *r, const struct record_events *next, struct error *err)
{
	struct symbols_source from;
	const struct symbols_source *symbols = recording_symbols(s, r, disk_wants_symbols(r->disk), &from);
	struct disk_totals totals;

	if (count_refused(next) > count_refused(&r->events))
		session_warn(s, "from now on %zu events less are recorded: the kernel's code has changed",
			     count_refused(next) - count_refused(&r->events));
	s->dev = *r->dev;
	/* Both parts record until here: the next one begins with events that this one has, too.  From here it is the only one. */
	if (!recording_disarm(s, r, err))
		return false;
	disk_switched_off(r->disk, r->events.off);
	if (!disk_finish(r->disk, symbols, err))
		return false;
	totals = disk_totals(r->disk);
	series_add(r->series, &totals);
	recording_close(r);
	free(r->events.reqs);
	return true;
}

static bool next_part(struct session *s, struct recording *r, struct error *err)
{
	struct recording next = *r;
	struct error why;

	next.dev = NULL;
	next.disk = NULL;
	next.trace = NULL;
	next.events.reqs = NULL;
	next.events.gone = (struct gone){ 0 };
	next.events.is_set = false;
	next.part_began = now_ms();
	if (!open_next(s, r, &next, &why)) {
		session_warn(s, "no new part, %s goes on: %s", r->trace, why.text);
		r->next_try = now_ms() + AGAIN_MS;
		return true;
	}
	if (!end_part(s, r, &next.events, err)) {
		next.began = 0;
		next.mode->fail(s, &next);
		recording_close(&next);
		free(next.events.reqs);
		return false;
	}
	*r = next;
	s->dev = *r->dev;
	return r->mode->begin(s, r, err);
}

static bool is_due(const struct recording *r, const struct disk_totals *totals)
{
	if (r->rotate_ms && now_ms() >= r->part_began + r->rotate_ms)
		return true;
	return r->rotate_bytes && totals->bytes - totals->state_bytes >= r->rotate_bytes;
}

/* Does the present part fit into --max-size, when all others are removed? */
static bool fits(struct recording *r)
{
	return !r->max_bytes || series_shrink(r->series, disk_totals(r->disk).bytes, r->max_bytes);
}

bool rotate_round(struct session *s, struct recording *r, struct error *err)
{
	const struct disk_totals totals = disk_totals(r->disk);

	/* The last round comes when the tracepoints are gone: a new part would set them again, for ever. */
	if (!r->events.is_set || now_ms() < r->next_try || (!is_due(r, &totals) && fits(r)))
		return true;
	if (!next_part(s, r, err))
		return false;
	fits(r);
	return true;
}
