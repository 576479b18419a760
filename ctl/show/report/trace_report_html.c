// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_report_html.c - where the time of a recording went, as an HTML page without external parts. */
#include <time.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/live/measure/fields.h"
#include "ctl/show/report/report_int.h"
#include "ctl/show/report/trace_report.h"

#define MOST_ROWS	1000	/* of a table */

/* -------------------------------------------------------------------- head */

static void print_head(const struct trace_report *r, FILE *out)
{
	AUTO_FREE char *title = mem_printf("report %s", r->dir);
	const time_t seconds = (time_t)r->began;
	char when[64], text[DURATION_SIZE];
	struct tm tm;

	html_begin(title, out);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&seconds, &tm));
	fprintf(out, "<p class=\"dim\">%s, for %s", when, duration_text(analysis_length(r->a) * r->ns_per_tick, text));
	fprintf(out, ", %s", count_text(r->a->events, text));
	if (r->recorded > r->a->events)
		fprintf(out, " of %s", count_text(r->recorded, text));
	fprintf(out, " events on %u CPUs, ", trace_system(r).cpus);
	escape_html(out, r->host ? r->host : "?");
	fputs(", Linux ", out);
	escape_html(out, r->kernel ? r->kernel : "?");
	fputs("</p>\n", out);
	html_typed(r->typed, out);
}

static void print_figure(const char *name, const char *figure, FILE *out)
{
	fprintf(out, "<div><dt>%s</dt><dd id=\"", name);
	for (const char *at = name; *at; at++)
		fputc(*at == ' ' ? '-' : *at, out);
	fprintf(out, "\">%s</dd></div>\n", figure);
}

static void print_system(const struct trace_report *r, FILE *out)
{
	AUTO_SHEET struct sheet sheet = trace_system_sheet(r);
	char text[CELL_TEXT_SIZE];

	fputs("<section>\n<h2>Whole system</h2>\n<dl>\n", out);
	for (size_t i = 0; i < sheet.nr_columns; i++)
		if (sheet.columns[i].heading)
			print_figure(sheet.columns[i].heading, cell_shown(&sheet, &sheet.columns[i], sheet_cell(&sheet, 0, i), text), out);
	fputs("</dl>\n</section>\n", out);
}

/* ------------------------------------------------------------------ tables */

static void print_note(void *arg, const char *text)
{
	FILE *out = arg;

	fputs("<p class=\"dim\">", out);
	escape_html(out, text);
	fputs("</p>\n", out);
}

static void print_empty(const struct trace_report *r, enum report_by by, size_t rows, FILE *out)
{
	AUTO_FREE char *text = trace_lacks(r, by) || r->by ? trace_empty(r, by, rows) : NULL;

	if (text)
		print_note(out, text);
}

#define FEW	0.001	/* of the recording: a task that did less is folded away */

/* Did the task of this row next to nothing, and is that known? */
static bool is_idle(const struct sheet *sheet, size_t row)
{
	for (size_t i = 0; i < sheet->nr_columns; i++) {
		const struct cell *cell = sheet_cell(sheet, row, i);

		if (sheet->columns[i].kind == CELL_SHARE && !sheet_is_rest(&sheet->columns[i]) && cell->known &&
		    cell->number >= FEW * sheet->whole)
			return false;
	}
	return sheet_cell(sheet, row, sheet_column(sheet, "running_ns"))->known;
}

/* How many of the first rows are folded.  Of tables of tasks, if some row stays, and if a line is less than the rows. */
static size_t count_idle(const struct sheet *sheet, size_t shown)
{
	size_t n = 0;

	if (sheet_column(sheet, "asleep_ns") == sheet->nr_columns)
		return 0;
	for (size_t row = 0; row < shown; row++)
		n += is_idle(sheet, row);
	return n < 2 || n == shown ? 0 : n;
}

static bool is_busy(const struct sheet *sheet, size_t row)
{
	return row < MOST_ROWS && !is_idle(sheet, row);
}

static bool is_shown(const struct sheet *sheet, size_t row)
{
	return row < MOST_ROWS;
}

static bool is_folded(const struct sheet *sheet, size_t row)
{
	return row < MOST_ROWS && is_idle(sheet, row);
}

static void print_rows(const struct sheet *sheet, size_t folded, FILE *out)
{
	sheet_html(sheet, sheet->key, folded ? is_busy : is_shown, out);
	if (!folded)
		return;
	fprintf(out, "<details><summary>%zu more, each below %g %% in all but asleep</summary>\n", folded, 100 * FEW);
	sheet_html(sheet, NULL, is_folded, out);
	fputs("</details>\n", out);
}

/* Are percentiles left out, because there are too few samples? */
static bool print_sheet(const struct trace_report *r, enum report_by by, FILE *out)
{
	struct sheet sheet = trace_sheet(r, by);
	const size_t rows = sheet_rows(&sheet), shown = rows < MOST_ROWS ? rows : MOST_ROWS;
	const bool few = sheet_has_few(&sheet, shown);

	if (rows) {
		fprintf(out, "<section>\n<h2>%s</h2>\n", sheet.title);
		print_rows(&sheet, count_idle(&sheet, shown), out);
		if (shown < rows)
			fprintf(out, "<p class=\"dim\">and %zu more</p>\n", rows - shown);
		fputs("</section>\n", out);
	}
	print_empty(r, by, rows, out);
	sheet_free(&sheet);
	return few;
}

void trace_report_html(const struct trace_report *r, FILE *out)
{
	bool few = false;

	print_head(r, out);
	print_system(r, out);
	for (enum report_by by = BY_PROCESS; by < NR_BYS; by++)
		if (r->by ? r->by == by : by != BY_CRITICAL)
			few |= print_sheet(r, by, out);
	if (few)
		print_note(out, few_note);
	trace_notes(r, print_note, out);
	fputs("<p class=\"dim\">Percentages are of the length of the recording.</p>\n", out);
	html_end(out);
}
