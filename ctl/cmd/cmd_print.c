// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_print.c - print, clear and follow the records. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/live/aggregate/counted.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/cmd/command.h"
#include "ctl/base/fit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/base/number.h"
#include "ctl/base/screen.h"
#include "ctl/trace/print/match.h"
#include "ctl/trace/print/print.h"
#include "ctl/show/runners/saved_runners.h"
#include "ctl/trace/saved/saved.h"
#include "ctl/live/session/follow.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

/* Records printed and cleared in one go. */
#define PART	256

/* ------------------------------------------------------------------- view */

/* A printer, and its newest clock. */
struct view {
	struct printer *printer;
	struct clockmap *map;
	bool nameless;		/* there are no symbols: do not try in every round */
	struct saved_runners *runners;	/* NULL: the tasks that ran are not known */
};

static struct view view_open(struct session *s)
{
	struct view view = { .printer = printer_create(s->out, s->format, s->colour) };
	size_t rows, columns;

	screen_size(&rows, &columns);
	printer_programs(view.printer, session_code(s));
	printer_terminal(view.printer, rows, fit_columns(s->out));
	if (s->format != PRINT_CSV)
		printer_lines(view.printer, session_line, s);
	return view;
}

static void view_close(struct view *view)
{
	printer_free(view->printer);
	clockmap_free(view->map);
	saved_runners_free(view->runners);
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

/* What `print` is to print. */
struct print_order {
	const char *dir;	/* of a saved trace; NULL: the running kernel, or that of -i */
	bool state;
	const char *file;	/* NULL: s->out */
	bool has_range, is_last;
	uint64_t most;
	char *condition;	/* NULL: none */
	struct match *match;
};

/* The last records: leave out those before them. */
static void choose_range(struct view *view, const struct print_order *order, uint64_t n)
{
	const uint64_t skip = order->is_last && n > order->most ? n - order->most : 0;

	if (order->has_range)
		printer_range(view->printer, skip, order->most);
}

/* order NULL: all records. */
static bool show_once(struct session *s, bool clear, const struct print_order *order, struct error *err)
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
	if (order) {
		/* A condition may be on symbols and times. */
		ok = view_clock(s, &view, err);
		view_symbols(s, &view, snap);
		printer_match(view.printer, order->match);
		choose_range(&view, order, ok && order->is_last ? printer_count(view.printer, snap) : 0);
	}
	ok = clear ? view_show_clear(s, &view, snap, err) : view_show(s, &view, snap, err);
	view_close(&view);
	snapshot_free(snap);
	return ok;
}

/* ------------------------------------------------------------------ saved */

/* From the beginning on. */
static void rewind_saved(struct session *s, struct view *view)
{
	saved_rewind(s->saved);
	if (view->runners)
		saved_runners_rewind(view->runners);
}

/* The next snapshot: *snap is NULL at the end. */
static bool view_next(struct session *s, struct view *view, struct snapshot **snap, struct error *err)
{
	if (!saved_next(s->saved, snap, err))
		return false;
	if (!*snap)
		return true;
	view_symbols(s, view, *snap);
	if (view->runners)
		printer_runners(view->printer, saved_runners_next(view->runners, *snap));
	return true;
}

static bool show_saved_all(struct session *s, struct view *view, struct error *err)
{
	struct snapshot *snap;
	bool ok = true;

	while (ok && !printer_done(view->printer) && (ok = view_next(s, view, &snap, err)) && snap) {
		printer_snapshot(view->printer, snap);
		snapshot_free(snap);
		if (interrupt_pending())
			return error_set(err, STATUS_FAILURE, "interrupted");
		ok = session_flush(s, err);
	}
	return ok;
}

/* Read all once: count the records, and reserve the columns for those that are there. */
static bool survey_saved(struct session *s, struct view *view, uint64_t *n, struct error *err)
{
	struct snapshot *snap;
	bool ok = true;

	rewind_saved(s, view);
	for (*n = 0; ok && (ok = view_next(s, view, &snap, err)) && snap; snapshot_free(snap)) {
		*n += printer_count(view->printer, snap);
		printer_expect_all(view->printer, snap);
		if (interrupt_pending())
			ok = error_set(err, STATUS_FAILURE, "interrupted");
	}
	return ok;
}

