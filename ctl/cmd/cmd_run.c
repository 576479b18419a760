// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_run.c - run: trace a command and its children, and print the records at its end. */
#include <stdlib.h>
#include <string.h>

#include "ctl/live/aggregate/counted.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/cmd/command.h"
#include "ctl/base/device/desc.h"
#include "ctl/live/measure/gone.h"
#include "ctl/live/measure/reach.h"
#include "ctl/live/measure/reading.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/reader/record_file.h"
#include "ctl/show/report/report.h"
#include "ctl/ask/resolve/debuginfo.h"
#include "ctl/ask/resolve/source.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"

struct run_state {
	struct words *words;		/* of each `trace` command; the requests point to them */
	size_t nr_words;
	struct requests requests;
	struct plans plans;
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	struct gone gone;
	bool armed;

	struct plan_ids ids;
	uint64_t *hits;			/* [plans.n]: records of each plan */
	struct reader *reader;
	struct record_file *kept;
	uint64_t count, lost, most;
	uint64_t last;			/* print only that many; 0: all */
	bool until_frozen, frozen;	/* end when recording stops; it has stopped */
	const char *filter;		/* see reach_filter() */
	struct reach reach;		/* read if nothing was recorded */
	uint32_t freezer;		/* the plan that has stopped it; PLAN_NONE: not known */
	struct kt_clock clock;
	struct kt_anchor *anchors;
	struct measurement m;
	struct timeline timeline;
};

/* -------------------------------------------------------------- what to trace */

static bool only_trace(const char *text, struct error *err)
{
	if (!strcmp(text, "trace"))
		return error_set(err, STATUS_USAGE, "run trace: put the command in quotes: run 'trace vfs_write PID' -- ls");
	return error_set(err, STATUS_USAGE, "run '%s': it takes trace commands: run 'trace vfs_write PID' -- ls", text);
}

static bool take_trace(struct run_state *r, struct words *words, const char *text, struct error *err)
{
	const struct command *command = command_find(words->v[0], NULL);
	struct requests more;

	if (!command || command->run != cmd_trace || words->n < 2)
		return only_trace(text, err);
	if (!requests_parse(words, 1, &more, err))
		return false;
	requests_append(&r->requests, &more);
	return true;
}

/* Take the commands of one text, and keep their words: the requests point to them. */
static bool take_text(struct run_state *r, const char *text, struct error *err)
{
	const char *at = text;
	enum lex_result result;
	struct words words;

	while ((result = lex_command(&at, &words, err)) == LEX_COMMAND) {
		r->words = MEM_MORE(r->words, r->nr_words);
		r->words[r->nr_words++] = words;
		if (!take_trace(r, &words, text, err))
			return false;
	}
	return result == LEX_END;
}

static bool has_option(const struct request *request, const char *option)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (!strcmp(request->uses[i].option->name, option))
			return true;
	return false;
}

static bool can_freeze(const struct requests *requests)
{
	for (size_t i = 0; i < requests->n; i++)
		if (has_option(&requests->v[i], "FREEZE") || has_option(&requests->v[i], "LATEFREEZE"))
			return true;
	return false;
}

/* --until-frozen: has a hit stopped recording?  Ask before the records are read, so that none is missed. */
static bool look_frozen(struct session *s, struct run_state *r, struct error *err)
{
	struct kt_status status;

	if (!r->until_frozen || r->frozen)
		return true;
	if (!device_status(&s->dev, &status, NULL, err))
		return false;
	r->frozen = status.frozen;
	return true;
}

/* --until-frozen needs a hit that stops recording, and recording that is not stopped already. */
static bool check_frozen(struct session *s, struct run_state *r, const struct oneshot *o, struct error *err)
{
	if (!o->until_frozen)
		return true;
	if (!can_freeze(&r->requests))
		return error_set(err, STATUS_USAGE, "--until-frozen: no tracepoint stops recording: add FREEZE or LATEFREEZE to one, for example FREEZE IF ELAPSED > 1ms");
	r->until_frozen = true;
	if (s->dry_run || !look_frozen(s, r, err))
		return s->dry_run;
	return !r->frozen || error_set(err, STATUS_FAILURE, "--until-frozen: recording is stopped already: 'unfreeze' starts it");
}

