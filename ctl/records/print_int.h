/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_int.h - shared by print.c and the three formats. */
#ifndef KTRACE_PRINT_INT_H
#define KTRACE_PRINT_INT_H

#include <time.h>

#include "ctl/device/desc.h"
#include "ctl/records/print.h"

#define MAX_FLAGS	5
#define NS_PER_S	1000000000LL
#define SYMBOL_SIZE	192

/* When a record was taken, and the difference that is shown with it. */
struct moment {
	int64_t wall_ns;	/* since the epoch */
	bool has_delta;		/* not the first one */
	int64_t delta_ns;
};

/* One value of a record.  ALLREGS are one for each register. */
struct item {
	enum field_kind kind;
	const char *name;
	uint64_t value;
	uint8_t bytes;		/* shown width */
	bool is_signed;		/* value is extended accordingly */
	bool unreadable;
	bool has_address;	/* FIELD_STRING: where it is, is known */
	uint64_t address;
	const uint8_t *raw;	/* FIELD_STRING, FIELD_BACKTRACE: length bytes, length addresses */
	size_t length;
	bool is_cut;		/* FIELD_STRING: there was more of it, */
	bool breaks_off;	/* which cannot be read */
	const char *word;	/* that stands for the value: of an enum; FIELD_TEXT; else NULL */
	size_t group;		/* see struct field */
	char symbol[SYMBOL_SIZE];	/* "module:name+0xoff" it points at, or "" */
};

struct print_ops {
	void (*begin)(struct printer *printer);		/* before anything, once; may be NULL */
	void (*hit)(struct printer *printer, const struct record *record,
		    const struct moment *moment);
	void (*lost)(struct printer *printer, const struct record *record,
		     const struct moment *moment);
	void (*end)(struct printer *printer);		/* of a snapshot; may be NULL */
};

extern const struct print_ops print_text, print_json, print_csv;

struct printer {
	FILE *out;
	const struct print_ops *ops;
	const struct symtab *tab;
	const struct clockmap *map;
	bool begun;
	/* For the differences. */
	bool has_last, has_base;
	uint64_t last, base;
	/* For the text. */
	bool colour;
	int width;		/* of the name column; never shrinks */
	int number_width[KT_NR_CURS + 1];	/* of the task's properties, the last of unknown ones; never shrink */
	int owed;		/* blanks before what follows on the line */
	uint64_t lost;		/* not yet told */
	bool dated;
	int64_t second;		/* that local is of */
	struct tm local;
	char date[16];		/* last shown, or known from the day it is */
};

typedef void item_fn(struct printer *printer, const struct item *item, void *arg);

/* Calls each for every value of the record, in the order in which they were asked for. */
void record_items(struct printer *printer, const struct record *record, item_fn *each, void *arg);

/* The control flags of a descriptor in the order in which they are shown; returns how many. */
size_t desc_flags(const struct desc *desc, const char *out[MAX_FLAGS]);

/* A constant as people write it: decimal unless it is large. */
int format_const(char *buf, size_t size, uint64_t value);

/* A number as its type has it: decimal; of unsigned ones of 64 bits those that are large, in hex. */
int format_number(char *buf, size_t size, const struct item *item);

/* Is it shown as a decimal number, whatever its size? */
bool item_is_decimal(const struct item *item);

/* What stands behind a text that was cut: "...", or "...?" where its rest cannot be read; else "". */
const char *item_cut(const struct item *item);

/* The n-th address of a backtrace; its symbol goes to buf, "" without. */
uint64_t item_caller(const struct printer *printer, const struct item *item, size_t n,
		     char buf[SYMBOL_SIZE]);

/* "2026-11-20T13:03:11.482913207Z" */
#define UTC_SIZE	40
void format_utc(char buf[UTC_SIZE], int64_t wall_ns);

#endif
