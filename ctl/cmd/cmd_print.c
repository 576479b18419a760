// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_print.c - print, clear and follow the records. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/records/clockmap.h"
#include "ctl/session/brake.h"
#include "ctl/cmd/cmd_follow.h"
#include "ctl/cmd/command.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/records/print.h"
#include "ctl/saved/saved.h"

/* Shortest round of `follow`: at high rates it wakes up no more often. */
#define ROUND_MS	50
/* Longest single sleep. */
#define MAX_SLEEP_MS	3600000
/* How often in a row another controller may clear records while we print them. */
#define MAX_STALE	3
/* A follower that prefers many records waits for that many packets, for at most MAX_WAIT_MS. */
#define PACKETS(dev)	((dev)->hello.nr_subbufs / 4)
#define MAX_WAIT_MS	250
/* Records printed and cleared in one go. */
#define PART	256

/* ------------------------------------------------------------------- view */

/* A printer, and its newest clock. */
struct view {
	struct printer *printer;
	struct clockmap *map;
	bool nameless;		/* there are no symbols: do not try in every round */
};

static struct view view_open(struct session *s)
{
	return (struct view){
		.printer = printer_create(s->out, s->format, s->colour),
	};
}

static void view_close(struct view *view)
{
	printer_free(view->printer);
	clockmap_free(view->map);
}

static bool view_clock(struct session *s, struct view *view, struct error *err)
{
	AUTO_FREE struct kt_anchor *anchors = NULL;
	struct kt_clock clock;
	struct clockmap *map;

	if (!device_clock(&s->dev, &clock, &anchors, err))
		return false;
	map = clockmap_create(&clock, anchors);
	printer_clock(view->printer, map);
	if (view->map)
		clockmap_free(view->map);
	view->map = map;
	return true;
}

static void view_symbols(struct session *s, struct view *view, const struct snapshot *snap)
{
	const struct symtab *tab;

	if (view->nameless || !snapshot_wants_symbols(snap))
		return;
	tab = session_want_symbols(s);
	printer_symbols(view->printer, tab);
	view->nameless = !tab;
}

/* ------------------------------------------------------------------ print */

static bool view_show(struct session *s, struct view *view, const struct snapshot *snap,
		      struct error *err)
{
	if (!view_clock(s, view, err))
		return false;
	view_symbols(s, view, snap);
	printer_snapshot(view->printer, snap);
	if (!interrupt_pending())
		return session_flush(s, err);
	fflush(s->out);
	return error_set(err, STATUS_FAILURE, "interrupted");
}

/*
 * Clear exactly what is printed.  Work in parts: each is printed as a whole, even if a signal arrives
 * meanwhile.
 */
static bool show_part(struct session *s, struct view *view, struct snapshot *snap, size_t from,
		      size_t to, struct error *err)
{
	bool ok;

	interrupt_hold();
	if (interrupt_pending()) {
		interrupt_let();
		return error_set(err, STATUS_FAILURE,
				 "interrupted: records not printed were not cleared");
	}
	printer_part(view->printer, snap, from, to);
	ok = session_flush(s, err);
	interrupt_let();
	return ok && snapshot_clear_first(s->reader, snap, to, err);
}

static bool view_show_clear(struct session *s, struct view *view, struct snapshot *snap,
			    struct error *err)
{
	size_t n = snapshot_count(snap);

	if (!view_clock(s, view, err))
		return false;
	view_symbols(s, view, snap);
	for (size_t at = 0; at < n; at += PART)
		if (!show_part(s, view, snap, at, at + PART < n ? at + PART : n, err))
			return false;
	return true;
}

static bool show_once(struct session *s, bool clear, struct error *err)
{
	struct snapshot *snap;
	struct view view;
	bool ok;

	if (!session_reader(s, err))
		return false;
	snap = reader_snapshot(s->reader, err);
	if (!snap)
		return false;
	view = view_open(s);
	ok = clear ? view_show_clear(s, &view, snap, err) : view_show(s, &view, snap, err);
	view_close(&view);
	snapshot_free(snap);
	return ok;
}

/* ------------------------------------------------------------------ saved */

static bool show_saved_all(struct session *s, struct view *view, struct error *err)
{
	struct snapshot *snap;
	bool ok = true;

	while (ok && (ok = saved_next(s->saved, &snap, err)) && snap) {
		view_symbols(s, view, snap);
		printer_snapshot(view->printer, snap);
		snapshot_free(snap);
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "interrupted");
		ok = session_flush(s, err);
	}
	return ok;
}

/* Print a complete saved trace; the columns are wide enough for all its names. */
static bool show_saved(struct session *s, bool with_state, struct error *err)
{
	const struct trace_info *info = saved_info(s->saved);
	struct view view = view_open(s);
	bool ok;

	view.map = clockmap_create(&info->clock, info->anchors);
	printer_clock(view.printer, view.map);
	printer_state(view.printer, with_state);
	for (size_t i = 0; i < info->nr_events; i++)
		if (with_state || !info->events[i].desc->is_state)
			printer_name(view.printer, info->events[i].desc->name);
	saved_rewind(s->saved);
	ok = show_saved_all(s, &view, err);
	view_close(&view);
	return ok;
}

struct print_order {
	bool state;
};

static const struct flag print_rows[] = {
	{ "--state", NULL, 1, flag_set_true, offsetof(struct print_order, state),
	  .summary = "also what a recording says about the system at its begin" },
	{ .name = NULL },
};

const struct flags print_flags = { print_rows, 1 };

static bool refuse_word(void *to, const char *word, struct error *err)
{
	return error_set(err, STATUS_USAGE, "print %s: not an option: use --state, or nothing", word);
}

