/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope.h - functions of an index: nested scopes with their variables.
 *
 * The stream of a scope: kind, flags, name, file + 1, line, type + 1 (of the return value); number of ranges,
 * and for each its begin (signed, relative to the function's low) and size; for an inlined copy: its entry
 * (signed, relative likewise), file + 1 and line of the call; for a function: the bytes of its frame base;
 * number of variables and of inner scopes; all variables, parameters first and in order; all inner scopes.
 *
 * The stream of a variable: flags, name, type + 1, line, then its place VAR_*, and
 *   EXPR, BLOCK  bytes
 *   LIST         number of parts; for each begin (signed, relative likewise), size, bytes; a part near the
 *                function's entry may be empty
 *   CONSTANT     the value (signed)
 */
#ifndef KTRACE_SCOPE_H
#define KTRACE_SCOPE_H

#include "symbols/index/dbindex.h"

enum scope_kind {
	SCOPE_FUNCTION,
	SCOPE_INLINED,
	SCOPE_BLOCK,
};

#define SCOPE_EXTERNAL	(1U << 0)
#define SCOPE_RESULTS	(1U << 1)	/* results are variables, as in Go; the type is that of the first one */
/* A function whose arguments follow a calling convention that calling.h knows; none of them: it is unknown. */
#define SCOPE_C		(1U << 2)
#define SCOPE_CPP	(1U << 3)
#define SCOPE_RUST	(1U << 4)
#define SCOPE_CALLED	(SCOPE_C | SCOPE_CPP | SCOPE_RUST)
/* How the return value is passed: as VAR_BY_VALUE and so on say it of a parameter. */
#define SCOPE_BY_VALUE	(1U << 5)
#define SCOPE_BY_REFERENCE (1U << 6)
#define SCOPE_ODD	(1U << 7)
#define SCOPE_OTHER_CALL	(1U << 8)	/* it is called in another way than its language says */

enum var_form {
	VAR_NOWHERE,		/* optimised out */
	VAR_EXPR,		/* one expression for the whole scope */
	VAR_LIST,
	VAR_CONSTANT,
	VAR_BLOCK,		/* the bytes of its value */
	VAR_UNREADABLE,
};

#define VAR_PARAMETER	(1U << 0)
#define VAR_ARTIFICIAL	(1U << 1)
#define VAR_EXTERNAL	(1U << 2)	/* only declared here: a global variable of that name */
#define VAR_MISSING	(1U << 3)	/* a parameter that this copy of the function does not have */
/* Of a parameter that is an object: the compiler says that its bytes are passed, or its address. */
#define VAR_BY_VALUE	(1U << 4)
#define VAR_BY_REFERENCE (1U << 5)
#define VAR_ODD		(1U << 6)	/* its type has parts that struct type does not tell: vectors, variants */

struct var_part {
	uint32_t low, high;	/* offsets from the image's base */
	const uint8_t *expr;
	uint32_t len;
};

struct var {
	const char *name;
	uint32_t type;		/* NO_TYPE: unknown */
	uint32_t line;
	uint32_t flags;
	enum var_form form;
	int64_t constant;
	struct var_part *parts;	/* EXPR and BLOCK have one, for the whole scope */
	size_t nr_parts;
};

struct scope {
	enum scope_kind kind;
	uint32_t flags;
	const char *name;	/* "": a block */
	uint32_t file, line;	/* file + 1; 0: unknown */
	uint32_t type;		/* NO_TYPE: void */
	uint32_t entry;
	uint32_t call_file, call_line;
	struct scope_range {
		uint32_t low, high;
	} *ranges;
	size_t nr_ranges;
	const uint8_t *frame;
	uint32_t frame_len;
	struct var *vars;
	size_t nr_vars;
	struct scope *inner;
	size_t nr_inner;
	struct scope *outer;
};

/* Read all scopes of a function.  NULL: its stream is damaged, or there is no memory. */
struct scope *scope_read(const struct dbindex *ix, const struct ix_func *func);
void scope_free(struct scope *scope);

bool scope_covers(const struct scope *scope, uint32_t addr);
/* The innermost scope that covers an address. */
const struct scope *scope_at(const struct scope *scope, uint32_t addr);
/* The innermost function or inlined copy around a scope, or the scope itself. */
const struct scope *scope_function(const struct scope *scope);
/* The function around a scope. */
const struct scope *scope_outermost(const struct scope *scope);

#endif
