// SPDX-License-Identifier: GPL-2.0-or-later
/* report_json.c - a measurement as one JSON object: docs/measure.md, docs/measure.schema.json. */
#include <math.h>

#include "ctl/json_out.h"
#include "ctl/memory.h"
#include "ctl/report_int.h"

static void put(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static void put_text(struct json_object *to, const char *key, const char *value)
{
	put(to, key, value ? json_object_new_string(value) : NULL);
}

/* A picosecond is less than any clock tells. */
static struct json_object *new_time(double ns)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", ns);
	return json_object_new_double_s(ns, text);
}

static void put_figures(struct json_object *to, const struct measurement *m)
{
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		if (!field->is_time)
			put(to, field->key, json_object_new_uint64(field->get(m)));
		else
			put(to, field->key, measure_known(m, field) ? new_time(field->get(m)) : NULL);
	}
}

/* Lines have no histogram: what comes from it is left out. */
static void put_samples(struct json_object *to, const struct report *r, const struct samples *s)
{
	const struct measurement view = measure_view(r->m, s);

	put_figures(to, &view);
	json_object_object_del(to, "unpaired");
	json_object_object_del(to, "lost");
	for (const struct measure_field *field = measure_fields; field->name; field++)
		if (field->of_histogram && !s->buckets)
			json_object_object_del(to, field->key);
}

static struct json_object *new_end(const struct measure_end *end)
{
	struct json_object *to;

	if (!end->spec)
		return NULL;
	to = json_object_new_object();
	put_text(to, "spec", end->spec);
	put_text(to, "where", end->where);
	put(to, "places", json_object_new_uint64(end->nr_places));
	put_text(to, "method", end->method);
	return to;
}

static struct json_object *new_command(const struct oneshot *o)
{
	struct json_object *to;

	if (!o || !o->command)
		return NULL;
	to = json_object_new_array();
	for (char **word = o->command; *word; word++)
		json_object_array_add(to, json_object_new_string(*word));
	return to;
}

static struct json_object *new_unpaired(const struct measurement *m)
{
	struct json_object *to = json_object_new_object();

	for (const struct unpaired_cause *cause = unpaired_causes; cause->key; cause++)
		put(to, cause->key, json_object_new_uint64(cause->get(m)));
	return to;
}

static struct json_object *new_correction(const struct measurement *m)
{
	struct json_object *to = json_object_new_object();
	const struct correction *c = &m->correction;

	put(to, "applied", json_object_new_boolean(c->known && !m->raw));
	put_text(to, "why_not", m->raw ? "raw" : c->known ? NULL : c->why);
	put(to, "cost_ns", c->known ? new_time(measure_ns(m, c->cost)) : NULL);
	put(to, "cost_low_ns", c->known ? new_time(measure_ns(m, c->low)) : NULL);
	put(to, "cost_high_ns", c->known ? new_time(measure_ns(m, c->high)) : NULL);
	put(to, "nested_ns", c->known ? new_time(measure_ns(m, c->nested)) : NULL);
	put(to, "clamped", json_object_new_uint64(m->all.clamped));
	put(to, "raw_mean_ns", m->all.count ? new_time(measure_ns(m, samples_raw_mean(&m->all))) : NULL);
	return to;
}

/* Buckets that are not empty; the last one may have no end. */
static struct json_object *new_histogram(const struct measurement *m)
{
	struct json_object *to = json_object_new_array();

	for (uint32_t i = 0; m->all.buckets && i < KT_HIST_BUCKETS; i++) {
		struct json_object *bucket;
		uint64_t end;

		if (!m->all.buckets[i])
			continue;
		bucket = json_object_new_object();
		end = kt_hist_low(i) + kt_hist_width(i);
		put(bucket, "from_ns", new_time(measure_ns(m, kt_hist_low(i))));
		put(bucket, "to_ns", i == KT_HIST_OVER ? NULL : new_time(measure_ns(m, end)));
		put(bucket, "count", json_object_new_uint64(m->all.buckets[i]));
		json_object_array_add(to, bucket);
	}
	return to;
}

