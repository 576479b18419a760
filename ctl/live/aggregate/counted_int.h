/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counted_int.h - what the formats of counted.h share. */
#ifndef KTRACE_COUNTED_INT_H
#define KTRACE_COUNTED_INT_H

#include "ctl/base/sheet/sheet.h"
#include "ctl/live/aggregate/counted.h"
#include "ctl/trace/print/print_int.h"

#define MOST_KEYS	8	/* of one BY, with the function of a pattern */

/* Call `each` for every item of the key. */
void counted_key(struct printer *printer, const struct counted *counted, const struct counted_row *row, item_fn *each, void *arg);
size_t counted_nr_keys(const struct counted *counted);

/* A printer for the items; printer_free() frees it. */
struct printer *counted_printer(struct session *s, const struct counted *counted, enum print_format format, FILE *out);

/* A part of the key as text.  The caller frees it. */
char *counted_item_text(struct printer *printer, const struct item *item);

/* Add the parts of the key to a row for people, a column each, but no stacks; for a page, stacks, too. */
void counted_add_key(struct sheet *sheet, struct printer *printer, const struct counted *counted, const struct counted_row *row,
		     bool stacks);
/* Begin a row with the key, the value and the count; what is no histogram. */
void counted_add_row(struct sheet *sheet, struct printer *printer, const struct counted *counted, const struct counted_row *row,
		     bool stacks);

/* "vfs_write COUNT BY COMM".  The caller frees it. */
char *counted_title(const struct counted *counted);

/* Name of the value in headings and JSON: "count", "sum", ... */
const char *counted_value_name(const struct counted *counted);
/* The value of a row as text: with separators, or a duration. */
#define VALUE_TEXT	80
const char *counted_value_text(const struct counted *counted, const struct counted_row *row, char buf[VALUE_TEXT]);
/* A limit of a bucket: a number, or a duration. */
const char *counted_limit_text(const struct counted *counted, __int128 limit, char buf[VALUE_TEXT]);
/* First and last bucket with a count: [*from, *to).  False: all are empty. */
bool counted_span(const struct counted *counted, const struct counted_row *row, size_t *from, size_t *to);
/* Is it open at one side: above or below all limits? */
bool counted_is_below(const struct counted *counted, size_t n);
bool counted_is_above(const struct counted *counted, size_t n);

#endif
