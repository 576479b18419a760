/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scope.h - functions of an index: scopes in scopes, with their variables.
 *
 * A scope's stream: kind, flags, name, file + 1, line, type + 1 (what it returns);
 * how many ranges, for each its begin (signed, from the function's low) and size;
 * of an inlined copy: where it is entered (signed, likewise), file + 1 and line of
 * the call; of a function: the bytes of its frame base; then how many variables and
 * how many scopes inside, then all variables,
 * parameters first and in their order, then all scopes.
 *
 * A variable's stream: flags, name, type + 1, line, then where it is: VAR_*, and
 *   EXPR, BLOCK  bytes
 *   LIST         how many parts; for each begin (signed, likewise), size, bytes
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
#define VAR_EXTERNAL	(1U << 2)	/* only declared here: a global of that name */

struct var_part {
	uint32_t low, high;	/* offsets from the image's base */
	const uint8_t *expr;
	uint32_t len;
};

struct var {
	const char *name;
	uint32_t type;		/* NO_TYPE: not known */
	uint32_t line;
	uint32_t flags;
	enum var_form form;
	int64_t constant;
	struct var_part *parts;	/* EXPR and BLOCK: one, of the scope's extent */
	size_t nr_parts;
};

struct scope {
	enum scope_kind kind;
	uint32_t flags;
	const char *name;	/* "" of a block */
	uint32_t file, line;	/* file + 1 */
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

/* All of a function; NULL where its stream is damaged or memory is short. */
struct scope *scope_read(const struct dbindex *ix, const struct ix_func *func);
void scope_free(struct scope *scope);

bool scope_covers(const struct scope *scope, uint32_t addr);
/* The innermost scope around an address. */
const struct scope *scope_at(const struct scope *scope, uint32_t addr);
/* The innermost function or inlined copy around a scope, itself included. */
const struct scope *scope_function(const struct scope *scope);

#endif