static void add_number(struct request *request, const char *option, uint64_t value)
{
	request_use(request, option, mem_printf("%llu", (unsigned long long)value));
}

/* The records of a source line are called by it: "mbox.c:41". */
static void name_line(struct request *request)
{
	const char *number = strrchr(request->address, ':');

	if (number && number[1] >= '0' && number[1] <= '9' && source_names_copies(request->address))
		request->name = request->address;
}

static bool take_texts(const struct oneshot *o, struct run_state *r, struct error *err)
{
	for (size_t i = 0; i < o->nr_subjects; i++)
		if (!take_text(r, o->subjects[i], err))
			return false;
	return r->requests.n ||
	       error_set(err, STATUS_USAGE, "run: tracepoints are missing: run 'trace vfs_write PID' -- ls");
}

static bool plan(struct session *s, const struct oneshot *o, struct run_state *r, struct error *err)
{
	r->filter = reach_filter(&r->requests);
	for (size_t i = 0; i < r->requests.n; i++) {
		name_line(&r->requests.v[i]);
		if (o->pid)
			add_number(&r->requests.v[i], "ONLYTGID", o->pid);
		if (o->count && !has_option(&r->requests.v[i], "LIMIT"))
			add_number(&r->requests.v[i], "LIMIT", o->count);
	}
	r->last = o->last;
	if (!check_frozen(s, r, o, err))
		return false;
	if (!session_begin_symbols(s, err) || !trace_plan(s, &r->requests, &r->plans, err))
		return false;
	for (size_t i = 0; o->count && i < r->plans.n; i++)
		if (r->plans.v[i].desc->aggregate)
			return error_set(err, STATUS_USAGE, "run: --count counts records, and %s has none: leave it out, or give LIMIT",
					 r->plans.v[i].desc->typed);
	if (!oneshot_follows(o))
		plans_leave_out_own(&r->plans);
	else if (!s->dry_run)
		plans_follow(&r->plans);
	return true;
}

/* ---------------------------------------------------------------------- arm */

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct run_state *r = arg;

	r->reqs = mem_zalloc(r->plans.n, sizeof(*r->reqs));
	r->hits = mem_zalloc(r->plans.n, sizeof(*r->hits));
	r->most = o->count;
	r->kept = record_file_create(err);
	r->reader = r->kept ? reading_begin(s, err) : NULL;
	if (!r->reader || !reading_clock(s, &r->clock, &r->anchors, &r->m.began, err))
		return false;
	r->m.began_at = now_wall();
	r->armed = trace_set(s, &r->plans, KT_TRACE_OWNED, r->reqs, err);
	if (r->armed) {
		plan_ids_take(&r->ids, r->reqs, r->plans.n);
		trace_say_frozen(s, &r->plans);
	}
	gone_watch(&r->gone, &r->plans);
	return r->armed;
}

/* -------------------------------------------------------------------- rounds */

static bool keep(const struct record *record, void *arg, struct error *err)
{
	struct run_state *r = arg;
	uint32_t which = PLAN_NONE;

	if (record->type == RECORD_HIT) {
		which = plan_ids_find(&r->ids, record->desc->id);
		if (which == PLAN_NONE || (r->most && r->count >= r->most))
			return true;
		r->count++;
		r->hits[which]++;
		if (r->plans.v[which].desc->control & (KT_DESC_FREEZE | KT_DESC_LATEFREEZE))
			r->freezer = which;
	} else {
		r->lost += record->lost;
	}
	return record_file_add(r->kept, record, which, err);
}

static bool all_gone(const struct run_state *r)
{
	for (size_t i = 0; i < r->plans.n; i++)
		if (!gone_has(&r->gone, i))
			return false;
	return true;
}

