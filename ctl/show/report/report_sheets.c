// SPDX-License-Identifier: GPL-2.0-or-later
/* report_sheets.c - the figures of a measurement as sheets, for every format: docs/measure.md, docs/measure.schema.json. */
#include <string.h>

#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/report_int.h"

/* --------------------------------------------------------------------- figures */

static void add_figure(struct sheet *sheet, const struct measurement *m, const struct measure_field *field, const char *key,
		       const char *heading)
{
	struct cell *cell;

	if (!field->is_time) {
		cell_number(sheet, key, heading, field->get(m));
		return;
	}
	cell = cell_time(sheet, key, heading, field->get(m));
	cell->known = measure_known(m, field);
	cell->few = measure_few(m, field);
}

/* A time that is not known is not computed either. */
static void add_time(struct sheet *sheet, const char *key, bool is_known, double ns)
{
	cell_time(sheet, key, NULL, is_known ? ns : 0)->known = is_known;
}

void add_summary(struct sheet *sheet, const struct measurement *m)
{
	static const char *const columns[] = { "mean", "p50", "p99", "max", "total" };

	cell_number(sheet, NULL, "count", m->all.count);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		add_figure(sheet, m, measure_field_find(columns[i]), NULL, columns[i]);
}

/* A figure of the whole measurement, not of a group or a line. */
static bool is_of_all(const struct measure_field *field)
{
	return !strcmp(field->key, "unpaired") || !strcmp(field->key, "lost");
}

/* A group or a line.  Lines have no histogram; figures that need one are left out. */
static void add_part(struct sheet *sheet, const struct report *r, const struct samples *s, uint64_t count)
{
	const struct measurement view = measure_view(r->m, s);

	cell_number(sheet, "count", NULL, count);
	for (const struct measure_field *field = measure_fields + 1; field->name; field++) {
		if (is_of_all(field))
			continue;
		add_figure(sheet, &view, field, field->key, NULL);
		sheet->cells[sheet->nr_cells - 1].absent = field->of_histogram && !s->buckets;
	}
}

/* s NULL: the report has no calls of this kind. */
static void add_samples(struct sheet *sheet, const struct report *r, const char *key, const struct samples *s)
{
	static const struct samples none;
	struct sheet part = { .key = key, .form = SHEET_OBJECT };

	sheet_row(&part);
	add_part(&part, r, s ? s : &none, s ? s->count : 0);
	cell_sheet(sheet, &part)->known = s;
}

/* ---------------------------------------------------------------------- tables */

static void add_group(struct sheet *sheet, const struct report *r, const char *key, const struct samples *s)
{
	const struct measurement view = measure_view(r->m, s);

	sheet_row(sheet);
	cell_text(sheet, "key", r->m->by ? r->m->by : "", key);
	add_part(sheet, r, s, s->count);
	add_summary(sheet, &view);
}

struct sheet report_groups(const struct report *r, bool others)
{
	struct sheet sheet = { .key = "groups" };

	for (size_t i = 0; i < r->m->nr_groups; i++)
		add_group(&sheet, r, r->m->groups[i].key, &r->m->groups[i].samples);
	if (others && r->m->nr_groups && r->m->others.count)
		add_group(&sheet, r, "(others)", &r->m->others);
	return sheet;
}

/* What stands behind the figures of a line. */
static void add_source(struct sheet *sheet, const struct measurement *m, const struct line *line)
{
	cell_text_as(sheet, CELL_SOURCE, NULL, is_of_lines(m) ? "source" : "tracepoint",
		     line->text ? line->text : line->inlined ? line->inlined : "");
}

/* The columns that people see. */
static void add_listed(struct sheet *sheet, const struct measurement *m, const struct line *line)
{
	const bool is_timed = m->kind == MEASURE_LINES;
	char text[DURATION_SIZE];

	cell_text(sheet, NULL, "file", line->file);
	cell_id(sheet, NULL, "line", line->number);
	cell_text_as(sheet, CELL_RIGHT, NULL, "count", line_count_text(line, text));
	cell_time(sheet, NULL, is_timed ? "mean" : NULL, measure_ns(m, samples_mean(&line->samples)));
	cell_part(sheet, "share", is_timed ? "time" : NULL, line_share(m, line))->known = !line->samples.is_count;
}

