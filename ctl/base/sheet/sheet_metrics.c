// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sheet_metrics.c - a sheet as metrics: https://prometheus.io/docs/specs/om/open_metrics_spec/.  See sheet.h.
 *
 * The name of a metric is made of the keys that lead to it.  Texts and ids of a row are the labels of its figures; those of an
 * object are the labels of ktrace_..._info.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static bool is_time(const struct sheet_column *column)
{
	return ends_with(column->key, "_ns");
}

static bool is_label(const struct sheet_column *column)
{
	return column->key && (cell_is_text(column->kind) || column->kind == CELL_ID || column->kind == CELL_HEX);
}

static bool is_figure(const struct sheet_column *column)
{
	return column->key && !is_label(column) && column->kind != CELL_SHEET && column->kind != CELL_RAW;
}

/* What a terminal obeys is escaped as on a line; then as the format wants it. */
static void put_label(const char *key, const char *text, const char *comma, FILE *out)
{
	fprintf(out, "%s%s=\"", comma, key);
	for (text = escape_shown(text); *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* le: the end of a bucket, another label; NULL: none */
static void put_labels(const struct sheet *sheet, size_t row, const char *le, FILE *out)
{
	const char *comma = "{";
	char buf[CELL_TEXT_SIZE];

	for (size_t i = 0; i < sheet->nr_columns; i++) {
		const struct cell *cell = sheet_cell(sheet, row, i);

		if (!is_label(&sheet->columns[i]) || !cell->known || cell->absent)
			continue;
		put_label(sheet->columns[i].key, cell_is_text(sheet->columns[i].kind) ? cell->text :
			  cell_shown(sheet, &sheet->columns[i], cell, buf), comma, out);
		comma = ",";
	}
	if (le)
		put_label("le", le, comma, out);
	if (le || *comma == ',')
		fputc('}', out);
}

static void put_value(const struct sheet_column *column, const struct cell *cell, FILE *out)
{
	if (is_time(column))
		fprintf(out, " %.12g\n", cell->number / 1e9);
	else if (column->kind == CELL_REAL || column->kind == CELL_PART || column->kind == CELL_RATE)
		fprintf(out, " %.12g\n", cell->number);
	else if (column->kind == CELL_SIGNED)
		fprintf(out, " %" PRId64 "\n", (int64_t)cell->count);
	else
		fprintf(out, " %" PRIu64 "\n", cell->count);
}

static bool is_known(const struct cell *cell)
{
	return cell->known && !cell->absent;
}

/* The lines before the samples of one metric. */
static void put_head(const char *name, const char *type, const char *unit, FILE *out)
{
	fprintf(out, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s See docs/output.md.\n", name);
}

/* All samples of a metric stand together. */
static void put_metric(const struct sheet *sheet, const char *before, size_t i, bool labelled, FILE *out)
{
	const struct sheet_column *column = &sheet->columns[i];
	const int len = (int)strlen(column->key) - (is_time(column) ? (int)strlen("_ns") : 0);
	AUTO_FREE char *name = mem_printf("%s_%.*s%s", before, len, column->key, is_time(column) ? "_seconds" : "");
	const bool is_counter = column->kind == CELL_COUNTER;
	bool any = false;

	for (size_t row = 0; row < sheet_rows(sheet); row++) {
		const struct cell *cell = sheet_cell(sheet, row, i);

		if (!is_known(cell))
			continue;
		if (!any)
			put_head(name, is_counter ? "counter" : "gauge", is_time(column) ? "seconds" : ends_with(name, "_bytes") ? "bytes" : NULL, out);
		any = true;
		fprintf(out, "%s%s", name, is_counter ? "_total" : "");
		if (labelled)
			put_labels(sheet, row, NULL, out);
		put_value(column, cell, out);
	}
}

static bool has_label(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->nr_columns; i++)
		if (is_label(&sheet->columns[i]) && is_known(sheet_cell(sheet, 0, i)))
			return true;
	return false;
}

static void put_info(const struct sheet *sheet, const char *before, FILE *out)
{
	if (!has_label(sheet))
		return;
	put_head(before, "info", NULL, out);
	fprintf(out, "%s_info", before);
	put_labels(sheet, 0, NULL, out);
	fputs(" 1\n", out);
}

/* The end of a bucket in seconds, in the form that readers compare: "1.0". */
static const char *end_text(double ns, char buf[CELL_TEXT_SIZE])
{
	snprintf(buf, CELL_TEXT_SIZE - 2, "%.12g", ns / 1e9);
	return strpbrk(buf, ".e") ? buf : strcat(buf, ".0");
}

static void put_bucket(const struct sheet *sheet, size_t row, const char *name, const char *le, uint64_t n, FILE *out)
{
	fputs(name, out);
	fputs("_bucket", out);
	put_labels(sheet, row, le, out);
	fprintf(out, " %" PRIu64 "\n", n);
}

/* Each bucket counts those before it, too. */
static void put_histogram(const struct sheet *sheet, const char *before, FILE *out)
{
	const size_t to = sheet_column(sheet, "to_ns"), count = sheet_column(sheet, "count");
	AUTO_FREE char *name = mem_printf("%s_seconds", before);
	char le[CELL_TEXT_SIZE];
	uint64_t n = 0;

	if (!sheet_rows(sheet))
		return;
	put_head(name, "histogram", "seconds", out);
	for (size_t row = 0; row < sheet_rows(sheet); row++) {
		n += sheet_cell(sheet, row, count)->count;
		if (sheet_cell(sheet, row, to)->known)
			put_bucket(sheet, row, name, end_text(sheet_cell(sheet, row, to)->number, le), n, out);
	}
	put_bucket(sheet, 0, name, "+Inf", n, out);
	fprintf(out, "%s_sum", name);
	put_labels(sheet, 0, NULL, out);
	fprintf(out, " %.12g\n%s_count", sheet->whole / 1e9, name);
	put_labels(sheet, 0, NULL, out);
	fprintf(out, " %" PRIu64 "\n", n);
}

static void put_sheet(const struct sheet *sheet, const char *before, FILE *out);

static void put_parts(const struct sheet *sheet, const char *before, FILE *out)
{
	for (size_t i = 0; i < sheet->nr_columns; i++) {
		const struct cell *cell = sheet_cell(sheet, 0, i);

		if (sheet->columns[i].kind == CELL_SHEET && is_known(cell) && !cell->sheet->is_sum)
			put_sheet(cell->sheet, before, out);
	}
}

static void put_sheet(const struct sheet *sheet, const char *before, FILE *out)
{
	const bool is_object = sheet->form == SHEET_OBJECT;
	AUTO_FREE char *name = mem_printf("%s_%s", before, sheet->key);

	if (sheet->form == SHEET_HISTOGRAM) {
		put_histogram(sheet, name, out);
		return;
	}
	for (size_t i = 0; i < sheet->nr_columns && sheet->form != SHEET_VALUES; i++)
		if (is_figure(&sheet->columns[i]))
			put_metric(sheet, name, i, !is_object, out);
	if (!is_object)
		return;
	put_info(sheet, name, out);
	put_parts(sheet, name, out);
}

void sheet_metrics(const struct sheet *sheet, FILE *out)
{
	put_sheet(sheet, "ktrace", out);
	fputs("# EOF\n", out);
}