static bool round_once(struct session *s, void *arg, struct progress *progress, struct error *err)
{
	struct run_state *r = arg;
	const bool ok = look_frozen(s, r, err) && reading_round(r->reader, keep, r, err);

	gone_look(&r->gone);
	*progress = (struct progress){
		.hits = r->count, .lost = r->lost, .enough = (r->most && r->count >= r->most) || all_gone(r) || r->frozen,
	};
	return ok;
}

/* What --until-frozen has waited for must not go on. */
static bool thaw(struct session *s, struct run_state *r, struct error *err)
{
	return !r->until_frozen || (look_frozen(s, r, err) && (!r->frozen || device_recording(&s->dev, KT_RECORDING_UNFREEZE, err)));
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct run_state *r = arg;

	if (!r->armed)
		return true;
	r->armed = false;
	if (!r->count && !reach_read(s, r->filter, &r->ids, &r->reach, err))
		return false;
	return trace_remove(s, &r->plans, r->reqs, err) && thaw(s, r, err) && reading_clock(s, &r->clock, &r->anchors, &r->m.ended, err);
}

/* ------------------------------------------------------------------- printing */

static bool wants_symbols(const struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		if (desc_wants_symbols(plans->v[i].desc))
			return true;
	return false;
}

/* How the records of a run are printed. */
struct shown {
	FILE *out;
	enum print_format format;
	bool colour;
	uint64_t most;
};

static bool print_records(struct session *s, struct run_state *r, const struct shown *shown, struct error *err)
{
	struct printer *printer = printer_create(shown->out, shown->format, shown->colour);
	struct clockmap *map = clockmap_create(&r->clock, r->anchors);
	uint64_t left_out = r->last && r->last < r->count ? r->count - r->last : 0;
	struct record record;
	uint32_t which;
	bool ok = record_file_rewind(r->kept, err);

	printer_clock(printer, map);
	printer_range(printer, 0, shown->most);
	printer_programs(printer, session_code(s));
	if (fit_columns(shown->out))
		printer_short_names(printer);
	if (shown->format != PRINT_CSV)
		printer_lines(printer, session_line, s);
	if (wants_symbols(&r->plans))
		printer_symbols(printer, session_want_symbols(s));
	for (size_t i = 0; i < r->plans.n; i++)
		if (r->hits[i])
			printer_expect(printer, r->plans.v[i].desc);
	while (ok && !interrupt_pending() && !printer_done(printer) && record_file_next(r->kept, &record, &which)) {
		record.desc = which == PLAN_NONE ? NULL : r->plans.v[which].desc;
		if (!left_out || (which == PLAN_NONE && !r->last))
			printer_record(printer, &record);
		else if (which != PLAN_NONE)
			left_out--;
	}
	printer_end(printer);
	printer_free(printer);
	clockmap_free(map);
	return ok;
}

/* -------------------------------------------------------------------- page */

#define MOST_ON_PAGE	1000

/* The records as a part of the HTML page. */
static bool page_records(struct session *s, struct run_state *r, FILE *page, struct error *err)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	const struct shown shown = { out, PRINT_TEXT, false, MOST_ON_PAGE };
	bool ok;

	if (!out)
		return error_set(err, STATUS_FAILURE, "no memory for a report");
	ok = print_records(s, r, &shown, err);
	fclose(out);
	if (!ok || !r->count)
		return ok;
	fputs("<section>\n<h2>Records</h2>\n<pre id=\"records\">", page);
	escape_html(page, text);
	fputs("</pre>\n", page);
	if (r->count > MOST_ON_PAGE)
		fprintf(page, "<p class=\"dim\">and %llu more</p>\n", (unsigned long long)(r->count - MOST_ON_PAGE));
	fputs("</section>\n", page);
	return true;
}

/* ------------------------------------------------------------------- tables */

static bool counts_with_before(const struct run_state *r, size_t i)
{
	return i && r->reqs[i - 1].aggregate == r->reqs[i].aggregate;
}