static void add_line(struct sheet *sheet, const struct report *r, const struct line *line)
{
	static const struct samples none;
	const bool is_timed = r->m->kind == MEASURE_LINES, is_count = line->samples.is_count;

	sheet_row(sheet);
	cell_text(sheet, "file", NULL, *line->file ? line->file : NULL);
	cell_id(sheet, "line", NULL, line->number);
	cell_text(sheet, "text", NULL, line->text);
	cell_text(sheet, "inlined", NULL, line->inlined);
	cell_number(sheet, "refused", NULL, line->nr_refused);
	add_part(sheet, r, is_timed ? &line->samples : &none, line->samples.count);
	add_listed(sheet, r->m, line);
	cell_boolean(sheet, "at_least", NULL, line->is_least)->absent = !is_count;
	cell_boolean(sheet, "repeats", NULL, line->repeats)->absent = !is_count;
	add_samples(sheet, r, "left", is_timed ? &line->out : NULL);
	add_samples(sheet, r, "others", r->m->only_if ? &line->other : NULL);
	add_samples(sheet, r, "others_left", r->m->only_if ? &line->other_out : NULL);
	add_source(sheet, r->m, line);
}

struct sheet report_listing(const struct report *r)
{
	struct sheet sheet = { .key = "lines" };

	for (size_t i = 0; i < r->m->nr_lines; i++)
		add_line(&sheet, r, &r->m->lines[i]);
	return sheet;
}

struct sheet report_exits(const struct measurement *m, bool others)
{
	struct sheet sheet = { .key = "exits" };

	for (size_t i = 0; i < m->nr_lines; i++) {
		const struct line *line = &m->lines[i];
		const struct samples *s = others ? &line->other_out : &line->out;

		if (!s->count)
			continue;
		sheet_row(&sheet);
		cell_text(&sheet, NULL, "file", line->file);
		cell_id(&sheet, NULL, "line", line->number);
		cell_number(&sheet, NULL, "calls", s->count);
		cell_time(&sheet, NULL, "mean", measure_ns(m, samples_mean(s)));
		cell_time(&sheet, NULL, "max", measure_ns(m, s->max));
		add_source(&sheet, m, line);
	}
	return sheet;
}

struct sheet report_outliers(const struct measurement *m)
{
	struct sheet sheet = { .key = "outliers" };

	for (size_t i = 0; i < m->nr_outliers; i++) {
		const struct outlier *o = &m->outliers[i];
		AUTO_FREE char *record = o->json ? mem_strndup(o->json, strcspn(o->json, "\n")) : NULL;

		sheet_row(&sheet);
		cell_time(&sheet, "duration_ns", "time", measure_ns(m, o->duration));
		cell_time(&sheet, "after_ns", "at", measure_ns(m, o->end - m->began));
		cell_id(&sheet, "cpu", "cpu", o->cpu);
		cell_text_as(&sheet, CELL_SOURCE, NULL, "what was recorded", o->text ? o->text : "");
		cell_text_as(&sheet, CELL_RAW, "record", NULL, record && *record ? record : NULL);
	}
	return sheet;
}

/* ------------------------------------------------------------------------ JSON */

static void add_end(struct sheet *sheet, const char *key, const struct measure_end *end)
{
	struct sheet part = { .key = key, .form = SHEET_OBJECT };

	sheet_row(&part);
	cell_text(&part, "spec", NULL, end->spec);
	cell_text(&part, "where", NULL, end->where);
	cell_number(&part, "places", NULL, end->nr_points);
	cell_text(&part, "method", NULL, end->method);
	cell_sheet(sheet, &part)->known = end->spec;
}

static void add_command(struct sheet *sheet, const struct oneshot *o)
{
	struct sheet words = { .key = "command", .form = SHEET_VALUES };

	for (char **word = o ? o->command : NULL; word && *word; word++) {
		sheet_row(&words);
		cell_text(&words, NULL, NULL, *word);
	}
	cell_sheet(sheet, &words)->known = o && o->command;
}

