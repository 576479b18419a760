// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - see table.h. */
#include "ctl/base/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/fit.h"
#include "ctl/base/memory.h"
#include "ctl/base/signatures.h"
#include "ctl/base/style.h"

void table_add(struct table *table, const char *fmt, ...)
{
	va_list args;
	const char *shown;
	char *text;

	table->cells = MEM_MORE(table->cells, table->nr_cells);
	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	shown = escape_shown(text);
	table->cells[table->nr_cells++] = shown == text ? text : mem_strdup(shown);
	if (shown != text)
		free(text);
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->nr_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->nr_cells = 0;
}

#define GAP	2	/* blanks between columns */

static int column_width(const struct table *table, size_t column)
{
	size_t widest = 0, len;

	for (size_t i = column; i < table->nr_cells; i += strlen(table->align)) {
		len = fit_length(table->cells[i]);
		widest = len > widest ? len : widest;
	}
	return widest;
}

/* `at` is the number of screen columns written so far. */
static void print_row(char *const *cells, const char *align, const int *widths,
		      enum style first, enum style others, FILE *out, bool colour)
{
	int at = 0, start = 0;

	for (size_t i = 0; align[i]; start += widths[i++] + GAP) {
		int len = fit_length(cells[i]), from = start + (align[i] == 'r' ? widths[i] - len : 0);

		if (!len)
			continue;
		fprintf(out, "%*s", from - at, "");
		style_put(out, colour, i ? others : first, cells[i], 0);
		at = from + len;
	}
	fputc('\n', out);
}

size_t table_width(const struct table *table)
{
	const size_t columns = strlen(table->align);
	size_t width = 0;

	for (size_t i = 0; i < columns; i++)
		width += column_width(table, i) + (i ? GAP : 0);
	return width;
}

static void shorten_column(struct table *table, size_t column)
{
	const size_t columns = strlen(table->align);
	struct signatures *names = signatures_create();

	for (size_t i = column; i < table->nr_cells; i += columns)
		signatures_add(names, table->cells[i]);
	for (size_t i = column; i < table->nr_cells; i += columns) {
		char *shown = mem_strdup(signatures_find(names, table->cells[i]));

		free(table->cells[i]);
		table->cells[i] = shown;
	}
	signatures_free(names);
}

void table_shorten(struct table *table, size_t columns)
{
	if (!columns || !strchr(table->align, 'n') || table_width(table) <= columns)
		return;
	for (size_t i = 0; table->align[i]; i++)
		if (table->align[i] == 'n')
			shorten_column(table, i);
}

void table_print(struct table *table, size_t headings, FILE *out, bool colour)
{
	size_t columns = strlen(table->align);
	AUTO_FREE int *widths = mem_zalloc(columns, sizeof(*widths));

	table_shorten(table, fit_columns(out));
	for (size_t i = 0; i < columns; i++)
		widths[i] = column_width(table, i);
	for (size_t i = 0; i + columns <= table->nr_cells; i += columns) {
		bool is_heading = i < headings * columns;

		print_row(table->cells + i, table->align, widths,
			  is_heading ? STYLE_DIM : STYLE_NAME, is_heading ? STYLE_DIM : STYLE_PLAIN,
			  out, colour);
	}
}
