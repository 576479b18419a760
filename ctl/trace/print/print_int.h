/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_int.h - internals of print.c and the three formats. */
#ifndef KTRACE_PRINT_INT_H
#define KTRACE_PRINT_INT_H

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "ctl/base/device/desc.h"
#include "ctl/ask/events/value_names.h"
#include "ctl/base/device/clockmap.h"
#include "ctl/trace/print/print.h"
#include "ctl/trace/print/print_columns.h"
#include "ctl/trace/print/runner.h"

#define MAX_FLAGS	6
#define NS_PER_S	1000000000LL
#define SYMBOL_SIZE	192

/* The time of a record, and the difference shown with it. */
struct moment {
	int64_t wall_ns;	/* since the epoch */
	bool has_delta;		/* false for the first record */
	int64_t delta_ns;
};

/* One value of a record.  ALLREGS has one for each register. */
struct item {
	enum field_kind kind;
	const char *name;
	uint64_t value;
	uint8_t bytes;		/* shown width */
	bool is_signed;		/* value is extended according to it */
	bool unreadable;
	bool absent;		/* the object has no such part, see struct field; it is then unreadable, too */
	bool has_address;	/* FIELD_STRING: its address is known */
	uint64_t address;
	const uint8_t *raw;	/* FIELD_STRING, FIELD_BACKTRACE: length bytes, length addresses; objects: length bytes */
	size_t length;
	const struct desc *desc;	/* FIELD_BACKTRACE: that of the record */
	bool is_cut;		/* FIELD_STRING: the string is longer */
	bool breaks_off;	/* FIELD_STRING: its rest is unreadable */
	bool is_late;		/* FIELD_STRING: it was read at the return, not at the entry */
	const char *word;	/* a word in place of the value: an enumerator, or FIELD_TEXT; else NULL */
	bool is_shown;		/* `word` is the value as the user wants it: x, b, ip ... */
	size_t group;		/* see struct field */
	/* Texts, of which item_begin() clears only the first byte: */
	char named[VALUE_NAMES_SIZE];	/* memory of `word` */
	char symbol[SYMBOL_SIZE];	/* "module:name+0xoff" that the value points to, or "" */
};

/* An item without a value; the rest is 0. */
static inline void item_begin(struct item *item, enum field_kind kind, const char *name)
{
	memset(item, 0, offsetof(struct item, named));
	item->named[0] = item->symbol[0] = '\0';
	item->kind = kind;
	item->name = name;
}

struct print_ops {
	/* Records of the descriptor will come; may be NULL. */
	void (*expect)(struct printer *printer, const struct desc *desc);
	void (*hit)(struct printer *printer, const struct record *record,
		    const struct moment *moment);
	void (*lost)(struct printer *printer, const struct record *record,
		     const struct moment *moment);
	void (*end)(struct printer *printer);		/* after a snapshot; may be NULL */
};

extern const struct print_ops print_text, print_json, print_csv;

struct signatures;

struct printer {
	FILE *out;
	const struct print_ops *ops;
	const struct symtab *tab;
	const struct clockmap *map;
	struct user_code *code;	/* NULL: callers in programs have no names */
	bool with_state;
	struct match *match;	/* NULL: print all records */
	uint64_t skip, most, printed;	/* of the records that match */
	bool has_runners;
	const struct runner *runners;	/* of the snapshot; NULL: not known */
	const struct runner *runner;	/* of the record that is looked at; not NULL if has_runners */
	/* State of the differences. */
	bool has_last, has_base;
	struct instant last, base;
	struct csv *csv;	/* state of CSV; NULL: none yet */
	/* State of the text format. */
	printer_line_fn *line;	/* NULL: only source lines that descriptors have are shown */
	void *line_arg;
	struct shown_line {
		uint64_t addr;
		char *text;	/* "": not known */
	} *lines;
	size_t nr_lines;
	bool colour;
	int width;		/* of the name column; never shrinks */
	struct signatures *names;	/* of all records, on a terminal; else NULL */
	int number_width[KT_NR_CURS + 1];	/* of the task's properties, the last for unknown ones; never shrink */
	struct runner_columns {
		int width[4];	/* of cpu, pid, tid and comm; they never shrink */
		bool is_headed;
	} runner_columns;
	struct runner_texts *runner_texts;	/* of the record that was looked at last; NULL: none yet */
	int owed;		/* blanks still to print before the next text on the line */
	int before;		/* of these, those to print with the name of the value that comes */
	size_t rows, columns;	/* of the terminal; 0: none */
	struct value_columns cells;
	uint64_t lost;		/* not yet reported */
	bool dated;
	int64_t second;		/* the second that `local` belongs to */
	struct tm local;
	char date[16];		/* the date last shown, or of today */
};

