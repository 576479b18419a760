/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - print records as text, JSON lines or CSV (docs/output.md).
 *
 * A printer keeps state between records: the previous time, the BASE, the date last shown.
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

/* The caller decides about colour. */
struct printer *printer_create(FILE *out, enum print_format format, bool colour);
void printer_free(struct printer *printer);
/* Set the newest clock; call it before the records of a snapshot. */
void printer_clock(struct printer *printer, const struct clockmap *map);
/* Set the newest symbols; NULL: none, as in a new printer.  Needed only for a snapshot that wants them. */
void printer_symbols(struct printer *printer, const struct symtab *tab);
/* Can a record (of that descriptor) contain a value that points to a symbol? */
bool desc_wants_symbols(const struct desc *desc);
bool snapshot_wants_symbols(const struct snapshot *snap);
/* Print also the state of the system at the begin of a recording?  A new printer does not. */
void printer_state(struct printer *printer, bool shown);
/* Reserve room in the name column for a name that will come. */
void printer_name(struct printer *printer, const char *name);
/* Print a snapshot; the columns are wide enough for all its names. */
void printer_snapshot(struct printer *printer, const struct snapshot *snap);
/* Print records [from, to) of a snapshot; call it with consecutive ranges. */
void printer_part(struct printer *printer, const struct snapshot *snap, size_t from, size_t to);

/* Print single records or lost notices, then end them. */
void printer_record(struct printer *printer, const struct record *record);
void printer_end(struct printer *printer);

#endif
