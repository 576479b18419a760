// SPDX-License-Identifier: GPL-2.0-or-later
/* sheet.c - the cells of a sheet.  See sheet.h. */
#include "ctl/base/sheet/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

size_t sheet_rows(const struct sheet *sheet)
{
	return sheet->nr_columns ? sheet->nr_cells / sheet->nr_columns : 0;
}

const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column)
{
	return &sheet->cells[row * sheet->nr_columns + column];
}

static struct cell *add(struct sheet *sheet, struct cell cell)
{
	sheet->cells = MEM_MORE(sheet->cells, sheet->nr_cells);
	sheet->cells[sheet->nr_cells] = cell;
	return &sheet->cells[sheet->nr_cells++];
}

static void *keep(struct sheet *sheet, void *p)
{
	sheet->kept = MEM_MORE(sheet->kept, sheet->nr_kept);
	return sheet->kept[sheet->nr_kept++] = p;
}

/* ----------------------------------------------------------------------- cells */

void sheet_row(struct sheet *sheet)
{
	sheet->nr_rows++;
}

static struct cell *put(struct sheet *sheet, const char *key, const char *heading, enum cell_kind kind, struct cell cell)
{
	if (sheet->nr_rows == 1) {
		sheet->made = MEM_MORE(sheet->made, sheet->nr_columns);
		sheet->made[sheet->nr_columns++] = (struct sheet_column){ key, heading, kind };
		sheet->columns = sheet->made;
	}
	return add(sheet, cell);
}

struct cell *cell_integer(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, uint64_t number)
{
	const double real = kind == CELL_SIGNED ? (double)(int64_t)number : (double)number;

	return put(sheet, key, heading, kind, (struct cell){ .known = true, .number = real, .count = number });
}

struct cell *cell_double(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, double number)
{
	return put(sheet, key, heading, kind, (struct cell){ .known = true, .number = number });
}

struct cell *cell_text_as(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, const char *text)
{
	const char *copy = text ? keep(sheet, mem_strdup(text)) : NULL;

	return put(sheet, key, heading, kind, (struct cell){ .known = text, .text = copy });
}

struct cell *cell_format(struct sheet *sheet, const char *key, const char *heading, const char *fmt, ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = keep(sheet, mem_vprintf(fmt, args));
	va_end(args);
	return put(sheet, key, heading, CELL_TEXT, (struct cell){ .known = true, .text = text });
}

struct cell *cell_sheet(struct sheet *sheet, struct sheet *part)
{
	struct sheet *own = keep(sheet, mem_copy(part, sizeof(*part)));

	/* Its memory belongs to this sheet now. */
	for (size_t i = 0; i < own->nr_kept; i++)
		keep(sheet, own->kept[i]);
	for (size_t i = 0; i < 3; i++) {
		void *const parts[] = { own->kept, own->cells, own->made };

		if (parts[i])
			keep(sheet, parts[i]);
	}
	*part = (struct sheet){ 0 };
	return put(sheet, own->key, NULL, CELL_SHEET, (struct cell){ .known = true, .sheet = own });
}

/* -------------------------------------------------------------------- the whole */

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

void sheet_filter(struct sheet *sheet, bool (*keeps)(const struct cell *row, const void *arg), const void *arg)
{
	size_t kept = 0;

	for (size_t at = 0; at < sheet->nr_cells; at += sheet->nr_columns) {
		if (!keeps(&sheet->cells[at], arg))
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
	free(sheet->made);
	sheet->kept = NULL;
	sheet->cells = NULL;
	sheet->made = NULL;
	sheet->nr_kept = sheet->nr_cells = 0;
}
