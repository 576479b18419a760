/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h - a table of figures, which is described once and written in every format: text, JSON, CSV, HTML, OpenMetrics.
 *
 * A column has a key for programs, a heading for people, or both; its kind says what a cell means.  The cells of the first row
 * make the columns, so a new column is one line.
 */
#ifndef KTRACE_SHEET_H
#define KTRACE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/output.h"

enum cell_kind {
	CELL_TEXT,		/* may be a stranger's */
	CELL_NAME,		/* a text that is shortened where lines are too long: table.h */
	CELL_WORD,		/* a word of ktrace, which CSV does not quote */
	CELL_SOURCE,		/* a line of source: its blanks count */
	CELL_RIGHT,		/* a text at the right of its column */
	CELL_NUMBER,		/* how many there are now */
	CELL_COUNTER,		/* how often something has happened so far */
	CELL_RATE,		/* a count for each second */
	CELL_ID,		/* a number that is no count: a pid, for instance */
	CELL_SIGNED,
	CELL_BYTES,
	CELL_TIME,		/* ns */
	CELL_SHARE,		/* a time in ns, which people see as a part of the length of the recording */
	CELL_PART,		/* from 0 to 1 */
	CELL_REAL,
	CELL_BOOLEAN,
	CELL_HEX,
	CELL_DIGITS,		/* a number that is a string in JSON */
	CELL_SHEET,		/* a sheet within the sheet */
	CELL_RAW,		/* JSON, as it is written */
};

struct sheet_column {
	const char *key;	/* in JSON, CSV and OpenMetrics; NULL: only people see it */
	const char *heading;	/* for people; NULL: only programs see it */
	enum cell_kind kind;
};

struct cell {
	bool known;		/* false: null in JSON, "?" for people */
	bool few;		/* not known, because there are too few samples: "-" for people */
	bool absent;		/* this row has no such cell: no member in JSON; if it is known, nothing for people */
	double number;
	uint64_t count;		/* the same number exactly; CELL_SIGNED: in two's complement */
	union {
		const char *text;		/* texts, CELL_RAW; else NULL */
		const struct sheet *sheet;	/* CELL_SHEET */
	};
};

/* What the rows are in JSON. */
enum sheet_form {
	SHEET_ROWS,		/* objects of an array; alone, a line each */
	SHEET_OBJECT,		/* the only row is an object */
	SHEET_VALUES,		/* the values of the only column are an array */
	SHEET_HISTOGRAM,	/* as SHEET_ROWS, of buckets: to_ns is their upper end, count what is in them; whole is the sum of the times */
};

struct sheet {
	const char *key;	/* in JSON: of the array or the object; of a sheet that stands alone, its type */
	const char *title;
	const struct sheet_column *columns;
	size_t nr_columns;
	size_t by;		/* the column that it is sorted by, the largest first */
	double whole;		/* ns; the whole of CELL_SHARE; of a SHEET_HISTOGRAM */
	enum sheet_form form;
	bool squeezes;		/* where a line is too long, leave out empty shares, and cut texts: they have CELL_TEXT_SIZE columns at most */
	bool splits;		/* where a line is too long, print the rest of the columns below */
	size_t room;		/* columns of the screen for it; 0: as many as the stream has */
	bool is_sum;		/* sums of the rows of another sheet beside it */
	struct cell *cells;	/* row by row */
	size_t nr_cells;
	char **kept;		/* texts and sheets that belong to the sheet */
	size_t nr_kept;
	struct sheet_column *made;	/* columns that belong to the sheet */
	size_t nr_rows;		/* begun by sheet_row() */
};

size_t sheet_rows(const struct sheet *sheet);
const struct cell *sheet_cell(const struct sheet *sheet, size_t row, size_t column);

/* Begin a row of the cells below, which each have the same columns in the same order in all rows. */
void sheet_row(struct sheet *sheet);
/*
 * Add the next cell of the row; key and heading are those of its column.  The result holds until the next cell is added: set
 * ->known = false for a figure that is not known, ->absent = true where this row has none.  Texts are copied; NULL: not known.
 */