static void add_request(struct sheet *sheet, const struct report *r)
{
	const struct measurement *m = r->m;

	cell_text(sheet, "name", NULL, m->name);
	cell_text(sheet, "if", NULL, m->only_if);
	cell_text(sheet, "by_key", NULL, m->key);
	cell_boolean(sheet, "across", NULL, m->kind == MEASURE_ACROSS);
	add_command(sheet, r->o);
	add_end(sheet, "from", &m->from);
	add_end(sheet, "to", &m->to);
	cell_text(sheet, "clock", NULL, m->clock);
	cell_real(sheet, "began", NULL, m->began_at);
	cell_time(sheet, "elapsed_ns", NULL, measure_ns(m, m->ended - m->began));
}

static void add_counts(struct sheet *sheet, const struct measurement *m)
{
	struct sheet causes = { .key = "unpaired_by", .form = SHEET_OBJECT };

	sheet_row(&causes);
	for (const struct unpaired_cause *cause = unpaired_causes; cause->key; cause++)
		cell_number(&causes, cause->key, NULL, cause->get(m));
	cell_number(sheet, "entered", NULL, m->entered);
	cell_sheet(sheet, &causes);
	cell_number(sheet, "filtered", NULL, m->filtered);
	cell_number(sheet, "turned_away", NULL, m->turned_away);
	cell_number(sheet, "unmeasured", NULL, m->unmeasured);
	cell_number(sheet, "over_quota", NULL, m->over_quota);
	cell_number(sheet, "filtered_by_task", NULL, m->filtered_by_task);
}

static void add_correction(struct sheet *sheet, const struct measurement *m)
{
	const struct correction *c = &m->correction;
	struct sheet part = { .key = "correction", .form = SHEET_OBJECT };

	sheet_row(&part);
	cell_boolean(&part, "applied", NULL, c->known && !m->raw);
	cell_text(&part, "why_not", NULL, m->raw ? "raw" : c->known ? NULL : c->why);
	cell_boolean(&part, "is_mixed", NULL, c->is_mixed && !m->raw);
	add_time(&part, "cost_ns", c->known, measure_ns(m, c->cost));
	add_time(&part, "cost_low_ns", c->known, measure_ns(m, c->low));
	add_time(&part, "cost_high_ns", c->known, measure_ns(m, c->high));
	add_time(&part, "nested_ns", c->known, measure_ns(m, c->nested));
	cell_number(&part, "clamped", NULL, m->all.clamped);
	add_time(&part, "raw_mean_ns", m->all.count, m->all.count ? measure_ns(m, samples_raw_mean(&m->all)) : 0);
	cell_sheet(sheet, &part)->absent = m->kind == MEASURE_RECORDS || m->kind == MEASURE_LINE_COUNTS;
}

/* Buckets that are not empty; the last one may have no upper end. */
static void add_histogram(struct sheet *sheet, const struct measurement *m, bool named)
{
	struct sheet rows = { .key = "histogram", .form = SHEET_HISTOGRAM, .whole = measure_ns(m, m->all.sum) };

	for (uint32_t i = 0; m->all.buckets && i < KT_HIST_BUCKETS; i++) {
		if (!m->all.buckets[i])
			continue;
		sheet_row(&rows);
		cell_text(&rows, "name", NULL, m->name)->absent = !named;
		cell_time(&rows, "from_ns", NULL, measure_ns(m, kt_hist_low(i)));
		add_time(&rows, "to_ns", i != KT_HIST_OVER, measure_ns(m, kt_hist_low(i) + kt_hist_width(i)));
		cell_number(&rows, "count", NULL, m->all.buckets[i]);
	}
	cell_sheet(sheet, &rows);
}

static void add_tables(struct sheet *sheet, const struct report *r)
{
	struct sheet groups = report_groups(r, false), lines = report_listing(r), outliers = report_outliers(r->m);

	cell_text(sheet, "by", NULL, r->m->by);
	cell_sheet(sheet, &groups);
	add_samples(sheet, r, "others", r->m->others.count ? &r->m->others : NULL);
	cell_sheet(sheet, &lines);
	cell_sheet(sheet, &outliers);
	add_off_cpu(sheet, r->m);
}

static struct sheet report_sheet(const struct report *r)
{
	struct sheet sheet = { .form = SHEET_OBJECT };

	sheet_row(&sheet);
	add_request(&sheet, r);
	for (const struct measure_field *field = measure_fields; field->name; field++)
		add_figure(&sheet, r->m, field, field->key, NULL);
	add_counts(&sheet, r->m);
	add_correction(&sheet, r->m);
	add_histogram(&sheet, r->m, false);
	add_tables(&sheet, r);
	return sheet;
}

