/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_lines.h - the source lines of a function: the addresses where their statements begin, and the key of a call
 * there.
 */
#ifndef KTRACE_FUNCTION_LINES_H
#define KTRACE_FUNCTION_LINES_H

#include "ctl/ask/resolve/debuginfo.h"
#include "symbols/index/line.h"
#include "symbols/index/scope.h"

struct line_addr {
	uint64_t addr;
	size_t line;		/* index into struct function_lines */
	uint16_t reg;		/* register + bias has the same value at each address of one call */
	int32_t bias;
	/* Set by line_begins_find(): control can come there from another line; and also from the line itself. */
	bool begins, repeats;
};

struct line_name {
	const char *file;
	uint32_t number;
	char *inlined;		/* the inlined function that contains the line; NULL: none; freed with lines */
	/* not a line: the function that calls leave to by a jump; else NULL; freed with lines */
	char *jumped;
};

struct function_lines {
	struct line_name *v;	/* lines of the function's own file first, in order within a file */
	size_t n;
	struct line_addr *addrs;	/* [0]: the entry */
	size_t nr_addrs;
	uint32_t decl;		/* line of its declaration; 0: unknown */
	struct code_piece {
		uint64_t addr, size;
	} *pieces;		/* its code, the piece with the entry first */
	size_t nr_pieces;
};

/* Find the lines of the function that `entry` enters. */
bool function_lines_find(const struct target *target, const struct probe_point *entry, struct function_lines *out, struct error *err);
/* Add a row for the time in the function that a tail jump leads to; the stack there is as at an entry. */
void function_lines_add_jump(struct function_lines *lines, const struct target *target, const struct tail_jump *jump);
void function_lines_free(struct function_lines *lines);

/*
 * The line of the function that is being executed at addr: in an inlined copy the line that calls it, with its name:
 * "net/sess.c:58 (sess_get)".  "" as in addr_info_line().  Returns buf.
 */
const char *function_line_at(const struct target *target, uint64_t addr, char *buf, size_t size);

/*
 * The line at addr as in addr_info_line(), and in an inlined copy the name of its function: "net/sess.c:39 (sess_get)".
 * Returns buf.
 */
const char *function_line_in(const struct target *target, uint64_t addr, char *buf, size_t size);
/* The same in short for an instruction inside a function: "sess.c:39 (sess_get)".  "" at the function's entry, too. */
const char *function_line_short(const struct target *target, uint64_t addr, char *buf, size_t size);

/*
 * Among the rows of one address, find the row that its instruction counts for: the last statement, as in gdb
 * and perf.  Where an inlined copy begins, it is the line of the call, as gdb does it.  NULL: no statement
 * begins there.  function is NULL if its scopes are unknown.
 */
const struct ix_line *lines_statement(const struct scope *function, const struct ix_line *rows, size_t n);
/*
 * The inlined function that contains a line; NULL: the function itself.  Of the candidates it is the one
 * declared last above the line in its file.  So the line of a call belongs to the caller, even if its
 * instructions are in the copy.
 */
const char *lines_inlined(const struct scope *function, const struct ix_line *row);

#endif