typedef void item_fn(struct printer *printer, const struct item *item, void *arg);

/* Call `each` for every value of the record, in the order of the options. */
void record_items(struct printer *printer, const struct record *record, item_fn *each, void *arg);

/* The values of a record as text, without its name and time: on one line, or each on a line of its own. */
void printer_values(struct printer *printer, const struct record *record, bool one_line);

/* Columns that time and difference take, with the gap between them and the values' own. */
extern const int print_text_moment_width;
/* Print a value with its name as text. */
void print_text_item(struct printer *printer, const struct item *item);

/* Print a value: as an object of `data`, arg is a struct json; for a CSV field, without its name. */
void item_json(struct printer *printer, const struct item *item, void *arg);
void item_csv(struct printer *printer, const struct item *item);

/*
 * The name of a record: what was asked for where that is a line of the source or an inlined function ("fs/read_write.c:589",
 * "inline:fdget_pos in ksys_write"), else the address.  In buf, or the descriptor's.
 */
#define RECORD_NAME	1024
const char *record_name(const struct desc *desc, char buf[RECORD_NAME]);
/* The source line of an instruction inside a function, where the name of its records is no source line; else "". */
const char *record_line(struct printer *printer, const struct desc *desc);
/*
 * The name for text, with the source line where a line has room for it: see printer_lines().  On a terminal functions of
 * C++ and Rust have short names (signatures.h).
 */
const char *shown_name(struct printer *printer, const struct desc *desc, char buf[RECORD_NAME]);
/* The short form of the name of records, or of their descriptor, where the printer shows those. */
const char *short_name(const struct printer *printer, const char *name);
/* Does that have the source line?  Else it stands behind the values. */
bool name_has_line(const struct printer *printer);

/*
 * print_runner.c: the task of a record.  Its values are items with the names cpu, pid, tid and comm; those that are not known
 * are unreadable.
 */
#define RUNNER_ITEMS	4
void runner_items(const struct runner *runner, uint32_t cpu, struct item out[RUNNER_ITEMS]);
/* As text: reserve the columns; print them, with their names or below a heading; print the heading. */
void runner_expect(struct printer *printer, const struct record *record);
void runner_text(struct printer *printer, const struct record *record, bool has_heading);
void runner_heading(struct printer *printer);
/* Columns that runner_heading() takes, with the gaps before them. */
int runner_width(const struct printer *printer);

void csv_free(struct csv *csv);

#define READ_LATE	"(read at the return)"
/* The control flags of a descriptor in the order in which they are shown.  Returns their number. */
size_t desc_flags(const struct desc *desc, const char *out[MAX_FLAGS]);
/* The flag as text shows it. */
const char *desc_flag_text(const char *flag);

#define NUMBER_SIZE	32	/* of the text of a number */
/* Is a constant a number, of at most that value?  With the highest bits it is an address rather than negative. */
bool const_is_number(uint64_t value, int64_t most);
/* Format a constant: decimal unless it is large. */
int format_const(char buf[NUMBER_SIZE], uint64_t value);

/* Format a number by its type: decimal; large unsigned 64-bit numbers in hex. */
int format_number(char buf[NUMBER_SIZE], const struct item *item);

double item_float(const struct item *item);
/* A floating-point number, with as many digits as tell it from its neighbours.  Not every one is a number of JSON. */
int format_float(char buf[NUMBER_SIZE], const struct item *item);

/* Is it a packet, or a list of numbers?  `word` is the text for it. */
static inline bool item_is_object(const struct item *item)
{
	return item->kind == FIELD_PACKET || item->kind == FIELD_NUMBERS;
}

/* Is it always shown as a decimal number? */
bool item_is_decimal(const struct item *item);

/* The mark behind a text that was cut: "...", or "...?" if its rest is unreadable; else "". */
const char *item_cut(const struct item *item);

/* The n-th address of a backtrace.  buf is its symbol, "?" if it stands for callers that are not known, or "". */
uint64_t item_caller(const struct printer *printer, const struct item *item, size_t n,
		     char buf[SYMBOL_SIZE]);

/* "2026-11-20T13:03:11.482913207Z" */
#define UTC_SIZE	40
void format_utc(char buf[UTC_SIZE], int64_t wall_ns);

#endif