bool cmd_print(struct session *s, const struct words *words, struct error *err)
{
	struct print_order order = { 0 };

	if (!flags_parse(s, words, &print_flags, &order, refuse_word, NULL, err))
		return false;
	return s->saved ? show_saved(s, order.state, err) : show_once(s, false, err);
}

bool cmd_printclear(struct session *s, const struct words *words, struct error *err)
{
	return show_once(s, true, err);
}

bool cmd_clear(struct session *s, const struct words *words, struct error *err)
{
	return device_clear_all(&s->dev, NULL, err);
}

/* ----------------------------------------------------------------- follow */

/* Milliseconds until deadline (-1: none), at most `most`. */
static int left_ms(int64_t deadline, int most)
{
	int64_t left = deadline < 0 ? most : deadline - now_ms();

	return left < 0 ? 0 : left > most ? most : (int)left;
}

static bool follow_ends(int64_t deadline)
{
	return interrupt_pending() || (deadline >= 0 && now_ms() >= deadline);
}

/* Continue after another controller has cleared the records, but only MAX_STALE times in a row. */
static bool follow_take(struct session *s, const struct follower *follower, struct snapshot *snap,
			unsigned int *failed, struct error *err)
{
	if (!snapshot_count(snap) || follower->take(s, follower->arg, snap, err)) {
		*failed = 0;
		return true;
	}
	if (interrupt_pending() || !snapshot_stale(snap) || ++*failed > MAX_STALE)
		return false;
	session_note(s, "%s", err->text);
	return true;
}

/* One round; *total counts the records up to this snapshot. */
static bool follow_round(struct session *s, const struct follower *follower, uint64_t *total,
			 unsigned int *failed, struct error *err)
{
	struct snapshot *snap = reader_snapshot(s->reader, err);
	bool ok;

	if (!snap)
		return false;
	*total = snapshot_total(snap);
	ok = follow_take(s, follower, snap, failed, err);
	snapshot_free(snap);
	return ok;
}

static void gather(struct session *s, const struct follower *follower, uint64_t total,
		   int64_t deadline)
{
	if (follower->files)
		device_wait_packets(&s->dev, total, PACKETS(&s->dev),
				    left_ms(deadline, MAX_WAIT_MS));
	else
		interrupt_nap(left_ms(deadline, ROUND_MS));
}

/* Signals are blocked except during this sleep, so that none is missed. */
static void follow_sleep(struct session *s, const struct follower *follower, uint64_t total,
			 int64_t deadline)
{
	interrupt_hold();
	do {
		if (!interrupt_pending())
			gather(s, follower, total, deadline);
	} while (!follow_ends(deadline) &&
		 !device_wait(&s->dev, total, left_ms(deadline, MAX_SLEEP_MS)));
	interrupt_let();
}

bool follow_until(struct session *s, const struct follower *follower, int64_t deadline,
		  struct error *err)
{
	struct brake_watch brake;
	unsigned int failed = 0;
	uint64_t total = 0;
	bool ok = true, last = false;

	brake_watch(s, &brake);
	/* One more round when the time is up takes the records that arrived until then. */
	while (ok) {
		const bool stopped = interrupt_pending();

		ok = follow_round(s, follower, &total, &failed, err);
		brake_say(s, &brake, false);
		if (last || stopped || (interrupt_pending() && !follower->files))
			break;
		if (ok)
			follow_sleep(s, follower, total, deadline);
		last = follow_ends(deadline);
	}
	brake_say(s, &brake, true);
	return ok || interrupt_pending();
}

static bool take(struct session *s, void *arg, struct snapshot *snap, struct error *err)
{
	return view_show_clear(s, arg, snap, err);
}

static bool follow_print(struct session *s, int64_t deadline, struct error *err)
{
	struct view view = view_open(s);
	const struct follower follower = { .take = take, .arg = &view };
	bool ok = follow_until(s, &follower, deadline, err);

	view_close(&view);
	return ok;
}

struct order {
	const char *dir;	/* NULL: print */
	int64_t ms;		/* -1: until Ctrl-C */
};

static const struct flag rows[] = {
	{ "-o", "DIR", 1, flag_set_text, offsetof(struct order, dir), .summary = "save the records in DIR instead of printing them",
	  .values = FLAG_FILES },
	{ .name = NULL },
};

const struct flags follow_flags = { rows, 1 };

static bool take_seconds(void *to, const char *text, struct error *err)
{
	struct order *order = to;
	char *end;
	double seconds = strtod(text, &end);

	if (order->ms >= 0)
		return error_set(err, STATUS_USAGE, "follow: too many arguments: it takes one time: follow [-o DIR] [SECONDS]");
	if (end == text || (*end && strcmp(end, "s")) || !isfinite(seconds) || seconds < 0)
		return error_set(err, STATUS_USAGE,
				 "follow %s: not a time: give seconds, such as 5 or 0.5", text);
	if (seconds > 1e9)
		return error_set(err, STATUS_USAGE, "follow %s: number too large: at most 1e9",
				 text);
	order->ms = (int64_t)(seconds * 1000);
	return true;
}

bool cmd_follow(struct session *s, const struct words *words, struct error *err)
{
	struct order order = { .ms = -1 };
	int64_t deadline;
	bool ok;

	if (!flags_parse(s, words, &follow_flags, &order, take_seconds, NULL, err) || !session_reader(s, err))
		return false;
	deadline = order.ms < 0 ? -1 : now_ms() + order.ms;
	interrupt_catch();
	ok = order.dir ? follow_save(s, order.dir, deadline, err) : follow_print(s, deadline, err);
	if (interrupt_by_ctrl_c()) {
		interrupt_clear();
		if (s->interactive)
			fputs("^C\n", s->out);
	}
	interrupt_release();
	return ok;
}
