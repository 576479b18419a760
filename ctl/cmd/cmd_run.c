// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_run.c - run: trace a command and its children, and print the records at its end. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/base/now.h"
#include "ctl/cmd/command.h"
#include "ctl/device/desc.h"
#include "ctl/measure/gone.h"
#include "ctl/records/clockmap.h"
#include "ctl/records/print.h"
#include "ctl/records/record_file.h"
#include "ctl/report/report.h"
#include "ctl/resolve/debuginfo.h"
#include "ctl/session/session_target.h"
#include "ctl/session/trace.h"

#define NOBODY	UINT32_MAX

struct run_state {
	struct words *words;		/* of each `trace` command; the requests point to them */
	size_t nr_words;
	struct requests requests;
	struct plans plans;
	struct kt_site_req *reqs;	/* [plans.n]: the answers */
	struct gone gone;
	bool armed;

	uint32_t *which;		/* [nr_which]: plan by descriptor id, or NOBODY */
	size_t nr_which;
	uint64_t *hits;			/* [plans.n]: records of each plan */
	struct reader *reader;
	struct record_file *kept;
	uint64_t count, lost, most;
	struct kt_clock clock;
	struct kt_anchor *anchors;
	struct measurement m;
	struct timeline timeline;
};

/* -------------------------------------------------------------- what to trace */

