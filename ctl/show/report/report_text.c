// SPDX-License-Identifier: GPL-2.0-or-later
/* report_text.c - a measurement as text.  See report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/bar.h"
#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/show/report/bars.h"
#include "ctl/show/report/report_int.h"

#define ROWS		20
#define BAR		36	/* columns of the longest bar */
#define FEW_EMPTY	3	/* longest run of empty rows that is shown */

/* -------------------------------------------------------------------- head */

static void print_end(const struct report *r, const char *label, const struct measure_end *end, FILE *out)
{
	if (!end->spec)
		return;
	style_put(out, r->colour, STYLE_DIM, label, 7);
	fprintf(out, "%s", escape_shown(end->spec));
	if (end->where)
		fprintf(out, "  %s", escape_shown(end->where));
	if (end->nr_points > 1)
		fprintf(out, "  %zu places", end->nr_points);
	if (end->method)
		fprintf(out, "  %s", end->method);
	fputc('\n', out);
}

static void print_head(const struct report *r, FILE *out)
{
	AUTO_FREE char *title = report_title(r);
	const bool is_call = r->m->kind == MEASURE_CALL || is_of_lines(r->m);

	style_put(out, r->colour, STYLE_NAME, title, 0);
	fputc('\n', out);
	print_end(r, is_call ? "at" : "from", &r->m->from, out);
	if (!is_call)
		print_end(r, "to", &r->m->to, out);
	if (r->m->key)
		fprintf(out, "B ends the newest A with its key, of its own thread or else of another: %s\n", r->m->key);
}

/* ----------------------------------------------------------------- figures */

static void print_figure(const struct report *r, const char *name, FILE *out)
{
	char text[DURATION_SIZE];

	style_put(out, r->colour, STYLE_DIM, name, 7);
	fprintf(out, "%10s", measure_text(r->m, measure_field_find(name), text));
}

static void print_mean(const struct report *r, FILE *out)
{
	const struct measurement *m = r->m;
	char text[DURATION_SIZE];

	print_figure(r, "mean", out);
	if (m->all.count > 1)
		fprintf(out, "  %s %s (99 %% confidence)", r->ascii ? "+-" : "\302\261",
			duration_text(measure_ns(m, samples_confidence(&m->all)), text));
	fputc('\n', out);
}

static void print_figures(const struct report *r, FILE *out)
{
	static const char *const figures[][2] = {
		{ "min", "p50" }, { "stddev", "p90" }, { "max", "p99" }, { NULL, "p99.9" },
	};
	char text[DURATION_SIZE];

	style_put(out, r->colour, STYLE_DIM, "count", 7);
	fprintf(out, "%10s\n", count_text(measure_count(r->m), text));
	if (!r->m->all.count || r->m->all.is_count)
		return;
	print_mean(r, out);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		if (figures[i][0])
			print_figure(r, figures[i][0], out);
		else
			fprintf(out, "%17s", "");
		if (r->m->all.buckets) {
			fputs("    ", out);
			print_figure(r, figures[i][1], out);
		}
		fputc('\n', out);
	}
}

/* --------------------------------------------------------------- histogram */

static size_t empty_from(const struct bars *rows, size_t i)
{
	size_t n = 0;

	while (i + n < rows->n && !rows->v[i + n].count)
		n++;
	return n;
}

/* A limit is a round number: print it without trailing zeros. */
static const char *limit_text(double ns, char buf[DURATION_SIZE])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	for (; unit < 3 && ns >= 999.95; unit++)
		ns /= 1000;
	snprintf(buf, DURATION_SIZE, "%.4g %s", ns, units[unit]);
	return buf;
}

static void print_row(const struct report *r, const struct bar *row, const struct bars *rows, FILE *out)
{
	char from[DURATION_SIZE], to[DURATION_SIZE], n[DURATION_SIZE];

	style_set(out, r->colour, STYLE_DIM);
	fprintf(out, "  %8s %s %8s ", limit_text(row->from, from), r->ascii ? "-" : "\342\200\223",
		limit_text(row->to, to));
	style_set(out, r->colour, STYLE_PLAIN);
	fprintf(out, "%12s %6.2f%%%s", count_text(row->count, n), 100.0 * row->up_to / r->m->all.count,
		row->count ? "  " : "");
	bar_print((double)BAR * row->count / rows->most, r->ascii, out);
	fputc('\n', out);
}