struct cell *cell_text_as(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, const char *text);
struct cell *cell_format(struct sheet *sheet, const char *key, const char *heading, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
struct cell *cell_integer(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, uint64_t number);
struct cell *cell_double(struct sheet *sheet, enum cell_kind kind, const char *key, const char *heading, double number);
/* Take the sheet; only formats with objects within objects show it. */
struct cell *cell_sheet(struct sheet *sheet, struct sheet *part);

#define cell_text(sheet, key, heading, text)	cell_text_as(sheet, CELL_TEXT, key, heading, text)
#define cell_number(sheet, key, heading, n)	cell_integer(sheet, CELL_NUMBER, key, heading, n)
#define cell_counter(sheet, key, heading, n)	cell_integer(sheet, CELL_COUNTER, key, heading, n)
#define cell_bytes(sheet, key, heading, n)	cell_integer(sheet, CELL_BYTES, key, heading, n)
#define cell_id(sheet, key, heading, n)		cell_integer(sheet, CELL_ID, key, heading, n)
#define cell_signed(sheet, key, heading, n)	cell_integer(sheet, CELL_SIGNED, key, heading, (uint64_t)(n))
#define cell_hex(sheet, key, heading, n)	cell_integer(sheet, CELL_HEX, key, heading, n)
#define cell_digits(sheet, key, heading, n)	cell_integer(sheet, CELL_DIGITS, key, heading, (uint64_t)(n))
#define cell_boolean(sheet, key, heading, value) cell_integer(sheet, CELL_BOOLEAN, key, heading, value)
#define cell_time(sheet, key, heading, ns)	cell_double(sheet, CELL_TIME, key, heading, ns)
#define cell_real(sheet, key, heading, number)	cell_double(sheet, CELL_REAL, key, heading, number)
#define cell_part(sheet, key, heading, part)	cell_double(sheet, CELL_PART, key, heading, part)

void sheet_sort(struct sheet *sheet);
/* The number of the column with this key; nr_columns: there is none. */
size_t sheet_column(const struct sheet *sheet, const char *key);
/* Do the first `most` rows have a cell of too few samples? */
bool sheet_has_few(const struct sheet *sheet, size_t most);
/* Remove the rows for which keep() returns false. */
void sheet_filter(struct sheet *sheet, bool (*keep)(const struct cell *row, const void *arg), const void *arg);
void sheet_free(struct sheet *sheet);

#define AUTO_SHEET __attribute__((cleanup(sheet_free)))

/* ------------------------------------------------------------------- writers */

/* Write in a format: a table, or what people read of an object; JSON with a line for each row; CSV; OpenMetrics. */
void sheet_write(const struct sheet *sheet, enum print_format format, FILE *out, bool colour);

/* At most `most` rows for people, aligned; "?" is not known, "-" are too few samples.  Returns how many rows were left out. */
size_t sheet_print(const struct sheet *sheet, size_t most, FILE *out, bool colour);
/* For people: the cells of one row, a line each, behind their headings. */
void sheet_print_row(const struct sheet *sheet, size_t row, FILE *out, bool colour);
#define SHEET_LABEL	13	/* columns of such a heading */

struct json;
/* As a member of what is open. */
void sheet_json(const struct sheet *sheet, struct json *j);
/* The members of a row, into the object that is open. */
void sheet_json_row(const struct sheet *sheet, size_t row, struct json *j);

/* A line of keys, then the rows.  A figure that is not known is an empty field. */
void sheet_csv(const struct sheet *sheet, FILE *out);

/* A table of these rows for a page; shows NULL: of all.  id: of the table; NULL: none. */
void sheet_html(const struct sheet *sheet, const char *id, bool (*shows)(const struct sheet *sheet, size_t row), FILE *out);

/* Metrics named ktrace_KEY_...: docs/output.md.  One sheet is all of the output. */
void sheet_metrics(const struct sheet *sheet, FILE *out);

#define CELL_TEXT_SIZE	100

/* A cell as people read it; of texts the first bytes, without control characters. */
const char *cell_shown(const struct sheet *sheet, const struct sheet_column *column, const struct cell *cell,
		       char buf[CELL_TEXT_SIZE]);

/* Is it a share of time in which nothing was done or waited for? */
bool sheet_is_rest(const struct sheet_column *column);

static inline bool cell_is_text(enum cell_kind kind)
{
	return kind <= CELL_RIGHT;
}

#endif
