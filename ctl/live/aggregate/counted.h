/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counted.h - what tracepoints with COUNT, SUM, AVG, MIN, MAX, HIST or LHIST have counted: read it from the module, sort
 * it, and print it as text, JSON, CSV or HTML.
 */
#ifndef KTRACE_COUNTED_H
#define KTRACE_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/device/aggregate.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/error.h"
#include "ctl/live/session/session.h"

/* A key with its value; both are in struct counted.data. */
struct counted_row {
	const uint64_t *key;
	uint64_t *value;
};

/* The table of one tracepoint, or of all places that one address names. */
struct counted {
	const struct desc *desc;
	struct aggregate_data data;
	struct counted_row *rows;	/* each key once, the largest value first */
	size_t n;
	uint32_t id;		/* the module's number of it */
	uint64_t at;		/* ticks when it was read */
	uint64_t braked;	/* hits that the brake turned away since the tracepoint was set; counted_each() only */
};

void counted_free(struct counted *counted);

/* How many values a row has; their sum, and the smallest or largest one: signed if the value is. */
uint64_t counted_number(const struct counted *counted, const struct counted_row *row);
__int128 counted_sum(const struct counted *counted, const struct counted_row *row);
bool counted_is_signed(const struct counted *counted);
uint64_t counted_hits(const struct counted *counted);	/* of all rows */

/* Sort what was read, and add entries of the same key. */
void counted_sort(struct counted *counted);
/* The row with the same key in another table of the same tracepoint.  NULL: there is none. */
const struct counted_row *counted_find(const struct counted *counted, const struct counted_row *row);

/* The n-th bucket of a histogram has the values from *low up to *high, without *high. */
size_t counted_buckets(const struct counted *counted);
void counted_limits(const struct counted *counted, size_t n, __int128 *low, __int128 *high);

/* Each table that is set.  clear: and empty it. */
bool counted_each(struct session *s, bool clear, bool (*each)(struct session *s, struct counted *counted, void *arg), void *arg,
		  struct error *err);
/* The table with this id, of tracepoints with this descriptor. */
bool counted_read(struct session *s, uint32_t id, const struct desc *desc, bool clear, struct counted *out, bool *found,
		  struct error *err);

/* A value as the key of a table shows it, from the bytes of its field in a record of `desc`.  The caller frees it. */
char *counted_field_text(struct session *s, const struct desc *desc, const struct field *field, const uint8_t *bytes, size_t len);

/* Print a table in the session's format; an empty line before it, unless it is the first one in text. */
void counted_print(struct session *s, const struct counted *counted, bool *is_first);
/* Print all tables, for `print`, `printclear`. */
bool counted_print_all(struct session *s, bool clear, struct error *err);
bool counted_clear_all(struct session *s, struct error *err);

/* The tables that `follow` has shown before. */
struct counted_course;
struct counted_course *counted_course_create(void);
void counted_course_free(struct counted_course *course);
/* Print all tables, with what has come since the call before. */
bool counted_follow(struct session *s, struct counted_course *course, struct error *err);

#define NO_LIMIT	SIZE_MAX

/* One table.  before: what it was at an earlier time, for the rate; NULL: no rate.  most: so many rows. */
void counted_text(struct session *s, const struct counted *counted, const struct counted *before, size_t most);
void counted_json(struct session *s, const struct counted *counted);
void counted_csv(struct session *s, const struct counted *counted);
void counted_html(struct session *s, const struct counted *counted, FILE *out);

/* A value of 128 bits, with separators. */
#define WIDE_SIZE	64
const char *wide_text(__int128 value, char buf[WIDE_SIZE]);

#endif