static bool only_trace(const char *text, struct error *err)
{
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

static void add_number(struct request *request, const char *option, uint64_t value)
{
	request_use(request, option, mem_printf("%llu", (unsigned long long)value));
}

static bool has_option(const struct request *request, const char *option)
{
	for (size_t i = 0; i < request->nr_uses; i++)
		if (!strcmp(request->uses[i].option->name, option))
			return true;
	return false;
}

static bool plan(struct session *s, const struct oneshot *o, struct run_state *r, struct error *err)
{
	for (size_t i = 0; i < o->nr_subjects; i++)
		if (!take_text(r, o->subjects[i], err))
			return false;
	if (!r->requests.n)
		return error_set(err, STATUS_USAGE, "run: tracepoints are missing: run 'trace vfs_write PID' -- ls");
	for (size_t i = 0; i < r->requests.n; i++) {
		if (o->pid)
			add_number(&r->requests.v[i], "ONLYTGID", o->pid);
		if (o->count && !has_option(&r->requests.v[i], "LIMIT"))
			add_number(&r->requests.v[i], "LIMIT", o->count);
	}
	session_want_symbols(s);
	if (!trace_plan(s, &r->requests, &r->plans, err))
		return false;
	if (o->command && !s->dry_run)
		plans_flag(&r->plans, KT_DESC_TASKS);
	return true;
}

/* ---------------------------------------------------------------------- arm */

static void name_plan(struct run_state *r, uint32_t plan)
{
	const uint32_t id = r->reqs[plan].id;

	if (r->reqs[plan].refusal)
		return;
	if (id >= r->nr_which) {
		r->which = mem_grow(r->which, id + 1, sizeof(*r->which));
		while (r->nr_which <= id)
			r->which[r->nr_which++] = NOBODY;
	}
	r->which[id] = plan;
}

/* In KT_MODE_DISCARD only cleared records make room, for all readers. */
static bool begin_discarding(struct session *s, struct error *err)
{
	struct kt_cpu_status *cpus;
	struct kt_status status;
	uint64_t pending = 0;

	if (!device_status(&s->dev, &status, &cpus, err))
		return false;
	for (uint32_t i = 0; i < status.nr_cpus; i++)
		pending += cpus[i].pending;
	free(cpus);
	return !pending || error_set(err, STATUS_FAILURE,
				     "the buffer discards new records when it is full, and holds %llu unseen records: 'printclear' them, or 'buffer overwrite'",
				     (unsigned long long)pending);
}

static bool begin_reading(struct session *s, struct run_state *r, struct error *err)
{
	r->kept = record_file_create(err);
	if (!r->kept)
		return false;
	r->reader = reader_create(&s->dev, err);
	if (!r->reader)
		return false;
	return s->dev.hello.features & KT_FEATURE_OVERWRITE ? reader_private(r->reader, err) : begin_discarding(s, err);
}

static bool read_clock(struct session *s, struct run_state *r, uint64_t *now, struct error *err)
{
	free(r->anchors);
	r->anchors = NULL;
	if (!device_clock(&s->dev, &r->clock, &r->anchors, err))
		return false;
	*now = r->clock.now;
	return true;
}

static bool arm(struct session *s, struct oneshot *o, void *arg, struct error *err)
{
	struct run_state *r = arg;

	r->reqs = mem_zalloc(r->plans.n, sizeof(*r->reqs));
	r->hits = mem_zalloc(r->plans.n, sizeof(*r->hits));
	r->most = o->count;
	if (!begin_reading(s, r, err) || !read_clock(s, r, &r->m.began, err))
		return false;
	r->m.began_at = now_wall();
	r->armed = trace_set(s, &r->plans, KT_TRACE_OWNED, r->reqs, err);
	for (size_t i = 0; r->armed && i < r->plans.n; i++)
		name_plan(r, i);
	gone_watch(&r->gone, &r->plans);
	return r->armed;
}

/* -------------------------------------------------------------------- rounds */

static uint32_t plan_of(const struct run_state *r, const struct record *record)
{
	return record->desc->id < r->nr_which ? r->which[record->desc->id] : NOBODY;
}

static bool keep(struct run_state *r, const struct record *record, struct error *err)
{
	uint32_t which = NOBODY;

	if (record->type == RECORD_HIT) {
		which = plan_of(r, record);
		if (which == NOBODY || (r->most && r->count >= r->most))
			return true;
		r->count++;
		r->hits[which]++;
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
	struct snapshot *snap = reader_snapshot(r->reader, err);
	bool ok = snap;

	for (size_t i = 0; ok && i < snapshot_count(snap); i++)
		ok = keep(r, snapshot_at(snap, i), err);
	ok = ok && snapshot_clear(r->reader, snap, err);
	snapshot_free(snap);
	gone_look(&r->gone);
	*progress = (struct progress){ r->count, r->lost, (r->most && r->count >= r->most) || all_gone(r) };
	return ok;
}

static bool disarm(struct session *s, void *arg, struct error *err)
{
	struct run_state *r = arg;

	if (!r->armed)
		return true;
	r->armed = false;
	return trace_remove(s, &r->plans, r->reqs, err) && read_clock(s, r, &r->m.ended, err);
}

/* ------------------------------------------------------------------- printing */

static bool wants_symbols(const struct plans *plans)
{
	for (size_t i = 0; i < plans->n; i++)
		if (desc_wants_symbols(plans->v[i].desc))
			return true;
	return false;
}

static bool print_records(struct session *s, struct run_state *r, struct error *err)
{
	struct printer *printer = printer_create(s->out, s->format, s->colour);
	struct clockmap *map = clockmap_create(&r->clock, r->anchors);
	struct record record;
	uint32_t which;
	bool ok = record_file_rewind(r->kept, err);

	printer_clock(printer, map);
	if (wants_symbols(&r->plans))
		printer_symbols(printer, session_want_symbols(s));
	for (size_t i = 0; i < r->plans.n; i++)
		if (r->hits[i])
			printer_name(printer, r->plans.v[i].desc->name);
	while (ok && !interrupt_pending() && record_file_next(r->kept, &record, &which)) {
		record.desc = which == NOBODY ? NULL : r->plans.v[which].desc;
		printer_record(printer, &record);
	}
	printer_end(printer);
	printer_free(printer);
	clockmap_free(map);
	return ok;
}

static void say_counts(struct session *s, const struct run_state *r)
{
	char count[DURATION_SIZE], lost[DURATION_SIZE], time[DURATION_SIZE];

	session_note(s, "%s record%s in %s", count_text(r->count, count), r->count == 1 ? "" : "s",
		     duration_text(measure_ns(&r->m, r->m.ended - r->m.began), time));
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
		if (which == NOBODY)
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
	r->m.nr_lines = r->timeline.nr = r->plans.n;
	for (size_t i = 0; i < r->plans.n; i++) {
		const struct plan *plan = &r->plans.v[i];
		struct line *line = &r->m.lines[i];
		const char *colon;

		r->timeline.series[i].name = mem_strdup(plan->desc->name);
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
	if (!fill(s, r, err))
		return false;
	interrupt_catch();
	if (!print_records(s, r, err)) {
		interrupt_release();
		return false;
	}
	interrupt_clear();
	interrupt_release();
	gone_say(s, &r->gone, &r->plans);
	if (s->format == PRINT_TEXT)
		say_counts(s, r);
	return session_flush(s, err) && report_show(s, o, &r->m, &r->timeline, err);
}

/* ------------------------------------------------------------------------ run */

static void drop(struct run_state *r)
{
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
	free(r->m.name);
	free(r->m.all.buckets);
	free(r->timeline.series);
	free(r->words);
	gone_free(&r->gone);
	free(r->reqs);
	free(r->hits);
	free(r->which);
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
	struct run_state r = { 0 };
	struct oneshot o;
	bool ok = oneshot_parse(s, words, &run_flags, &o, err) && session_connect(s, err) && plan(s, &o, &r, err);

	if (ok)
		ok = s->dry_run ? trace_try(s, &r.plans, err) : measure(s, &o, &r, err);
	drop(&r);
	oneshot_free(&o);
	return ok;
}
