// SPDX-License-Identifier: GPL-2.0-or-later
/* sheet_text.c - a sheet for people.  See sheet.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"
#include "ctl/base/style.h"
#include "ctl/base/table.h"

const char *cell_shown(const struct sheet *sheet, const struct sheet_column *column, const struct cell *cell,
		      char buf[CELL_TEXT_SIZE])
{
	if (cell->absent && cell->known)
		return "";
	if (!cell->known)
		return cell->few ? "-" : "?";
	if (cell_is_text(column->kind))
		return escape_shown(cell->text);
	switch (column->kind) {
	case CELL_NUMBER:
	case CELL_COUNTER:
		return count_text(cell->count, buf);
	case CELL_RATE:
		if (cell->number >= 10)
			return count_text((unsigned long long)(cell->number + 0.5), buf);
		snprintf(buf, CELL_TEXT_SIZE, cell->number ? "%.1f" : "0", cell->number);
		return buf;
	case CELL_ID:
	case CELL_DIGITS:
		snprintf(buf, CELL_TEXT_SIZE, "%" PRIu64, cell->count);
		return buf;
	case CELL_SIGNED:
		snprintf(buf, CELL_TEXT_SIZE, "%" PRId64, (int64_t)cell->count);
		return buf;
	case CELL_HEX:
		snprintf(buf, CELL_TEXT_SIZE, "0x%" PRIx64, cell->count);
		return buf;
	case CELL_BOOLEAN:
		return cell->count ? "yes" : "no";
	case CELL_BYTES:
		return bytes_text(cell->number, "B", buf);
	case CELL_TIME:
		return duration_text(cell->number, buf);
	case CELL_REAL:
		snprintf(buf, CELL_TEXT_SIZE, "%.3f", cell->number);
		return buf;
	case CELL_PART:
		snprintf(buf, CELL_TEXT_SIZE, "%.1f %%", 100 * cell->number);
		return buf;
	default:
		/* "0.0" is only what is nearly nothing. */
		if (!cell->number || sheet->whole <= 0)
			return "-";
		snprintf(buf, CELL_TEXT_SIZE, "%.1f", 100 * cell->number / sheet->whole);
		return buf;
	}
}

/* ----------------------------------------------------------------------- table */

/*
 * How a table comes to fit a narrow terminal, each in turn: shares that are nothing in all rows are left out, headings of
 * two words take two lines, texts are shortened.
 */
enum squeeze { AS_IT_IS, NO_EMPTY_SHARES, TWO_HEADINGS, SHORT_TEXTS };

struct layout {
	const struct sheet *sheet;
	size_t rows;			/* shown */
	enum squeeze squeeze;
	size_t text;			/* width of the longest text that is not shortened */
	size_t *columns;		/* the shown ones */
	char *align;			/* a letter for each of them */
	size_t n;
};

static bool is_empty_share(const struct layout *layout, size_t column)
{
	char buf[CELL_TEXT_SIZE];

	if (layout->sheet->columns[column].kind != CELL_SHARE)
		return false;
	for (size_t row = 0; row < layout->rows; row++)
		if (strcmp(cell_shown(layout->sheet, &layout->sheet->columns[column],
				      sheet_cell(layout->sheet, row, column), buf), "-"))
			return false;
	return true;
}

static char align_of(enum cell_kind kind)
{
	return kind == CELL_NAME ? 'n' : cell_is_text(kind) && kind != CELL_RIGHT ? 'l' : 'r';
}

static void choose_columns(struct layout *layout)
{
	const struct sheet *sheet = layout->sheet;

	layout->n = 0;
	for (size_t i = 0; i < sheet->nr_columns; i++) {
		if (!sheet->columns[i].heading || (layout->squeeze >= NO_EMPTY_SHARES && is_empty_share(layout, i)))
			continue;
		layout->align[layout->n] = align_of(sheet->columns[i].kind);
		layout->columns[layout->n++] = i;
	}
	layout->align[layout->n] = '\0';
}

static const char *heading_at(const struct layout *layout, size_t i)
{
	return layout->sheet->columns[layout->columns[i]].heading;
}

/* Of a heading in two lines, the upper one is only what is before the last word. */
static void add_heading(struct table *table, const struct layout *layout, const char *heading, bool upper)
{
	const char *second = layout->squeeze < TWO_HEADINGS ? NULL : strrchr(heading, ' ');

	if (upper)
		table_add(table, "%.*s", second ? (int)(second - heading) : 0, heading);
	else
		table_add(table, "%s", second ? second + 1 : heading);
}

