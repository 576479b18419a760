// SPDX-License-Identifier: GPL-2.0-or-later
/* report_json.c - a measurement as one JSON object: docs/measure.md, docs/measure.schema.json. */
#include <string.h>

#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/report_int.h"

static void put_time(struct json *j, const char *key, bool is_known, double ns)
{
	if (is_known)
		json_time(j, key, ns);
	else
		json_null(j, key);
}

static void put_figure(struct json *j, const struct measurement *m, const struct measure_field *field)
{
	if (!field->is_time)
		json_number(j, field->key, field->get(m));
	else
		put_time(j, field->key, measure_known(m, field), field->get(m));
}

/* A figure of the whole measurement, not of a group or a line. */
static bool is_of_all(const struct measure_field *field)
{
	return !strcmp(field->key, "unpaired") || !strcmp(field->key, "lost");
}

/* A group or a line.  Lines have no histogram; figures that need one are left out. */
static void put_part(struct json *j, const struct report *r, const struct samples *s, uint64_t count)
{
	const struct measurement view = measure_view(r->m, s);

	json_number(j, "count", count);
	for (const struct measure_field *field = measure_fields + 1; field->name; field++)
		if (!is_of_all(field) && (s->buckets || !field->of_histogram))
			put_figure(j, &view, field);
}

static void put_end(struct json *j, const char *key, const struct measure_end *end)
{
	if (!end->spec) {
		json_null(j, key);
		return;
	}
	json_open(j, key);
	json_text(j, "spec", end->spec);
	json_text(j, "where", end->where);
	json_number(j, "places", end->nr_points);
	json_text(j, "method", end->method);
	json_close(j);
}

static void put_command(struct json *j, const struct oneshot *o)
{
	if (!o || !o->command) {
		json_null(j, "command");
		return;
	}
	json_open_array(j, "command");
	for (char **word = o->command; *word; word++)
		json_text(j, NULL, *word);
	json_close(j);
}

static void put_unpaired(struct json *j, const struct measurement *m)
{
	json_open(j, "unpaired_by");
	for (const struct unpaired_cause *cause = unpaired_causes; cause->key; cause++)
		json_number(j, cause->key, cause->get(m));
	json_close(j);
}

static void put_correction(struct json *j, const struct measurement *m)
{
	const struct correction *c = &m->correction;

	json_open(j, "correction");
	json_boolean(j, "applied", c->known && !m->raw);
	json_text(j, "why_not", m->raw ? "raw" : c->known ? NULL : c->why);
	json_boolean(j, "is_mixed", c->is_mixed && !m->raw);
	put_time(j, "cost_ns", c->known, measure_ns(m, c->cost));
	put_time(j, "cost_low_ns", c->known, measure_ns(m, c->low));
	put_time(j, "cost_high_ns", c->known, measure_ns(m, c->high));
	put_time(j, "nested_ns", c->known, measure_ns(m, c->nested));
	json_number(j, "clamped", m->all.clamped);
	put_time(j, "raw_mean_ns", m->all.count, m->all.count ? measure_ns(m, samples_raw_mean(&m->all)) : 0);
	json_close(j);
}

/* Buckets that are not empty; the last one may have no upper end. */
static void put_histogram(struct json *j, const struct measurement *m)
{
	json_open_array(j, "histogram");
	for (uint32_t i = 0; m->all.buckets && i < KT_HIST_BUCKETS; i++) {
		if (!m->all.buckets[i])
			continue;
		json_open(j, NULL);
		json_time(j, "from_ns", measure_ns(m, kt_hist_low(i)));
		put_time(j, "to_ns", i != KT_HIST_OVER, measure_ns(m, kt_hist_low(i) + kt_hist_width(i)));
		json_number(j, "count", m->all.buckets[i]);
		json_close(j);
	}
	json_close(j);
}

static void put_groups(struct json *j, const struct report *r)
{
	const struct measurement *m = r->m;

	json_open_array(j, "groups");
	for (size_t i = 0; i < m->nr_groups; i++) {
		json_open(j, NULL);
		json_text(j, "key", m->groups[i].key);
		put_part(j, r, &m->groups[i].samples, m->groups[i].samples.count);
		json_close(j);
	}
	json_close(j);
	if (!m->others.count) {
		json_null(j, "others");
		return;
	}
	json_open(j, "others");
	put_part(j, r, &m->others, m->others.count);
	json_close(j);
}

