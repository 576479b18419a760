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
#include "ctl/trace/reader/reader.h"
#include "symbols/symtab/symbols.h"

struct clockmap;
struct desc;
struct match;
struct printer;
struct runner;
struct user_code;

/* The caller decides about colour. */
struct printer *printer_create(FILE *out, enum print_format format, bool colour);
void printer_free(struct printer *printer);
/* Set the newest clock; call it before the records of a snapshot. */
void printer_clock(struct printer *printer, const struct clockmap *map);
/* Set the newest symbols; NULL: none, as in a new printer.  Needed only for a snapshot that wants them. */
void printer_symbols(struct printer *printer, const struct symtab *tab);
/*
 * Show the source line of an instruction inside a function, "sess.c:39", also where the descriptor does not have it.
 * line() is called once for each; "": not known.  In text it stands behind the name; on a terminal of less than 100
 * columns behind the values, if there is room.
 */
typedef const char *printer_line_fn(void *arg, uint64_t addr, char *buf, size_t size);
void printer_lines(struct printer *printer, printer_line_fn *line, void *arg);
/* Name the callers in programs (user_code.h), too.  The object stays the caller's; NULL: no names, as in a new printer. */
void printer_programs(struct printer *printer, struct user_code *code);
/* Can a record (of that descriptor) contain a value that points to a symbol? */
bool desc_wants_symbols(const struct desc *desc);
bool snapshot_wants_symbols(const struct snapshot *snap);
/* Print also the state of the system at the begin of a recording?  A new printer does not. */
void printer_state(struct printer *printer, bool shown);
/* Text for a terminal of this size: lines are cut, and values stand in columns (print_columns.h).  0 columns: none. */
void printer_terminal(struct printer *printer, size_t rows, size_t columns);
/* Show also which task ran on the CPU of each record (print_runner.c).  A new printer does not. */
void printer_show_runners(struct printer *printer);
/* The tasks of the records of the snapshot that is given next, in their order; they stay the caller's. */
void printer_runners(struct printer *printer, const struct runner *runners);
/* Text with short names of C++ and Rust functions (signatures.h), as printer_terminal() with columns has it, too. */
void printer_short_names(struct printer *printer);
/* Print only the records for which the condition holds; it stays the caller's.  A new printer prints all. */
void printer_match(struct printer *printer, struct match *match);
/* Of those, leave out the first `skip`, and print at most `most`.  Differences are as if all were printed. */
void printer_range(struct printer *printer, uint64_t skip, uint64_t most);
/* So many records of the snapshot would be printed without printer_range(). */
uint64_t printer_count(struct printer *printer, const struct snapshot *snap);
/* Are all records printed that printer_range() asked for? */
bool printer_done(const struct printer *printer);
/* How many records were printed. */
uint64_t printer_printed(const struct printer *printer);
/* Reserve the columns for records that will come. */
void printer_expect(struct printer *printer, const struct desc *desc);
void printer_expect_all(struct printer *printer, const struct snapshot *snap);
/* Print a snapshot; the columns are those of all its records. */
void printer_snapshot(struct printer *printer, const struct snapshot *snap);
/* Print records [from, to) of a snapshot; call it with consecutive ranges. */
void printer_part(struct printer *printer, const struct snapshot *snap, size_t from, size_t to);

/* Print single records or lost notices, then end them. */
void printer_record(struct printer *printer, const struct record *record);
void printer_end(struct printer *printer);

#endif
