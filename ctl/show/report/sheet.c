// SPDX-License-Identifier: GPL-2.0-or-later
/* sheet.c - see sheet.h. */
#include "ctl/show/report/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/duration.h"
#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/table.h"

#define MOST_COLUMNS	40

size_t sheet_rows(const struct sheet *sheet)
{
	return sheet->nr_cells / sheet->nr_columns;
}

const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
	return &sheet->cells[row * sheet->nr_columns + column];
}

static void add(struct sheet *sheet, struct cell cell)
{
	sheet->cells = MEM_MORE(sheet->cells, sheet->nr_cells);
	sheet->cells[sheet->nr_cells++] = cell;
}

void sheet_text(struct sheet *sheet, const char *text)
{
	add(sheet, (struct cell){ .known = text, .text = text });
}

void sheet_format(struct sheet *sheet, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	sheet->kept = MEM_MORE(sheet->kept, sheet->nr_kept);
	sheet->kept[sheet->nr_kept++] = text;
	sheet_text(sheet, text);
}

void sheet_number(struct sheet *sheet, double number)
{
	add(sheet, (struct cell){ .known = true, .number = number });
}

void sheet_unknown(struct sheet *sheet)
{
	add(sheet, (struct cell){ .known = false });
}

void sheet_few(struct sheet *sheet)
{
	add(sheet, (struct cell){ .few = true });
}

bool sheet_has_few(const struct sheet *sheet, size_t most)
{
	for (size_t i = 0; i < sheet->nr_cells && i / sheet->nr_columns < most; i++)
		if (sheet->cells[i].few)
			return true;
	return false;
}

static int compare_cells(const struct cell *x, const struct cell *y)
{
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && x->text)
		return strcmp(x->text, y->text);
	return x->number > y->number ? -1 : x->number < y->number;
}

/* An element is a row.  Equal rows are in the order of their first columns. */
static int compare(const void *a, const void *b, void *arg)
{
	const size_t by = *(const size_t *)arg;
	const struct cell *x = a, *y = b;
	int order = compare_cells(x + by, y + by);

	for (size_t i = 0; !order && i < by; i++)
		order = compare_cells(x + i, y + i);
	return order;
}

void sheet_sort(struct sheet *sheet)
{
	if (sheet->nr_cells)
		qsort_r(sheet->cells, sheet_rows(sheet), sheet->nr_columns * sizeof(*sheet->cells), compare,
			&sheet->by);
}

size_t sheet_column(const struct sheet *sheet, const char *key)
{
	size_t i = 0;

	while (i < sheet->nr_columns && (!sheet->columns[i].key || strcmp(sheet->columns[i].key, key)))
		i++;
	return i;
}

void sheet_filter(struct sheet *sheet, bool (*keep)(const struct cell *row, const void *arg), const void *arg)
{
	size_t kept = 0;

	for (size_t at = 0; at < sheet->nr_cells; at += sheet->nr_columns) {
		if (!keep(&sheet->cells[at], arg))
			continue;
		memmove(&sheet->cells[kept], &sheet->cells[at], sheet->nr_columns * sizeof(*sheet->cells));
		kept += sheet->nr_columns;
	}
	sheet->nr_cells = kept;
}

void sheet_free(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->nr_kept; i++)
		free(sheet->kept[i]);
	free(sheet->kept);
	free(sheet->cells);
	sheet->kept = NULL;
	sheet->cells = NULL;
	sheet->nr_kept = sheet->nr_cells = 0;
}

/* ----------------------------------------------------------------- for people */