void report_json(const struct report *r, FILE *out)
{
	static const char *const types[] = {
		[MEASURE_CALL] = "latency", [MEASURE_INTERVAL] = "latency", [MEASURE_ACROSS] = "latency", [MEASURE_KEYED] = "latency",
		[MEASURE_LINES] = "lines", [MEASURE_LINE_COUNTS] = "line_counts", [MEASURE_RECORDS] = "run",
	};
	AUTO_SHEET struct sheet sheet = report_sheet(r);
	struct json j = { .out = out };

	json_open(&j, NULL);
	json_text(&j, "type", types[r->m->kind]);
	json_number(&j, "v", MEASURE_VERSION);
	sheet_json_row(&sheet, 0, &j);
	json_end(&j);
}

/* ------------------------------------------------------------------------- CSV */

static void add_csv(struct sheet *sheet, const char *type, const char *key, const struct measurement *m)
{
	sheet_row(sheet);
	cell_text_as(sheet, CELL_WORD, "type", NULL, type);
	cell_text(sheet, "key", NULL, key);
	for (const struct measure_field *field = measure_fields; field->name; field++)
		add_figure(sheet, m, field, field->key, NULL);
}

static void add_csv_samples(struct sheet *sheet, const struct report *r, const char *type, const char *key, const struct samples *s)
{
	const struct measurement view = measure_view(r->m, s);

	add_csv(sheet, type, key, &view);
}

/* A line; with --if also in the other calls; and where it was the last one of calls, these. */
static void add_csv_line(struct sheet *sheet, const struct report *r, const struct line *line)
{
	AUTO_FREE char *where = mem_printf("%s:%u", line->file, line->number);

	add_csv_samples(sheet, r, "line", where, &line->samples);
	if (r->m->only_if)
		add_csv_samples(sheet, r, "other_line", where, &line->other);
	if (line->out.count)
		add_csv_samples(sheet, r, "exit", where, &line->out);
	if (line->other_out.count)
		add_csv_samples(sheet, r, "other_exit", where, &line->other_out);
}

void report_csv_rows(const struct report *r, struct sheet *sheet)
{
	const struct measurement *m = r->m;

	add_csv(sheet, "all", m->name, m);
	for (size_t i = 0; i < m->nr_groups; i++)
		add_csv_samples(sheet, r, "group", m->groups[i].key, &m->groups[i].samples);
	if (m->others.count)
		add_csv_samples(sheet, r, "others", "", &m->others);
	for (size_t i = 0; i < m->nr_lines; i++)
		add_csv_line(sheet, r, &m->lines[i]);
}

void report_csv(const struct report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = { 0 };

	/* The report of `run` is its records, which have other columns. */
	if (r->m->kind == MEASURE_RECORDS)
		return;
	report_csv_rows(r, &sheet);
	sheet_csv(&sheet, out);
}

/* ----------------------------------------------------------------- OpenMetrics */

static void add_measured(struct sheet *sheet, const struct measurement *m, const char *key)
{
	sheet_row(sheet);
	cell_text(sheet, "name", NULL, m->name);
	cell_text(sheet, "key", NULL, key);
	for (const struct measure_field *field = measure_fields; field->name; field++)
		add_figure(sheet, m, field, field->key, NULL);
}

/* The calls of each function; of one function also its histogram and its groups. */
void report_metrics_of(const struct measurement *v, size_t n, FILE *out)
{
	AUTO_SHEET struct sheet sheet = { .key = "latency", .form = SHEET_OBJECT };
	struct sheet calls = { .key = "calls" }, groups = { .key = "groups" };

	for (size_t i = 0; i < n; i++)
		add_measured(&calls, &v[i], NULL);
	for (size_t i = 0; n == 1 && i < v->nr_groups; i++) {
		struct measurement view = measure_view(v, &v->groups[i].samples);

		view.name = v->name;
		add_measured(&groups, &view, v->groups[i].key);
	}
	sheet_row(&sheet);
	cell_sheet(&sheet, &calls);
	if (n == 1)
		add_histogram(&sheet, v, true);
	cell_sheet(&sheet, &groups);
	sheet_metrics(&sheet, out);
}

void report_metrics(const struct report *r, FILE *out)
{
	report_metrics_of(r->m, 1, out);
}
