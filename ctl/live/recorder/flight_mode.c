// SPDX-License-Identifier: GPL-2.0-or-later
/* flight_mode.c - record --mode flight: keep the newest events in memory, and write them on request. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/notify.h"
#include "ctl/base/paths.h"
#include "ctl/base/progress.h"
#include "ctl/live/recorder/recording.h"
#include "ctl/live/recorder/remote.h"
#include "ctl/trace/saved/flight.h"
#include "ctl/trace/saved/save_dir.h"

/* ------------------------------------------------------------------------ telling */

static void say_json(struct session *s, const char *type, const char *dir, const struct flight_saved *saved)
{
	struct json j = json_typed(s->out, type);

	json_text(&j, "directory", dir);
	json_number(&j, "events", saved->records);
	json_number(&j, "older", saved->older);
	json_number(&j, "lost", saved->lost);
	json_number(&j, "braked", saved->braked);
	json_number(&j, "off", saved->off);
	json_number(&j, "bytes", saved->bytes);
	json_number(&j, "ms", saved->ns / 1000000);
	json_end(&j);
}

void snapshot_say(struct session *s, const char *type, const char *dir, const struct flight_saved *saved)
{
	char events[DURATION_SIZE], older[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE], size[DURATION_SIZE];

	if (s->format == PRINT_JSON) {
		say_json(s, type, dir, saved);
		fflush(s->out);
		return;
	}
	session_note(s, "%s: the newest %s event%s, the last %s, %s, %s lost; %s older ones were overwritten: " READ_IT,
		     dir, count_text(saved->records, events), saved->records == 1 ? "" : "s", duration_text(saved->ns, time),
		     bytes_text(saved->bytes, "bytes", size), saved->lost ? count_text(saved->lost, lost) : "none",
		     count_text(saved->older, older), dir, dir);
	recording_say_brake(s, saved->braked, saved->off);
}

/* ------------------------------------------------------------------- the signal */

static volatile sig_atomic_t asked;	/* SIGUSR1 came */
static struct sigaction before;

static void on_ask(int sig)
{
	asked = 1;
}

static void catch_signal(void)
{
	/* Without SA_RESTART, so that it ends the sleep between two rounds. */
	const struct sigaction action = { .sa_handler = on_ask };

	asked = 0;
	sigaction(SIGUSR1, &action, &before);
}

/* ------------------------------------------------------------------- a snapshot */

static bool is_taken(const char *name)
{
	return !save_dir_free(name, NULL) && access(name, F_OK) == 0;
}

/* DIR if it may be used and is free, else the first free one of DIR.1, DIR.2 ... */
static char *free_name(const char *dir, bool itself)
{
	char *name = mem_strdup(dir);

	for (unsigned int i = 1; !itself || is_taken(name); i++) {
		free(name);
		name = mem_printf("%s.%u", dir, i);
		itself = true;
	}
	return name;
}

static bool save(struct session *s, struct recording *r, const char *dir, struct flight_saved *saved,
		 struct error *err)
{
	struct symbols_source from;
	const struct symbols_source *symbols = recording_symbols(s, r, flight_wants_symbols(r->flight), &from);
	struct error why;

	flight_switched_off(r->flight, r->events.is_set ? record_events_off(s, &r->events) : r->events.off);
	if (!flight_save(r->flight, dir, symbols, saved, &why, err))
		return false;
	if (*why.text)
		session_warn(s, "%s lacks a part of the system's state: %s", dir, why.text);
	return true;
}

/* The recording goes on also if the snapshot cannot be written. */
static void save_on_signal(struct session *s, struct recording *r)
{
	AUTO_FREE char *dir = free_name(r->dir, false);
	struct flight_saved saved;
	struct error why;

	asked = 0;
	progress_erase(s->messages);
	if (save(s, r, dir, &saved, &why))
		snapshot_say(s, "snapshot", dir, &saved);
	else
		session_complain(s, NULL, &why);
}

static void save_for(struct session *s, struct recording *r, int connection, const struct remote_ask *ask)
{
	AUTO_FREE char *dir = *ask->dir ? mem_strdup(ask->dir) : free_name(r->dir, false);
	struct remote_answer answer = { .failed = 1 };

	snprintf(answer.dir, sizeof(answer.dir), "%s", dir);
	answer.failed = !save(s, r, dir, &answer.saved, &answer.error);
	remote_answer(connection, &answer);
}

/* --------------------------------------------------------------------- the mode */

static bool flight_begins(struct session *s, struct recording *r, struct error *err)
{
	char *dir = path_absolute(r->dir);
	struct reader *reader;
	struct error why;

	free(r->dir);
	r->dir = dir;
	if (!flight_writable(r->dir, err) || !(reader = reader_create(r->dev, err)))
		return false;
	r->flight = flight_create(r->dev, reader);
	flight_form(r->flight, &r->form);
	if (r->tasks)
		flight_confine(r->flight, r->tasks);
	r->listener = remote_listen(r->name, &why);
	if (r->listener < 0) {
		session_warn(s, "%s", why.text);
		r->listener = 0;
	}
	catch_signal();
	return true;
}

static bool flight_learns(struct recording *r, uint32_t id, const struct desc *planned, struct error *err)
{
	return flight_add(r->flight, id, planned, err);
}

static bool flight_starts(struct session *s, struct recording *r, struct error *err)
{
	if (!flight_begin(r->flight, r->with_state, err))
		return false;
	session_note(s, "recording: 'ktrace snapshot %s' writes what it has; Ctrl-C ends it", r->name);
	notify_ready();
	return true;
}

static bool flight_goes_on(struct session *s, struct recording *r, struct progress *progress, struct error *err)
{
	struct remote_ask ask;
	bool frozen;
	int fd;

	if (asked)
		save_on_signal(s, r);
	while (r->listener > 0 && (fd = remote_take(r->listener, &ask)) >= 0)
		save_for(s, r, fd, &ask);
	if (!flight_progress(r->flight, &progress->hits, &progress->lost, &frozen, err))
		return false;
	if (frozen && r->events.is_set)
		session_note(s, "a tracepoint with FREEZE has ended the recording");
	progress->enough = frozen || device_is_stopped(&s->dev);
	return true;
}

static bool flight_ends(struct session *s, struct recording *r, struct error *err)
{
	AUTO_FREE char *dir = free_name(r->dir, true);
	const int signal = interrupt_begin_anew();
	struct flight_saved saved;
	const bool ok = save(s, r, dir, &saved, err);

	interrupt_go_back(signal);
	if (!ok)
		return false;
	snapshot_say(s, "recorded", dir, &saved);
	return true;
}

static void flight_fails(struct session *s, struct recording *r)
{
}

static void flight_is_over(struct recording *r)
{
	if (!r->flight)
		return;
	sigaction(SIGUSR1, &before, NULL);
	if (r->listener > 0)
		close(r->listener);
	flight_free(r->flight);
}

const struct record_mode record_flight = {
	.name = "flight", .ring_mode = KT_MODE_OVERWRITE,
	.create = flight_begins, .add = flight_learns, .begin = flight_starts, .round = flight_goes_on,
	.finish = flight_ends, .fail = flight_fails, .release = flight_is_over,
};
