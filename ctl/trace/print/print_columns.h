/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_columns.h - values in columns, with their names once in a heading: text on a terminal, see print.h.
 *
 * One heading serves all tracepoints if the values of all of them fit side by side; a record has blanks where its
 * tracepoint lacks a value.  Else each of a few tracepoints has a heading of its own, which begins with its name:
 *
 *   vfs_write            time                difference        comm  count
 *   vfs_read+0x1f        time                difference        pid  elapsed
 */
#ifndef KTRACE_PRINT_COLUMNS_H
#define KTRACE_PRINT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct desc;
struct printer;
struct record;

#define MOST_HEADINGS	4	/* more stand too far from their records */

struct heading {
	char *of;		/* name of the tracepoint; NULL: of all */
	struct column {
		char *name;
		int width;	/* never shrinks */
	} *v;
	size_t n;
};

struct value_columns {
	struct heading all;
	struct heading each[MOST_HEADINGS];
	size_t nr_each;
	bool are_same;		/* all tracepoints have the same values */
	bool are_many;		/* there are more than MOST_HEADINGS, or one has other values than before */
	int flags;		/* width of the control flags behind the values */
	bool is_headed;		/* the headings are printed, one of all or those of each */
	bool is_of_all;
	size_t below;		/* lines since then, with them */
};

/* For each record that will be printed, before the first one is. */
void columns_consider(struct value_columns *columns, struct printer *printer, const struct record *record);
/* The heading for records of the descriptor; NULL: their values have none, and are printed with their names. */
const struct heading *columns_heading(const struct value_columns *columns, const struct printer *printer,
				      const struct desc *desc);
/* Print the headings if it is time for them.  `begin` prints a line up to the values, `end` what follows them. */
void columns_head(struct value_columns *columns, struct printer *printer,
		  void (*begin)(struct printer *printer, const char *name), void (*end)(struct printer *printer));
/* The values of a record, from the current position of the line on. */
void columns_row(const struct heading *heading, struct printer *printer, const struct record *record);
void columns_free(struct value_columns *columns);

#endif