/* s is NULL if the report has no calls of this kind: then the value is null. */
static void put_samples(struct json *j, const struct report *r, const char *key, const struct samples *s)
{
	if (!s) {
		json_null(j, key);
		return;
	}
	json_open(j, key);
	put_part(j, r, s, s->count);
	json_close(j);
}

static void put_lines(struct json *j, const struct report *r)
{
	static const struct samples none;
	const bool is_timed = r->m->kind == MEASURE_LINES;

	json_open_array(j, "lines");
	for (size_t i = 0; i < r->m->nr_lines; i++) {
		const struct line *line = &r->m->lines[i];

		json_open(j, NULL);
		json_text(j, "file", *line->file ? line->file : NULL);
		json_signed(j, "line", line->number);
		json_text(j, "text", line->text);
		json_text(j, "inlined", line->inlined);
		json_number(j, "refused", line->nr_refused);
		put_part(j, r, is_timed ? &line->samples : &none, line->samples.count);
		put_time(j, "share", !line->samples.is_count, line_share(r->m, line));
		if (line->samples.is_count) {
			json_boolean(j, "at_least", line->is_least);
			json_boolean(j, "repeats", line->repeats);
		}
		put_samples(j, r, "left", is_timed ? &line->out : NULL);
		put_samples(j, r, "others", r->m->only_if ? &line->other : NULL);
		put_samples(j, r, "others_left", r->m->only_if ? &line->other_out : NULL);
		json_close(j);
	}
	json_close(j);
}

static void put_outliers(struct json *j, const struct measurement *m)
{
	json_open_array(j, "outliers");
	for (size_t i = 0; i < m->nr_outliers; i++) {
		const struct outlier *o = &m->outliers[i];
		AUTO_FREE char *record = o->json ? mem_strndup(o->json, strcspn(o->json, "\n")) : NULL;

		json_open(j, NULL);
		json_time(j, "duration_ns", measure_ns(m, o->duration));
		json_time(j, "after_ns", measure_ns(m, o->end - m->began));
		json_signed(j, "cpu", o->cpu);
		json_raw(j, "record", record && *record ? record : "null");
		json_close(j);
	}
	json_close(j);
}

void report_json(const struct report *r, FILE *out)
{
	static const char *const types[] = {
		[MEASURE_CALL] = "latency", [MEASURE_INTERVAL] = "latency", [MEASURE_ACROSS] = "latency", [MEASURE_KEYED] = "latency",
		[MEASURE_LINES] = "lines", [MEASURE_LINE_COUNTS] = "line_counts", [MEASURE_RECORDS] = "run",
	};
	const struct measurement *m = r->m;
	struct json j = { .out = out };

	json_open(&j, NULL);
	json_text(&j, "type", types[m->kind]);
	json_number(&j, "v", MEASURE_VERSION);
	json_text(&j, "name", m->name);
	json_text(&j, "if", m->only_if);
	json_text(&j, "by_key", m->key);
	json_boolean(&j, "across", m->kind == MEASURE_ACROSS);
	put_command(&j, r->o);
	put_end(&j, "from", &m->from);
	put_end(&j, "to", &m->to);
	json_text(&j, "clock", m->clock);
	json_real(&j, "began", m->began_at);
	json_time(&j, "elapsed_ns", measure_ns(m, m->ended - m->began));
	for (const struct measure_field *field = measure_fields; field->name; field++)
		put_figure(&j, m, field);
	json_number(&j, "entered", m->entered);
	put_unpaired(&j, m);
	json_number(&j, "filtered", m->filtered);
	json_number(&j, "turned_away", m->turned_away);
	json_number(&j, "unmeasured", m->unmeasured);
	json_number(&j, "over_quota", m->over_quota);
	json_number(&j, "filtered_by_task", m->filtered_by_task);
	if (m->kind != MEASURE_RECORDS && m->kind != MEASURE_LINE_COUNTS)
		put_correction(&j, m);
	put_histogram(&j, m);
	json_text(&j, "by", m->by);
	put_groups(&j, r);
	put_lines(&j, r);
	put_outliers(&j, m);
	report_off_cpu_json(&j, m);
	json_end(&j);
}
