/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - aligned columns of text. */
#ifndef KTRACE_TABLE_H
#define KTRACE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct table {
	const char *align;	/* one letter for each column: l(eft), r(ight), or n(ame), which is left, too */
	char **cells;		/* row by row */
	size_t nr_cells;
};

/* Add the next cell, as escape_shown() shows it; rows fill from the left. */
void table_add(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * If the table takes more than so many columns of the screen, show its names in short forms that differ (signatures.h).
 * 0: a line may have any length.
 */
void table_shorten(struct table *table, size_t columns);
/*
 * Print with two blanks between columns and none at the end of a line.  headings: so many of the first rows are headings.
 * The first column stands out.  On a terminal (fit_columns() of out) names are shortened as above.
 */
void table_print(struct table *table, size_t headings, FILE *out, bool colour);
/* The columns of the screen that it takes. */
size_t table_width(const struct table *table);
void table_free(struct table *table);

#define AUTO_TABLE __attribute__((cleanup(table_free)))

#endif