static struct json_object *new_groups(const struct report *r)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < r->m->nr_groups; i++) {
		struct json_object *group = json_object_new_object();

		put_text(group, "key", r->m->groups[i].key);
		put_samples(group, r, &r->m->groups[i].samples);
		json_object_array_add(to, group);
	}
	return to;
}

static struct json_object *new_lines(const struct report *r)
{
	static const struct samples none;
	const bool is_timed = r->m->kind == MEASURE_LINES;
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < r->m->nr_lines; i++) {
		const struct line *line = &r->m->lines[i];
		struct json_object *one = json_object_new_object();

		put_text(one, "file", *line->file ? line->file : NULL);
		put(one, "line", json_object_new_int64(line->number));
		put_text(one, "text", line->text);
		put_text(one, "inlined", line->inlined);
		put(one, "refused", json_object_new_uint64(line->nr_refused));
		put_samples(one, r, is_timed ? &line->samples : &none);
		put(one, "count", json_object_new_uint64(line->samples.count));
		put(one, "share", new_time(line_share(r->m, line)));
		json_object_array_add(to, one);
	}
	return to;
}

static struct json_object *new_outliers(const struct measurement *m)
{
	struct json_object *to = json_object_new_array();

	for (size_t i = 0; i < m->nr_outliers; i++) {
		const struct outlier *o = &m->outliers[i];
		struct json_object *one = json_object_new_object();

		put(one, "duration_ns", new_time(measure_ns(m, o->duration)));
		put(one, "after_ns", new_time(measure_ns(m, o->end - m->began)));
		put(one, "cpu", json_object_new_int64(o->cpu));
		put(one, "record", o->json ? json_tokener_parse(o->json) : NULL);
		json_object_array_add(to, one);
	}
	return to;
}

static struct json_object *new_others(const struct report *r)
{
	struct json_object *to;

	if (!r->m->others.count)
		return NULL;
	to = json_object_new_object();
	put_samples(to, r, &r->m->others);
	return to;
}

void report_json(const struct report *r, FILE *out)
{
	static const char *const types[] = {
		[MEASURE_CALL] = "latency", [MEASURE_PAIR] = "latency", [MEASURE_ACROSS] = "latency",
		[MEASURE_LINES] = "lines", [MEASURE_RECORDS] = "run",
	};
	const struct measurement *m = r->m;
	struct json_object *o = json_object_new_object();

	put_text(o, "type", types[m->kind]);
	put(o, "v", json_object_new_int(MEASURE_VERSION));
	put_text(o, "name", m->name);
	put(o, "across", json_object_new_boolean(m->kind == MEASURE_ACROSS));
	put(o, "command", new_command(r->o));
	put(o, "from", new_end(&m->from));
	put(o, "to", new_end(&m->to));
	put_text(o, "clock", m->clock);
	put(o, "began", json_object_new_double(m->began_at));
	put(o, "elapsed_ns", new_time(measure_ns(m, m->ended - m->began)));
	put_figures(o, m);
	put(o, "entered", json_object_new_uint64(m->entered));
	put(o, "unpaired_by", new_unpaired(m));
	put(o, "filtered", json_object_new_uint64(m->filtered));
	put(o, "turned_away", json_object_new_uint64(m->turned_away));
	put(o, "surplus", json_object_new_uint64(m->surplus));
	put(o, "elsewhere", json_object_new_uint64(m->elsewhere));
	if (m->kind != MEASURE_RECORDS)
		put(o, "correction", new_correction(m));
	put(o, "histogram", new_histogram(m));
	put_text(o, "by", m->by);
	put(o, "groups", new_groups(r));
	put(o, "others", new_others(r));
	put(o, "lines", new_lines(r));
	put(o, "outliers", new_outliers(m));
	json_line(o, out);
}
