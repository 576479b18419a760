// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_live.c - the figures of an interval: true, or unknown.  See trace_live(). */
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/show/report/trace_report.h"

/* These are true whatever was lost: what a row is about, and what says itself how much is missing. */
static bool is_always_known(const struct sheet_column *column)
{
	static const char *const keys[] = { "name", "names", "process", "kind", "unknown_ns", "events", "lost" };

	for (size_t i = 0; column->key && i < ARRAY_SIZE(keys); i++)
		if (!strcmp(column->key, keys[i]))
			return true;
	return column->kind == CELL_ID;
}

static void hide(struct cell *cell)
{
	cell->known = cell->few = false;
	cell->number = 0;
}

static double number_at(const struct sheet *sheet, const struct cell *row, const char *key)
{
	const size_t column = sheet_column(sheet, key);

	return column < sheet->nr_columns && row[column].known ? row[column].number : 0;
}

/* Counts and sums lack what was lost. */
static void hide_counts(const struct sheet *sheet, struct cell *row)
{
	for (size_t i = 0; i < sheet->nr_columns; i++)
		if (sheet->columns[i].kind != CELL_SHARE && !is_always_known(&sheet->columns[i]))
			hide(&row[i]);
}

static void hide_shares(const struct sheet *sheet, struct cell *row)
{
	for (size_t i = 0; i < sheet->nr_columns; i++)
		if (sheet->columns[i].kind == CELL_SHARE && !is_always_known(&sheet->columns[i]))
			hide(&row[i]);
}

static void hide_modes(const struct sheet *sheet, struct cell *row)
{
	static const char *const keys[] = { "user_ns", "kernel_ns" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (sheet_column(sheet, keys[i]) < sheet->nr_columns)
			hide(&row[sheet_column(sheet, keys[i])]);
}

struct process_column {
	size_t column;
	uint64_t pid;
};

static bool is_of_process(const struct cell *row, const void *arg)
{
	const struct process_column *wanted = arg;

	return row[wanted->column].known && row[wanted->column].number == wanted->pid;
}

void trace_live(const struct trace_report *r, struct sheet *sheet)
{
	const struct process_column wanted = { sheet_column(sheet, "pid"), r->pid };
	const double error = SHARE_ERROR * sheet->whole;

	if (r->pid && wanted.column < sheet->nr_columns)
		sheet_filter(sheet, is_of_process, &wanted);
	for (size_t i = 0; i < sheet_rows(sheet); i++) {
		struct cell *row = &sheet->cells[i * sheet->nr_columns];

		if (number_at(sheet, row, "user_or_kernel_ns") > error)
			hide_modes(sheet, row);
		if (r->a->lost || r->braked)
			hide_counts(sheet, row);
		if (r->braked || number_at(sheet, row, "unknown_ns") > error)
			hide_shares(sheet, row);
	}
}