static void add_cell(struct table *table, const struct layout *layout, size_t row, size_t column)
{
	const struct sheet_column *of = &layout->sheet->columns[column];
	char buf[CELL_TEXT_SIZE];
	const char *text = cell_shown(layout->sheet, of, sheet_cell(layout->sheet, row, column), buf);
	AUTO_FREE char *cut = layout->sheet->squeezes && cell_is_text(of->kind) ? fit_cut_text(text, layout->text) : NULL;

	table_add(table, "%s", cut ? cut : text);
}

/* A table whose headings are all empty has no line of them. */
static size_t headings_of(const struct layout *layout)
{
	size_t lines = 0;

	for (size_t i = 0; i < layout->n; i++) {
		if (layout->squeeze >= TWO_HEADINGS && strchr(heading_at(layout, i), ' '))
			return 2;
		lines |= *heading_at(layout, i) != '\0';
	}
	return lines;
}

static void fill(struct table *table, const struct layout *layout)
{
	for (size_t line = headings_of(layout); line--;)
		for (size_t i = 0; i < layout->n; i++)
			add_heading(table, layout, heading_at(layout, i), line);
	for (size_t row = 0; row < layout->rows; row++)
		for (size_t i = 0; i < layout->n; i++)
			add_cell(table, layout, row, layout->columns[i]);
}

#define LEAST_TEXT	8

/* Print it so that it fits so many columns of the screen; 0: any number. */
static void print_fitting(struct layout *layout, size_t columns, FILE *out, bool colour)
{
	AUTO_TABLE struct table table = { .align = layout->align };

	fill(&table, layout);
	while (layout->sheet->squeezes && columns && table_width(&table) > columns && (layout->squeeze < SHORT_TEXTS || layout->text > LEAST_TEXT)) {
		if (layout->squeeze < SHORT_TEXTS)
			layout->squeeze++;
		else
			layout->text = (layout->text > columns ? columns : layout->text) - 1;
		table_free(&table);
		choose_columns(layout);
		fill(&table, layout);
	}
	table_shorten(&table, columns);
	if (layout->n)
		table_print(&table, headings_of(layout), out, colour);
}

/* Print the first column, and as many of the others as a line has room for.  Returns the layout of the rest. */
static struct layout print_part(struct layout rest, size_t columns, FILE *out, bool colour)
{
	for (struct layout part = rest; ; part.n--) {
		AUTO_FREE char *align = mem_strndup(rest.align, part.n);
		AUTO_TABLE struct table table = { .align = align };

		fill(&table, &part);
		if (columns && table_width(&table) > columns && part.n > 2)
			continue;
		table_print(&table, headings_of(&part), out, colour);
		rest.n -= part.n - 1;
		memmove(rest.columns + 1, rest.columns + part.n, (rest.n - 1) * sizeof(*rest.columns));
		memmove(rest.align + 1, rest.align + part.n, rest.n);
		return rest;
	}
}

size_t sheet_print(const struct sheet *sheet, size_t most, FILE *out, bool colour)
{
	const size_t rows = sheet_rows(sheet), columns = sheet->room ? sheet->room : fit_columns(out);
	AUTO_FREE size_t *shown = mem_zalloc(sheet->nr_columns + 1, sizeof(*shown));
	AUTO_FREE char *align = mem_zalloc(sheet->nr_columns + 1, 1);
	struct layout layout = {
		.sheet = sheet, .rows = rows < most ? rows : most, .text = CELL_TEXT_SIZE, .columns = shown, .align = align,
	};

	choose_columns(&layout);
	if (!sheet->splits)
		print_fitting(&layout, columns, out, colour);
	while (sheet->splits && layout.n > 1) {
		layout = print_part(layout, columns, out, colour);
		fputs(layout.n > 1 ? "\n" : "", out);
	}
	return rows - layout.rows;
}

/* ------------------------------------------------------------------------- row */

void sheet_print_row(const struct sheet *sheet, size_t row, FILE *out, bool colour)
{
	char buf[CELL_TEXT_SIZE];

	for (size_t i = 0; i < sheet->nr_columns; i++) {
		const struct sheet_column *column = &sheet->columns[i];
		const struct cell *cell = sheet_cell(sheet, row, i);

		if (!column->heading || cell->absent)
			continue;
		style_put(out, colour, STYLE_DIM, column->heading, SHEET_LABEL);
		fprintf(out, "%s\n", cell_shown(sheet, column, cell, buf));
	}
}
