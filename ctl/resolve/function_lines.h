/* SPDX-License-Identifier: GPL-2.0-or-later */
/* function_lines.h - the lines of a function: the addresses at which their statements begin, and how to tell its calls apart there. */
#ifndef KTRACE_FUNCTION_LINES_H
#define KTRACE_FUNCTION_LINES_H

#include "ctl/resolve/debuginfo.h"
#include "symbols/index/scope.h"

struct line_addr {
	uint64_t addr;
	size_t line;		/* index */
	uint16_t reg;		/* register + bias is the same at each place of one call */
	int32_t bias;
};

struct line_name {
	const char *file;
	uint32_t number;
	char *inlined;		/* the function that it stands in, where that is inlined, or NULL; to be freed */
	char *jumped;		/* no line: the function that the calls were left for by a jump; else NULL; to be freed */
};

struct function_lines {
	struct line_name *v;	/* those of its own file first, each file's in order */
	size_t n;
	struct line_addr *addrs;	/* [0]: the entry */
	size_t nr_addrs;
	uint32_t decl;		/* line of its declaration, 0: not known */
};

/* Of the function that is entered at a place. */
bool function_lines_find(const struct target *target, const struct probe_point *entry, struct function_lines *out, struct error *err);
/* A row for the time in the function that is jumped to at an address; the stack is as at the entry there. */
void function_lines_add_jump(struct function_lines *lines, const struct target *target, const struct tail_jump *jump);
void function_lines_free(struct function_lines *lines);

/*
 * Of the rows of one address the one that the instruction there counts for: the last statement, as for gdb and
 * perf.  But where an inlined copy is entered, the line that calls it, where gdb stops.  NULL: no statement
 * begins there.  function: NULL where its scopes are not known.
 */
const struct ix_line *lines_statement(const struct scope *function, const struct ix_line *rows, size_t n);
/*
 * The inlined function that a line stands in, NULL for one of the function itself: of both, the one that is declared last
 * above it in its file.  So the line of a call is the caller's, whichever copy its instructions are in.
 */
const char *lines_inlined(const struct scope *function, const struct ix_line *row);

#endif