static void print_histogram(const struct report *r, FILE *out)
{
	struct bars rows = bars_make(r->m, &r->m->all, ROWS);

	if (rows.n)
		fputc('\n', out);
	for (size_t i = 0; i < rows.n; i++) {
		const size_t empty = empty_from(&rows, i);

		if (empty > FEW_EMPTY) {
			fprintf(out, "%10s\n", r->ascii ? "..." : "\342\213\256");
			i += empty - 1;
		} else {
			print_row(r, &rows.v[i], &rows, out);
		}
	}
	bars_free(&rows);
}

/* --------------------------------------------------------- groups, outliers */

static void print_groups(const struct report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = report_groups(r, true);

	if (!r->m->nr_groups)
		return;
	fputc('\n', out);
	sheet_print(&sheet, SIZE_MAX, out, r->colour);
}

static void print_indented(const char *text, FILE *out)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		fprintf(out, "%14s%.*s\n", "", (int)len, text);
	}
}

static void print_outliers(const struct report *r, FILE *out)
{
	const struct measurement *m = r->m;
	char text[DURATION_SIZE], after[DURATION_SIZE];

	if (m->nr_outliers)
		fprintf(out, "\nthe slowest\n");
	for (size_t i = 0; i < m->nr_outliers; i++) {
		const struct outlier *o = &m->outliers[i];

		fprintf(out, "  %10s  at %s  cpu %u\n", duration_text(measure_ns(m, o->duration), text),
			duration_text(measure_ns(m, o->end - m->began), after), o->cpu);
		print_indented(o->text ? o->text : "", out);
	}
}

/* -------------------------------------------------------------------- foot */

void report_counts(const struct measurement *m, FILE *out)
{
	const uint64_t unpaired = measure_unpaired(m);
	char n[DURATION_SIZE];

	if (unpaired)
		fprintf(out, "%s %s:\n", count_text(unpaired, n), m->key ? "hits of A or B not paired" : "calls not measured");
	for (const struct unpaired_cause *cause = unpaired_causes; cause->key; cause++)
		if (cause->get(m))
			fprintf(out, "%12s %s\n", count_text(cause->get(m), n), unpaired_text(cause, m));
	if (m->filtered)
		fprintf(out, "%s calls left out by the filter\n", count_text(m->filtered, n));
	if (m->lost)
		fprintf(out, "%s %s\n", count_text(m->lost, n), lost_text(m));
	if (m->turned_away)
		fprintf(out, "%s hits turned away by the brake, not included in the figures above: tracepoints took too much of a CPU\n",
			count_text(m->turned_away, n));
	if (m->unmeasured)
		fprintf(out, "%s hits not included in the figures above: tracepoints were disarmed then, because a CPU started or the machine slept\n",
			count_text(m->unmeasured, n));
}

static void print_foot(const struct report *r, FILE *out)
{
	AUTO_FREE char *correction = correction_text(r->m);
	const bool few = report_has_few(r->m);

	if (few || correction || measure_unpaired(r->m) || r->m->lost || r->m->filtered || r->m->turned_away || r->m->unmeasured)
		fputc('\n', out);
	if (few)
		fprintf(out, "%s\n", few_note);
	if (correction)
		fprintf(out, "%s\n", correction);
	report_counts(r->m, out);
}

void report_text(const struct report *r, FILE *out)
{
	/* The report of `run` is its records. */
	if (r->m->kind == MEASURE_RECORDS)
		return;
	print_head(r, out);
	fputc('\n', out);
	if (r->m->off_cpu)
		report_off_cpu(r, out);
	else
		print_figures(r, out);
	if (!r->m->off_cpu)
		print_histogram(r, out);
	if (is_of_lines(r->m))
		report_lines(r, out);
	print_groups(r, out);
	print_outliers(r, out);
	print_foot(r, out);
}