/* Print a complete saved trace; the columns are wide enough for all its names. */
static bool show_saved(struct session *s, const struct print_order *order, struct error *err)
{
	const struct trace_info *info = saved_info(s->saved);
	const bool with_state = order->state;
	struct view view = view_open(s);
	uint64_t n = 0;
	bool ok;

	view.runners = saved_runners_create(s->saved);
	if (view.runners)
		printer_show_runners(view.printer);
	view.map = trace_clockmap(info);
	printer_clock(view.printer, view.map);
	printer_state(view.printer, with_state);
	/* On a terminal, the names that come get no more room than they need. */
	for (size_t i = 0; s->format == PRINT_TEXT && !fit_columns(s->out) && i < info->nr_events; i++)
		if (with_state || !info->events[i].bare->is_state)
			printer_expect(view.printer, trace_event_named(&info->events[i]));
	printer_match(view.printer, order->match);
	ok = (!order->is_last && s->format != PRINT_CSV) || survey_saved(s, &view, &n, err);
	choose_range(&view, order, n);
	rewind_saved(s, &view);
	ok = ok && show_saved_all(s, &view, err);
	view_close(&view);
	return ok;
}

static const struct flag print_rows[] = {
	{ "-o", "FILE", 1, flag_set_text, offsetof(struct print_order, file), .summary = "print into this file", .values = FLAG_FILES },
	{ "--state", NULL, 1, flag_set_true, offsetof(struct print_order, state),
	  .summary = "also what a recording says about the system at its begin" },
	{ .name = NULL },
};

const struct flags print_flags = { print_rows, 1 };

static bool ends_with_operator(const char *text)
{
	const size_t len = strlen(text);

	return len > 1 && strchr("=~", text[len - 1]) && strchr("=!", text[len - 2]);
}

/* The words behind IF are the condition.  The quotes around a text with blanks are lost by then. */
static void add_condition(struct print_order *order, const char *word)
{
	const char *quote = strpbrk(word, " \t") && ends_with_operator(order->condition) && !strchr(word, '"') ? "\"" : "";
	char *longer = mem_printf("%s%s%s%s%s", order->condition, *order->condition ? " " : "", quote, word, quote);

	free(order->condition);
	order->condition = longer;
}

/* What cannot be a count may be the directory of a trace: with a slash also one that does not exist, and a file. */
static bool is_path(const char *word)
{
	return strchr(word, '/') || !access(word, F_OK);
}

static bool take_print_word(void *to, const char *word, struct error *err)
{
	struct print_order *order = to;
	const bool minus = *word == '-';
	uint64_t number;

	if (order->condition) {
		add_condition(order, word);
		return true;
	}
	if (!strcmp(word, "IF")) {
		order->condition = mem_strdup("");
		return true;
	}
	if (!order->dir && number_count(word + minus, &number) != NUMBER_OK && is_path(word)) {
		order->dir = word;
		return true;
	}
	if (order->has_range || number_count(word + minus, &order->most) != NUMBER_OK || !order->most)
		return error_set(err, STATUS_USAGE, "print %s: not understood: %s", word,
				 isdigit((unsigned char)word[minus]) ? "print 20 is the first 20 records, -20 the last"
								     : "neither a directory nor a number");
	order->has_range = true;
	order->is_last = minus;
	return true;
}

static bool print_chosen(struct session *s, const struct print_order *order, struct error *err)
{
	const bool all = !order->has_range && !order->match;

	if (s->saved)
		return show_saved(s, order, err);
	if (!show_once(s, false, order, err) || (all && !counted_print_all(s, false, err)))
		return false;
	/* The prompt itself says so. */
	if (!s->interactive)
		trace_say_frozen(s, NULL);
	return true;
}

/* Into a file: as without a terminal. */
static bool print_to_file(struct session *s, const struct print_order *order, struct error *err)
{
	FILE *const out = s->out, *file = fopen(order->file, "we");
	const bool colour = s->colour;
	bool ok;

	if (!file)
		return error_set(err, STATUS_FAILURE, "%s: %s: choose another file for -o", order->file, strerror(errno));
	s->out = file;
	s->colour = false;
	ok = print_chosen(s, order, err) && session_flush(s, err);
	s->out = out;
	s->colour = colour;
	if (fclose(file) && ok)
		return error_set(err, STATUS_FAILURE, "%s: %s: choose another file for -o", order->file, strerror(errno));
	return ok;
}