const char *cell_text(const struct sheet *sheet, const struct sheet_column *column, const struct cell *cell,
		      char buf[CELL_TEXT_SIZE])
{
	if (!cell->known)
		return cell->few ? "-" : "?";
	switch (column->kind) {
	case CELL_TEXT:
		return escape_shown(cell->text);
	case CELL_NUMBER:
		return count_text((unsigned long long)cell->number, buf);
	case CELL_RATE:
		if (cell->number >= 10)
			return count_text((unsigned long long)(cell->number + 0.5), buf);
		snprintf(buf, CELL_TEXT_SIZE, cell->number ? "%.1f" : "0", cell->number);
		return buf;
	case CELL_ID:
		snprintf(buf, CELL_TEXT_SIZE, "%.0f", cell->number);
		return buf;
	case CELL_BYTES:
		return bytes_text(cell->number, "B", buf);
	case CELL_TIME:
		return duration_text(cell->number, buf);
	default:
		/* "0.0" is only what is nearly nothing. */
		if (!cell->number || sheet->whole <= 0)
			return "-";
		snprintf(buf, CELL_TEXT_SIZE, "%.1f", 100 * cell->number / sheet->whole);
		return buf;
	}
}

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
	char align[MOST_COLUMNS + 1];
};

static bool is_empty_share(const struct layout *layout, size_t column)
{
	char buf[CELL_TEXT_SIZE];

	if (layout->sheet->columns[column].kind != CELL_SHARE)
		return false;
	for (size_t row = 0; row < layout->rows; row++)
		if (strcmp(cell_text(layout->sheet, &layout->sheet->columns[column],
				     sheet_cell(layout->sheet, row, column), buf), "-"))
			return false;
	return true;
}

static bool has_column(const struct layout *layout, size_t column)
{
	return layout->sheet->columns[column].heading &&
	       (layout->squeeze < NO_EMPTY_SHARES || !is_empty_share(layout, column));
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
	const char *text = cell_text(layout->sheet, of, sheet_cell(layout->sheet, row, column), buf);
	AUTO_FREE char *cut = of->kind == CELL_TEXT ? fit_cut_text(text, layout->text) : NULL;

	table_add(table, "%s", cut ? cut : text);
}

static size_t headings_of(const struct layout *layout)
{
	if (layout->squeeze >= TWO_HEADINGS)
		for (size_t i = 0; i < layout->sheet->nr_columns; i++)
			if (has_column(layout, i) && strchr(layout->sheet->columns[i].heading, ' '))
				return 2;
	return 1;
}

static void fill(struct table *table, struct layout *layout)
{
	const struct sheet *sheet = layout->sheet;
	bool has[MOST_COLUMNS];
	size_t at = 0;

	for (size_t i = 0; i < sheet->nr_columns; i++)
		if ((has[i] = has_column(layout, i)))
			layout->align[at++] = sheet->columns[i].kind == CELL_TEXT ? 'l' : 'r';
	layout->align[at] = '\0';
	for (size_t line = headings_of(layout); line--;)
		for (size_t i = 0; i < sheet->nr_columns; i++)
			if (has[i])
				add_heading(table, layout, sheet->columns[i].heading, line);
	for (size_t row = 0; row < layout->rows; row++)
		for (size_t i = 0; i < sheet->nr_columns; i++)
			if (has[i])
				add_cell(table, layout, row, i);
}

#define LEAST_TEXT	8

size_t sheet_print(const struct sheet *sheet, size_t most, FILE *out, bool colour)
{
	const size_t rows = sheet_rows(sheet), columns = fit_columns(out);
	struct layout layout = { .sheet = sheet, .rows = rows < most ? rows : most, .text = CELL_TEXT_SIZE };
	AUTO_TABLE struct table table = { .align = layout.align };

	fill(&table, &layout);
	while (columns && table_width(&table) > columns && (layout.squeeze < SHORT_TEXTS || layout.text > LEAST_TEXT)) {
		if (layout.squeeze < SHORT_TEXTS)
			layout.squeeze++;
		else
			layout.text = (layout.text > columns ? columns : layout.text) - 1;
		table_free(&table);
		fill(&table, &layout);
	}
	table_print(&table, headings_of(&layout), out, colour);
	return rows - layout.rows;
}
