/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - records as text for people, JSON lines or CSV (docs/output.md).
 *
 * A printer keeps what goes from record to record: the previous time, the
 * BASE, the date last shown.
 */
#ifndef KTRACE_PRINT_H
#define KTRACE_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/output.h"
#include "ctl/records/reader.h"
#include "symbols/symtab/symbols.h"

struct clockmap;
struct desc;
struct printer;

/* colour as decided by the caller. */
struct printer *printer_create(FILE *out, enum print_format format, bool colour);
void printer_free(struct printer *printer);
/* To be called before the records of a snapshot: the newest clock. */
void printer_clock(struct printer *printer, const struct clockmap *map);
/* The newest symbols, NULL for none, as at first.  Only for a snapshot that wants them. */
void printer_symbols(struct printer *printer, const struct symtab *tab);
/* Does any record (of that descriptor) hold what may point at a symbol? */
bool desc_wants_symbols(const struct desc *desc);
bool snapshot_wants_symbols(const struct snapshot *snap);
/* A name that will come: room for it in the column. */
void printer_name(struct printer *printer, const char *name);
/* Columns are laid out for the names of the whole snapshot. */
void printer_snapshot(struct printer *printer, const struct snapshot *snap);
/* The same in parts, one after the other: records [from, to) of it. */
void printer_part(struct printer *printer, const struct snapshot *snap, size_t from, size_t to);

/* One by one: records or lost notices, then the end of them. */
void printer_record(struct printer *printer, const struct record *record);
void printer_end(struct printer *printer);

#endif
