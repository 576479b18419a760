// SPDX-License-Identifier: GPL-2.0-or-later
/* sheet_html.c - a sheet as a table of an HTML page.  See sheet.h. */
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"
#include "ctl/base/sheet/sheet.h"

bool sheet_is_rest(const struct sheet_column *column)
{
	static const char *const keys[] = { "asleep_ns", "idle_ns" };

	for (size_t i = 0; column->key && i < ARRAY_SIZE(keys); i++)
		if (!strcmp(column->key, keys[i]))
			return true;
	return false;
}

/* The part of the cell's share, in %; negative: it has none. */
static double share_of(const struct sheet *sheet, const struct sheet_column *column, const struct cell *cell)
{
	if (column->kind == CELL_PART)
		return cell->known ? 100 * cell->number : -1;
	if (column->kind != CELL_SHARE || !cell->known || sheet->whole <= 0)
		return -1;
	return cell->number < sheet->whole ? 100 * cell->number / sheet->whole : 100;
}

static void print_cell(const struct sheet *sheet, size_t row, size_t column, FILE *out)
{
	const struct sheet_column *kind = &sheet->columns[column];
	const struct cell *cell = sheet_cell(sheet, row, column);
	const double share = share_of(sheet, kind, cell);
	char text[CELL_TEXT_SIZE];

	if (kind->kind == CELL_SOURCE)
		fputs("<td class=\"src\">", out);
	else if (cell_is_text(kind->kind) && kind->kind != CELL_RIGHT)
		fputs("<td class=\"l\">", out);
	else if (share >= 0)
		fprintf(out, "<td class=\"share%s\" style=\"--s:%.1f%%%s\">", sheet_is_rest(kind) ? " rest" : "", share,
			kind->kind == CELL_SHARE ? ";min-width:0" : "");
	else
		fputs("<td>", out);
	escape_html(out, cell->known && cell_is_text(kind->kind) ? cell->text : cell_shown(sheet, kind, cell, text));
	fputs("</td>", out);
}

static void print_headings(const struct sheet *sheet, FILE *out)
{
	for (size_t i = 0; i < sheet->nr_columns; i++) {
		const struct sheet_column *column = &sheet->columns[i];
		const bool is_left = cell_is_text(column->kind) && column->kind != CELL_RIGHT;

		if (!column->heading)
			continue;
		fprintf(out, "<th%s>", is_left ? " class=\"l\"" : "");
		escape_html(out, column->heading);
		fputs("</th>", out);
	}
}

void sheet_html(const struct sheet *sheet, const char *id, bool (*shows)(const struct sheet *sheet, size_t row), FILE *out)
{
	fputs("<table", out);
	if (id)
		fprintf(out, " id=\"%s\"", id);
	fputs("><tr>", out);
	print_headings(sheet, out);
	fputs("</tr>\n", out);
	for (size_t row = 0; row < sheet_rows(sheet); row++) {
		if (shows && !shows(sheet, row))
			continue;
		fputs("<tr>", out);
		for (size_t i = 0; i < sheet->nr_columns; i++)
			if (sheet->columns[i].heading)
				print_cell(sheet, row, i, out);
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
}
