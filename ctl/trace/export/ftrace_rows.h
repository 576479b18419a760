/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_rows.h - the events that Perfetto has a message for, one row each: our event and fields, and the numbers of
 * its message and fields in Perfetto's schema (protos/perfetto/trace/ftrace/ftrace_event.proto).
 */
#ifndef KTRACE_FTRACE_ROWS_H
#define KTRACE_FTRACE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* What becomes of a value. */
enum ftrace_form {
	FTRACE_AS_IS,
	FTRACE_PRIORITY,		/* LTTng's priorities begin 100 below those of ftrace */
	FTRACE_RWBS,		/* bits become letters: "WS" */
	FTRACE_FUNCTION,		/* an address; its symbol is told to Perfetto, too */
};

struct ftrace_field {
	const char *name;	/* of our field */
	uint8_t number;		/* of Perfetto's */
	enum ftrace_form form;
};

#define FTRACE_FIELDS	8	/* one more than the most fields of a row */

struct ftrace_row {
	const char *event;
	uint16_t message;	/* number of the message in Perfetto's FtraceEvent */
	struct ftrace_field fields[FTRACE_FIELDS];	/* the one after the last has name NULL */
	const char *without;	/* our fields that the message has no place for, separated by blanks; NULL: none */
};

extern const struct ftrace_row ftrace_rows[];
extern const size_t nr_ftrace_rows;

/* NULL: Perfetto has no message for the event. */
const struct ftrace_row *ftrace_row(const char *event);
/* NULL: the message has no place for the field. */
const struct ftrace_field *ftrace_field(const struct ftrace_row *row, const char *name);

#endif
