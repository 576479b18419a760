// SPDX-License-Identifier: GPL-2.0-or-later
/* report_pairing.c - the report of `pairs`: the objects that hits of A began, and no hit of B with the same key ended. */
#include "ctl/show/report/report_pairing.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/fit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json_out.h"
#include "ctl/base/memory.h"
#include "ctl/base/device/desc.h"
#include "ctl/live/measure/fields.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print.h"
#include "ctl/show/report/report.h"
#include "ctl/ask/resolve/function_lines.h"
#include "ctl/live/session/session_target.h"
#include "ctl/live/session/trace.h"
#include "ctl/base/sheet/sheet.h"

#define SHOWN	20	/* begins without an end that are printed: the newest ones */

/* -------------------------------------------------------------------- figures */

/* The times from begin to end, for the figures that the other measurements have, too. */
static struct measurement times_of(const struct pairing_run *p)
{
	return (struct measurement){
		.kind = MEASURE_ACROSS, .all = p->pairing->times, .ns_per_tick = (double)p->clock.ns_num / p->clock.ns_den,
	};
}

static uint64_t open_at(const struct pairing_run *p, size_t i)
{
	return p->points[i].hits - p->points[i].paired - p->points[i].unknown;
}

static int by_open(const void *a, const void *b, void *arg)
{
	const struct pairing_run *p = arg;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	return open_at(p, i) != open_at(p, k) ? (open_at(p, i) < open_at(p, k) ? 1 : -1) : i < k ? -1 : i > k;
}

/* The plans of A: those with the most that was not ended first.  The caller frees the result. */
static size_t *in_order(struct pairing_run *p)
{
	size_t *order = mem_zalloc(p->nr_from + 1, sizeof(*order));

	for (size_t i = 0; i < p->nr_from; i++)
		order[i] = i;
	qsort_r(order, p->nr_from, sizeof(*order), by_open, p);
	return order;
}

/* ----------------------------------------------------------------------- text */

static void print_count(struct session *s, const char *name, uint64_t n, const char *what)
{
	char text[DURATION_SIZE];

	fprintf(s->out, "%-10s%10s%s%s\n", name, count_text(n, text), *what ? "  " : "", what);
}

static void print_times(struct session *s, const struct pairing_run *p)
{
	static const char *const names[] = { "min", "mean", "p50", "p99", "max" };
	const struct measurement m = times_of(p);
	char text[DURATION_SIZE];

	fputs("from begin to end", s->out);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fprintf(s->out, "  %s %s", names[i], measure_text(&m, measure_field_find(names[i]), text));
	fputc('\n', s->out);
}

/* A row for each plan of A. */
static struct sheet points_of(struct session *s, struct pairing_run *p)
{
	AUTO_FREE size_t *order = in_order(p);
	const struct target target = session_target(s);
	struct sheet sheet = { .key = "places" };
	char line[256];

	for (size_t i = 0; i < p->nr_from; i++) {
		const struct plan *plan = &p->plans.v[order[i]];
		const uint64_t open = open_at(p, order[i]), begun = p->points[order[i]].hits;

		sheet_row(&sheet);
		function_line_at(plan_target(plan, &target), plan->point.addr, line, sizeof(line));
		cell_number(&sheet, NULL, "not ended", open);
		cell_number(&sheet, NULL, "begun", begun);
		cell_text_as(&sheet, CELL_NAME, "name", "at", plan->desc->name);
		cell_text(&sheet, NULL, "", line);
		cell_text(&sheet, "where", NULL, *line ? line : NULL);
		cell_number(&sheet, "begun", NULL, begun);
		cell_number(&sheet, "not_ended", NULL, open);
	}
	return sheet;
}

static void print_points(struct session *s, struct pairing_run *p)
{
	AUTO_SHEET struct sheet sheet = points_of(s, p);

	fputc('\n', s->out);
	sheet_print(&sheet, SIZE_MAX, s->out, s->colour);
}

static void print_head(struct session *s, const struct oneshot *o, struct pairing_run *p)
{
	fprintf(s->out, "pairs %s -> %s by %s", p->typed.v[PAIRING_A].address, p->typed.v[PAIRING_B].address, pairing_run_key(o, PAIRING_A));
	if (o->keys[PAIRING_B])
		fprintf(s->out, " and %s", pairing_run_key(o, PAIRING_B));
	fputs("\n\n", s->out);
	print_count(s, "begun", pairing_run_hits(p, PAIRING_A), "");
	print_count(s, "ended", p->pairing->paired, "");
	print_count(s, "not ended", p->pairing->open, "");
	if (p->pairing->unmatched)
		print_count(s, "unmatched", p->pairing->unmatched, "ended, and their begin was not seen");
	if (p->pairing->unreadable[PAIRING_A] + p->pairing->unreadable[PAIRING_B])
		print_count(s, "unknown", p->pairing->unreadable[PAIRING_A] + p->pairing->unreadable[PAIRING_B], "their key could not be read");
	if (p->no_room)
		print_count(s, "no room", p->no_room, "were not paired: too many were open");
	if (p->pairing->paired)
		print_times(s, p);
	fprintf(s->out, "An end ends the newest begin with its key: of its own thread, or else of another.\n");
	print_points(s, p);
}