static bool check_names(const struct print_order *order, struct error *err)
{
	return !order->match || match_check(order->match, err);
}

static bool print_provided(struct session *s, const struct print_order *order, struct error *err)
{
	return (order->file ? print_to_file : print_chosen)(s, order, err) && check_names(order, err);
}

static bool print_dir(struct session *s, const struct print_order *order, struct error *err)
{
	const char *dir = order->dir;
	struct session before;
	bool ok;

	if (!session_one_dir(s, "print", &dir, err) || !session_enter_saved(s, dir, &before, err))
		return false;
	ok = print_provided(s, order, err);
	session_leave_saved(s, &before);
	return ok;
}

static bool print_by_order(struct session *s, const struct words *words, struct print_order *order, struct error *err)
{
	if (!flags_parse(s, words, &print_flags, order, take_print_word, NULL, err))
		return false;
	if (order->condition && !(order->match = match_parse(order->condition, err)))
		return false;
	if (order->dir)
		return print_dir(s, order, err);
	return command_provide(s, words, err) && print_provided(s, order, err);
}

bool cmd_print(struct session *s, const struct words *words, struct error *err)
{
	struct print_order order = { 0 };
	const bool ok = print_by_order(s, words, &order, err);

	match_free(order.match);
	free(order.condition);
	return ok;
}

bool cmd_printclear(struct session *s, const struct words *words, struct error *err)
{
	return show_once(s, true, NULL, err) && counted_print_all(s, true, err);
}

bool cmd_clear(struct session *s, const struct words *words, struct error *err)
{
	return device_clear_all(&s->dev, NULL, err) && counted_clear_all(s, err);
}

/* ----------------------------------------------------------------- follow */

struct following {
	struct view view;
	struct counted_course *course;
};

static bool take(struct session *s, void *arg, struct snapshot *snap, struct error *err)
{
	struct following *following = arg;

	return view_show_clear(s, &following->view, snap, err);
}

static bool show_counted(struct session *s, void *arg, struct error *err)
{
	const struct following *following = arg;

	return counted_follow(s, following->course, err);
}

static bool follow_print(struct session *s, int64_t deadline, bool until_frozen, struct error *err)
{
	struct following following = { view_open(s), counted_course_create() };
	const struct follower follower = { .take = take, .each_second = show_counted, .arg = &following,
					  .until_frozen = until_frozen };
	bool ok = follow_until(s, &follower, deadline, err);

	view_close(&following.view);
	counted_course_free(following.course);
	return ok;
}

struct order {
	const char *dir;	/* NULL: print */
	int64_t ms;		/* -1: until Ctrl-C */
	bool until_frozen;
};

static const struct flag rows[] = {
	{ "-o", "DIR", 1, flag_set_text, offsetof(struct order, dir), .summary = "save the records in DIR instead of printing them",
	  .values = FLAG_FILES },
	{ "--until-frozen", NULL, 1, flag_set_true, offsetof(struct order, until_frozen),
	  .summary = "end when a tracepoint with FREEZE was hit" },
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

	if (!flags_parse(s, words, &follow_flags, &order, take_seconds, NULL, err))
		return false;
	if (order.dir && order.until_frozen)
		return error_set(err, STATUS_USAGE, "follow: --until-frozen prints the records: leave out -o");
	if (!command_provide(s, words, err) || !session_reader(s, err))
		return false;
	trace_say_frozen(s, NULL);
	deadline = order.ms < 0 ? -1 : now_ms() + order.ms;
	interrupt_catch();
	ok = order.dir ? follow_save(s, order.dir, deadline, err) : follow_print(s, deadline, order.until_frozen, err);
	if (interrupt_by_ctrl_c()) {
		interrupt_clear();
		if (s->interactive)
			fputs("^C\n", s->out);
	}
	interrupt_release();
	return ok;
}
