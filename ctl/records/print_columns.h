/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_columns.h - values in columns, with their names once in a heading: text on a terminal, see print.h. */
#ifndef KTRACE_PRINT_COLUMNS_H
#define KTRACE_PRINT_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

struct printer;
struct record;

/* The columns of the values that records have in common. */
struct value_columns {
	char **names;
	int *widths;		/* never shrink while the names stay */
	size_t n;
	bool is_used;		/* all records of the snapshot have these names */
	bool is_headed;		/* the line before was under their heading */
	bool is_first;		/* no record of the snapshot was considered yet */
};

/*
 * Of each snapshot: columns_begin(), then columns_consider() for each record that will be printed.  If not all have the
 * same values, is_used is false.
 */
void columns_begin(struct value_columns *columns);
void columns_consider(struct value_columns *columns, struct printer *printer, const struct record *record);
/* The names, from the current position of the line on. */
void columns_heading(const struct value_columns *columns, FILE *out);
/* The values of a record, likewise. */
void columns_row(const struct value_columns *columns, struct printer *printer, const struct record *record);
void columns_free(struct value_columns *columns);

#endif