/* ----------------------------------------------------------------------- JSON */

static void print_json_head(struct session *s, const struct oneshot *o, struct pairing_run *p)
{
	AUTO_SHEET struct sheet points = points_of(s, p);
	const struct measurement m = times_of(p);
	struct json j = { .out = s->out };

	json_open(&j, NULL);
	json_text(&j, "type", "pairs");
	json_number(&j, "v", MEASURE_VERSION);
	json_text(&j, "from", p->typed.v[PAIRING_A].address);
	json_text(&j, "to", p->typed.v[PAIRING_B].address);
	json_text(&j, "by", pairing_run_key(o, PAIRING_A));
	json_text(&j, "to_by", pairing_run_key(o, PAIRING_B));
	json_time(&j, "elapsed_ns", measure_ns(&m, p->ended - p->began));
	json_number(&j, "begun", pairing_run_hits(p, PAIRING_A));
	json_number(&j, "ended", p->pairing->paired);
	json_number(&j, "not_ended", p->pairing->open);
	json_number(&j, "unmatched", p->pairing->unmatched);
	json_number(&j, "unreadable", p->pairing->unreadable[PAIRING_A] + p->pairing->unreadable[PAIRING_B]);
	json_number(&j, "no_room", p->no_room);
	json_number(&j, "lost", p->lost);
	for (const struct measure_field *field = measure_fields; field->name; field++) {
		if (field->is_time && measure_known(&m, field))
			json_time(&j, field->key, field->get(&m));
		else if (field->is_time)
			json_null(&j, field->key);
	}
	sheet_json(&points, &j);
	json_end(&j);
}

/* -------------------------------------------------------------------- records */

/* Print the records with these numbers, in order. */
static bool print_numbers(struct session *s, struct pairing_run *p, const uint64_t *numbers, size_t n, struct error *err)
{
	struct printer *printer = printer_create(s->out, s->format, s->colour);
	struct clockmap *map = clockmap_create(&p->clock, p->anchors);
	struct record record;
	uint32_t which;
	bool ok = record_file_rewind(p->kept, err);

	printer_clock(printer, map);
	printer_symbols(printer, session_want_symbols(s));
	if (fit_columns(s->out))
		printer_short_names(printer);
	for (size_t i = 0; i < p->nr_from; i++)
		if (open_at(p, i))
			printer_expect(printer, p->plans.v[i].desc);
	for (uint64_t at = 0, next = 0; ok && next < n && !interrupt_pending() && record_file_next(p->kept, &record, &which); at++) {
		if (at != numbers[next])
			continue;
		next++;
		record.desc = p->plans.v[which].desc;
		printer_record(printer, &record);
	}
	printer_end(printer);
	printer_free(printer);
	clockmap_free(map);
	return ok;
}

/* Text has the newest of what was not ended, the other formats have all. */
static bool print_open(struct session *s, struct pairing_run *p, struct error *err)
{
	AUTO_FREE uint64_t *open = pairing_open(p->pairing);
	const bool is_text = s->format == PRINT_TEXT;
	const size_t n = p->pairing->open, from = is_text && n > SHOWN ? n - SHOWN : 0;
	char text[DURATION_SIZE];

	if (!n)
		return true;
	if (is_text && from)
		fprintf(s->out, "\nnot ended, the last %d of %s:\n", SHOWN, count_text(n, text));
	else if (is_text)
		fprintf(s->out, "\nnot ended:\n");
	return print_numbers(s, p, open + from, n - from, err);
}

static void say_lost(struct session *s, const struct pairing_run *p)
{
	char text[DURATION_SIZE];

	if (p->lost)
		session_warn(s, "%s records were lost: what seems not ended may have ended, and pairs may be wrong: enlarge the buffer ('buffer 16M'), or trace less",
			     count_text(p->lost, text));
}

static bool never(const struct pairing_run *p, const struct oneshot *o, struct error *err)
{
	const char *a = p->typed.v[PAIRING_A].address, *b = p->typed.v[PAIRING_B].address;
	AUTO_FREE char *both = mem_printf("%s or %s", a, b);

	if (!reach_explain(&p->reach, both, o, err))
		error_set(err, STATUS_NEVER, "pairs: neither %s nor %s was reached: are they the right places?", a, b);
	return false;
}

bool report_pairing(struct session *s, const struct oneshot *o, struct pairing_run *p, struct error *err)
{
	bool ok;

	if (!pairing_run_hits(p, PAIRING_A) && !pairing_run_hits(p, PAIRING_B))
		return never(p, o, err);
	if (s->format == PRINT_JSON)
		print_json_head(s, o, p);
	else if (s->format == PRINT_TEXT)
		print_head(s, o, p);
	interrupt_catch();
	ok = print_open(s, p, err);
	interrupt_clear();
	interrupt_release();
	gone_say(s, &p->gone, &p->plans);
	say_lost(s, p);
	return ok && session_flush(s, err) && oneshot_conclude(s, o, NULL, err);
}
