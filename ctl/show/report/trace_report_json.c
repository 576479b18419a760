// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_report_json.c - where the time of a recording went, as JSON and CSV: docs/report.md. */
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/show/report/trace_report.h"

static void put_sheet(struct json *j, const struct trace_report *r, enum report_by by)
{
	AUTO_SHEET struct sheet sheet = trace_sheet(r, by);

	sheet_json(&sheet, j);
}

static void put_known(struct json *j, const char *key, bool known, double ns)
{
	if (known)
		json_time(j, key, ns);
	else
		json_null(j, key);
}

static void put_percentile(struct json *j, const struct trace_report *r, const struct samples *s, const char *name,
			   const char *key)
{
	double ns = 0;
	const bool known = trace_percentile(r, s, name, &ns);

	put_known(j, key, known, ns);
}

static void put_latency(struct json *j, const struct trace_report *r)
{
	const struct samples none = { 0 }, *s = r->live && (r->a->lost || r->braked) ? &none : &r->a->latency;

	json_open(j, "latency");
	if (s == &none)
		json_null(j, "count");
	else
		json_number(j, "count", s->count);
	put_known(j, "mean_ns", s->count, samples_mean(s) * r->ns_per_tick);
	put_percentile(j, r, s, "p50", "p50_ns");
	put_percentile(j, r, s, "p99", "p99_ns");
	put_known(j, "max_ns", s->count, s->max * r->ns_per_tick);
	json_close(j);
}

static void put_system(struct json *j, const struct trace_report *r)
{
	AUTO_SHEET struct sheet sheet = trace_system_sheet(r);

	sheet_json(&sheet, j);
}

static void put_note(void *arg, const char *text)
{
	json_text(arg, NULL, text);
}

static bool is_shown(const struct trace_report *r, enum report_by by)
{
	return r->by ? r->by == by : by != BY_CRITICAL;
}

/* The tables that are empty, or without times, because their events were not recorded. */
static void put_lacks(struct json *j, const struct trace_report *r)
{
	json_open_array(j, "not_recorded");
	for (enum report_by by = BY_PROCESS; by < NR_BYS; by++) {
		struct sheet sheet;

		if (!is_shown(r, by) || !trace_lacks(r, by))
			continue;
		sheet = trace_sheet(r, by);
		json_text(j, NULL, sheet.key);
		sheet_free(&sheet);
	}
	json_close(j);
}

static void put_empty(struct json *j, const struct trace_report *r, enum report_by by)
{
	AUTO_FREE char *text = trace_lacks(r, by) ? trace_empty(r, by, 0) : NULL;

	if (text)
		json_text(j, NULL, text);
}

void trace_report_json(const struct trace_report *r, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL);
	json_text(&j, "type", r->live ? "top" : "report");
	json_number(&j, "v", TRACE_REPORT_VERSION);
	if (!r->live)
		json_text(&j, "directory", r->dir);
	json_text(&j, "host", r->host);
	json_text(&j, "kernel", r->kernel);
	if (r->tasks)
		json_text(&j, "tasks", r->tasks);
	json_real(&j, "began", r->began);
	json_time(&j, "length_ns", analysis_length(r->a) * r->ns_per_tick);
	json_number(&j, "events_recorded", r->a->events);
	if (!r->live)
		json_number(&j, "events_in_all", r->recorded > r->a->events ? r->recorded : r->a->events);
	json_number(&j, "lost", r->a->lost);
	json_number(&j, "braked", r->braked);
	if (!r->live)
		json_number(&j, "off", r->off);
	put_system(&j, r);
	put_latency(&j, r);
	for (enum report_by by = BY_PROCESS; by < NR_BYS; by++)
		if (is_shown(r, by))
			put_sheet(&j, r, by);
	put_lacks(&j, r);
	json_open_array(&j, "notes");
	trace_notes(r, put_note, &j);
	for (enum report_by by = BY_PROCESS; by < NR_BYS; by++)
		if (is_shown(r, by))
			put_empty(&j, r, by);
	json_close(&j);
	json_end(&j);
}

/* A figure that is not known is an empty field. */
void trace_report_csv(const struct trace_report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = trace_sheet(r, r->by ? r->by : BY_PROCESS);

	sheet_csv(&sheet, out);
}
