/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet.h - a table of figures, which every output format prints in its own way. */
#ifndef KTRACE_SHEET_H
#define KTRACE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cell_kind {
	CELL_TEXT,
	CELL_NUMBER,		/* a count */
	CELL_RATE,		/* a count for each second */
	CELL_ID,		/* a number that is no count: a pid, for instance */
	CELL_BYTES,
	CELL_TIME,		/* ns */
	CELL_SHARE,		/* a time in ns, which people see as a part of the length of the recording */
};

struct sheet_column {
	const char *key;	/* in JSON and CSV; NULL: only people see it */
	const char *heading;	/* for people; NULL: only programs see it */
	enum cell_kind kind;
};

struct cell {
	bool known;
	bool few;		/* not known, because there are too few samples */
	double number;
	const char *text;	/* CELL_TEXT; not a copy */
};

struct sheet {
	const char *key, *title;
	const struct sheet_column *columns;
	size_t nr_columns;
	size_t by;		/* the column that it is sorted by, the largest first */
	double whole;		/* ns; the whole of CELL_SHARE */
	struct cell *cells;	/* row by row */
	size_t nr_cells;
	char **kept;		/* texts that belong to the sheet */
	size_t nr_kept;
};

size_t sheet_rows(const struct sheet *sheet);
const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column);

/* Add the next cell; rows fill from the left. */
void sheet_text(struct sheet *sheet, const char *text);		/* NULL: not known; else it must outlive the sheet */
void sheet_format(struct sheet *sheet, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sheet_number(struct sheet *sheet, double number);
void sheet_unknown(struct sheet *sheet);
void sheet_few(struct sheet *sheet);
void sheet_sort(struct sheet *sheet);
/* The number of the column with this key; nr_columns: there is none. */
size_t sheet_column(const struct sheet *sheet, const char *key);
/* Do the first `most` rows have a cell of too few samples? */
bool sheet_has_few(const struct sheet *sheet, size_t most);
/* Remove the rows for which keep() returns false. */
void sheet_filter(struct sheet *sheet, bool (*keep)(const struct cell *row, const void *arg), const void *arg);
void sheet_free(struct sheet *sheet);

/* At most `most` rows for people, aligned; "?" is not known, "-" are too few samples.  Returns how many rows were left out. */
size_t sheet_print(const struct sheet *sheet, size_t most, FILE *out, bool colour);

#define CELL_TEXT_SIZE	100

/* A cell as people read it; of texts the first bytes, without control characters. */
const char *cell_text(const struct sheet *sheet, const struct sheet_column *column, const struct cell *cell,
		      char buf[CELL_TEXT_SIZE]);

#endif
