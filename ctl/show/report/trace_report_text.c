// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_report_text.c - where the time of a recording went, as text.  See trace_report.h. */
#include <stdint.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/style.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/trace_report.h"

#define ROWS	10	/* of each table in the summary */
#define LABEL	12	/* columns, besides the blanks before each figure */

static void print_head(const struct trace_report *r, FILE *out)
{
	const struct trace_system system = trace_system(r);
	char text[DURATION_SIZE];

	style_put(out, r->colour, STYLE_NAME, r->dir, 0);
	fprintf(out, "  %s on %u CPU%s", duration_text(analysis_length(r->a) * r->ns_per_tick, text), system.cpus,
		system.cpus == 1 ? "" : "s");
	fprintf(out, ", %s", count_text(r->a->events, text));
	if (r->recorded > r->a->events)
		fprintf(out, " of %s", count_text(r->recorded, text));
	fputs(" events", out);
	if (r->a->lost)
		fprintf(out, ", %s lost", count_text(r->a->lost, text));
	fprintf(out, "  (%s, Linux %s)\n", r->host ? escape_shown(r->host) : "?", r->kernel ? escape_shown(r->kernel) : "?");
}

static void print_figure(const struct trace_report *r, const char *name, const char *figure, FILE *out)
{
	fputs("   ", out);
	style_put(out, r->colour, STYLE_DIM, name, 0);
	fprintf(out, " %s", figure);
}

static void print_system(const struct trace_report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = trace_system_sheet(r);
	char text[CELL_TEXT_SIZE];

	style_put(out, r->colour, STYLE_NAME, "whole system", LABEL);
	for (size_t i = 0; i < sheet.nr_columns; i++)
		if (sheet.columns[i].heading)
			print_figure(r, sheet.columns[i].heading, cell_shown(&sheet, &sheet.columns[i], sheet_cell(&sheet, 0, i), text), out);
	fputc('\n', out);
}

static void print_percentile(const struct trace_report *r, const char *name, FILE *out)
{
	char text[DURATION_SIZE];
	double ns = 0;

	print_figure(r, name, trace_percentile(r, &r->a->latency, name, &ns) ? duration_text(ns, text) : "-", out);
}

static bool knows_latency(const struct trace_report *r)
{
	return r->a->latency.count && (!r->live || (!r->a->lost && !r->braked));
}

static void print_latency(const struct trace_report *r, FILE *out)
{
	char text[DURATION_SIZE];

	if (!knows_latency(r))
		return;
	style_put(out, r->colour, STYLE_NAME, "wake to run", LABEL);
	fprintf(out, "   %s times", count_text(r->a->latency.count, text));
	print_percentile(r, "p50", out);
	print_percentile(r, "p99", out);
	print_figure(r, "max", duration_text(r->a->latency.max * r->ns_per_tick, text), out);
	fputc('\n', out);
}

/* Tell what is 100 %. */
static void print_unit(const struct trace_report *r, const struct sheet *sheet, FILE *out)
{
	char text[DURATION_SIZE];

	for (size_t i = 0; i < sheet->nr_columns; i++) {
		if (sheet->columns[i].kind != CELL_SHARE)
			continue;
		style_set(out, r->colour, STYLE_DIM);
		fprintf(out, "%s, in %% of %s\n", sheet->title, duration_text(sheet->whole, text));
		style_set(out, r->colour, STYLE_PLAIN);
		return;
	}
}

bool trace_latency_has_few(const struct trace_report *r)
{
	double ns;

	return knows_latency(r) && !trace_percentile(r, &r->a->latency, "p99", &ns);
}

static void print_empty(const struct trace_report *r, enum report_by by, size_t rows, FILE *out)
{
	AUTO_FREE char *text = trace_empty(r, by, rows);

	if (text)
		fprintf(out, "\n%s\n", text);
}

/* Are percentiles left out, because there are too few samples? */
static bool print_sheet(const struct trace_report *r, enum report_by by, size_t most, FILE *out)
{
	struct sheet sheet = trace_sheet(r, by);
	const bool few = sheet_has_few(&sheet, most);
	size_t left = 0;

	if (sheet_rows(&sheet)) {
		fputc('\n', out);
		print_unit(r, &sheet, out);
		left = sheet_print(&sheet, most, out, r->colour);
	}
	if (left) {
		style_set(out, r->colour, STYLE_DIM);
		fprintf(out, "and %zu more: --by %s\n", left, report_bys[by]);
		style_set(out, r->colour, STYLE_PLAIN);
	}
	if (most == SIZE_MAX)
		print_empty(r, by, sheet_rows(&sheet), out);
	sheet_free(&sheet);
	return few;
}

struct foot {
	const struct trace_report *r;
	FILE *out;
	bool any;
};

static void print_note(void *arg, const char *text)
{
	struct foot *foot = arg;

	if (!foot->any)
		fputc('\n', foot->out);
	foot->any = true;
	style_put(foot->out, foot->r->colour, STYLE_WARNING, "note", 0);
	fprintf(foot->out, "  %s\n", escape_shown(text));
}

void trace_report_head(const struct trace_report *r, FILE *out)
{
	print_head(r, out);
	print_system(r, out);
	print_latency(r, out);
}

void trace_report_text(const struct trace_report *r, FILE *out)
{
	struct foot foot = { .r = r, .out = out };
	bool few;

	print_head(r, out);
	print_system(r, out);
	if (r->by) {
		few = print_sheet(r, r->by, SIZE_MAX, out);
	} else {
		print_latency(r, out);
		few = trace_latency_has_few(r);
		few |= print_sheet(r, BY_PROCESS, ROWS, out);
		few |= print_sheet(r, BY_SYSCALL, ROWS, out);
	}
	if (few)
		print_note(&foot, few_note);
	trace_notes(r, print_note, &foot);
}