/* Each table was made for these tracepoints, and the device holds it until trace_release(). */
static bool print_tables(struct session *s, struct run_state *r, FILE *page, struct error *err)
{
	bool is_first = true, found;

	for (size_t i = 0; i < r->plans.n; i++) {
		struct counted counted;

		if (!r->plans.v[i].desc->aggregate || counts_with_before(r, i))
			continue;
		if (!counted_read(s, r->reqs[i].aggregate, r->plans.v[i].desc, false, &counted, &found, err))
			return false;
		if (found) {
			counted_print(s, &counted, &is_first);
			counted_html(s, &counted, page);
			r->m.counted += counted_hits(&counted) + counted.data.lost + counted.data.unreadable;
		}
		counted_free(&counted);
	}
	return true;
}

static bool show_tables(struct session *s, const struct oneshot *o, struct run_state *r, struct error *err)
{
	size_t len;
	FILE *page = open_memstream(&r->m.tables, &len);
	bool ok;

	if (!page)
		return error_set(err, STATUS_FAILURE, "no memory for a report");
	ok = (!o->html || page_records(s, r, page, err)) && print_tables(s, r, page, err);
	fclose(page);
	return ok;
}

static void say_counts(struct session *s, const struct run_state *r)
{
	char count[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE];

	duration_text(measure_ns(&r->m, r->m.ended - r->m.began), time);
	if (r->frozen)
		session_note(s, "ended: %s stopped recording", r->freezer == PLAN_NONE ? "somebody" : r->plans.v[r->freezer].desc->name);
	else if (r->until_frozen)
		session_note(s, "no hit stopped recording");
	if (r->count || !r->m.counted)
		session_note(s, "%s record%s in %s", count_text(r->count, count), r->count == 1 ? "" : "s", time);
	if (r->m.counted)
		session_note(s, "%s hit%s counted in %s", count_text(r->m.counted, count), r->m.counted == 1 ? "" : "s", time);
	if (r->lost)
		session_note(s, "warning: %s traces lost, because they arrived faster than they were read: enlarge the buffer, for example 'buffer 16M'",
			     count_text(r->lost, lost));
}

/* ----------------------------------------------------------------- the summary */

static void take_gap(struct samples *all, uint64_t gap)
{
	if (!all->count || gap < all->min)
		all->min = gap;
	all->max = gap > all->max ? gap : all->max;
	all->count++;
	all->sum += gap;
	all->squares += (unsigned __int128)gap * gap;
	all->buckets[kt_hist_index(gap)]++;
}

static void take_time(struct run_state *r, uint64_t ticks, uint32_t which)
{
	const uint64_t span = r->m.ended - r->m.began, at = ticks - r->m.began;

	if (ticks >= r->m.began && at <= span)
		r->timeline.series[which].bins[span ? (unsigned __int128)at * (TIMELINE_BINS - 1) / span : 0]++;
}

static bool summarise(struct run_state *r, struct error *err)
{
	struct record record;
	uint64_t last = 0;
	uint32_t which;

	if (!record_file_rewind(r->kept, err))
		return false;
	for (uint64_t n = 0; record_file_next(r->kept, &record, &which);) {
		if (which == PLAN_NONE)
			continue;
		if (n++)
			take_gap(&r->m.all, record.ticks - last);
		last = record.ticks;
		take_time(r, record.ticks, which);
	}
	return true;
}

