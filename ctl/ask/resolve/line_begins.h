/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_begins.h - where control comes to a source line.
 *
 * A line often has several addresses: the two halves of `a && b`, the beginning and the step of a `for`.  Who counts how
 * often the line was reached must count at those only to which control comes from other lines.
 */
#ifndef KTRACE_LINE_BEGINS_H
#define KTRACE_LINE_BEGINS_H

#include "ctl/ask/resolve/function_lines.h"

/* Set `begins` and `repeats` of all addresses, from the function's code.  An address that is not found in it begins. */
void line_begins_find(const struct target *target, struct function_lines *lines);

/* An instruction of the function, for line_begins_mark(). */
struct flow_insn {
	uint64_t addr;
	uint64_t target;	/* of a jump; 0: none, or not known */
	bool goes_on;		/* control can go on to the next one in the array */
	bool from_outside;	/* control can come there in ways that are not known */
};

/* The same, from the instructions, in the order of their addresses. */
void line_begins_mark(struct function_lines *lines, const struct flow_insn *insns, size_t n);

#endif