/* One line for each tracepoint: its place, and its count. */
static void list_points(struct session *s, struct run_state *r)
{
	const struct target target = session_target(s);
	char where[256];

	r->m.lines = mem_zalloc(r->plans.n, sizeof(*r->m.lines));
	r->timeline.series = mem_zalloc(r->plans.n, sizeof(*r->timeline.series));
	r->timeline.nr = r->plans.n;
	for (size_t i = 0; i < r->plans.n; i++) {
		const struct plan *plan = &r->plans.v[i];
		struct line *line = &r->m.lines[r->m.nr_lines];
		const char *colon;

		r->timeline.series[i].name = mem_strdup(plan->desc->name);
		/* What is counted in a table has a line there. */
		if (plan->desc->aggregate)
			continue;
		r->m.nr_lines++;
		addr_info_line(&target, plan->point.addr, where, sizeof(where));
		colon = strrchr(where, ':');
		line->file = colon ? mem_strndup(where, colon - where) : mem_strdup("");
		line->number = colon ? strtoul(colon + 1, NULL, 10) : 0;
		line->text = mem_strdup(plan->desc->name);
		line->samples.count = r->hits[i];
		line->nr_addrs = 0;
	}
}

static char *names(const struct run_state *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return mem_strdup("");
	for (size_t i = 0; i < r->requests.n; i++)
		fprintf(out, "%s%s", i ? ", " : "", r->requests.v[i].address);
	fclose(out);
	return text;
}

static bool fill(struct session *s, struct run_state *r, struct error *err)
{
	struct measurement *m = &r->m;

	m->kind = MEASURE_RECORDS;
	m->name = names(r);
	m->ns_per_tick = (double)r->clock.ns_num / r->clock.ns_den;
	snprintf(m->clock, sizeof(m->clock), "%.15s", r->clock.name);
	m->entered = r->count;
	m->lost = r->lost;
	m->all.buckets = mem_zalloc(KT_HIST_BUCKETS, sizeof(*m->all.buckets));
	list_points(s, r);
	return summarise(r, err);
}

static bool report(struct session *s, const struct oneshot *o, struct run_state *r, struct error *err)
{
	const struct shown shown = { s->out, s->format, s->colour, UINT64_MAX };

	if (!fill(s, r, err))
		return false;
	interrupt_catch();
	if (!print_records(s, r, &shown, err)) {
		interrupt_release();
		return false;
	}
	interrupt_clear();
	interrupt_release();
	if (!show_tables(s, o, r, err))
		return false;
	gone_say(s, &r->gone, &r->plans);
	if (s->format == PRINT_TEXT)
		say_counts(s, r);
	r->m.reach = &r->reach;
	return session_flush(s, err) && report_show(s, o, &r->m, &r->timeline, err);
}

/* ------------------------------------------------------------------------ run */

static void drop(struct session *s, struct run_state *r)
{
	if (r->reqs)
		trace_release(s, &r->plans, r->reqs);
	plans_free(&r->plans);
	requests_free(&r->requests);
	for (size_t i = 0; i < r->nr_words; i++)
		words_free(&r->words[i]);
	for (size_t i = 0; i < r->timeline.nr; i++)
		free(r->timeline.series[i].name);
	for (size_t i = 0; i < r->m.nr_lines; i++) {
		free(r->m.lines[i].file);
		free(r->m.lines[i].text);
	}
	free(r->m.lines);
	free(r->m.tables);
	free(r->m.name);
	free(r->m.all.buckets);
	free(r->timeline.series);
	free(r->words);
	gone_free(&r->gone);
	free(r->reqs);
	free(r->hits);
	plan_ids_free(&r->ids);
	free(r->anchors);
	reader_destroy(r->reader);
	record_file_free(r->kept);
}

static bool measure(struct session *s, struct oneshot *o, struct run_state *r, struct error *err)
{
	const struct oneshot_ops ops = {
		.arm = arm, .round = round_once, .disarm = disarm, .drains = true, .arg = r,
	};

	return oneshot_measure(s, o, &ops, err) && report(s, o, r, err);
}

bool cmd_run(struct session *s, const struct words *words, struct error *err)
{
	struct run_state r = { .freezer = PLAN_NONE };
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &run_flags, &o, err) && take_texts(&o, &r, err) && session_connect(s, err) &&
		  plan(s, &o, &r, err);

	if (ok)
		ok = s->dry_run ? trace_try(s, &r.plans, err) : measure(s, &o, &r, err);
	drop(s, &r);
	oneshot_free(&o);
	return ok;
}
