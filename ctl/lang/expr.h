/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expr.h - C expressions over registers and memory, as in VAR, STR and IF.
 *
 *	file->f_path.dentry->d_name.name	variables, members
 *	*(u64*)($REG+0x18)		a word behind what a register points at
 *	((struct file *)$REG)->f_flags
 *	**(u32**)($REG+8), ((u8*)$REG)[3]
 *	$pid and the other properties of the task (property.h), current
 *	&name, &this_cpu(name)		the address of a variable
 *	(s32)$REG < 0 && $REG >= 4096
 *	ELAPSED > 1.5ms		at a return; units ns, us, ms, s
 *
 * Operators, precedence, integer promotions and pointer arithmetic are those
 * of C; a number is decimal, hexadecimal with 0x, octal with 0.  Text becomes a tree
 * (expr.c), names and types are found (expr_name.c, expr_type.c), then it is
 * compiled (compile_expr.c).
 */
#ifndef KTRACE_EXPR_H
#define KTRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "core/ktrace_abi.h"
#include "ctl/base/error.h"
#include "symbols/index/scope.h"
#include "symbols/symtab/symbols.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_DOLLAR,		/* $name: a register or a property of the task */
	EXPR_NAME,		/* a symbol */
	EXPR_THIS_CPU,		/* this_cpu(name) */
	EXPR_REG,		/* what EXPR_DOLLAR turned out to be */
	EXPR_CUR,
	EXPR_ELAPSED,		/* ticks since the call was entered */
	EXPR_UNARY,		/* - ~ ! of a */
	EXPR_BINARY,
	EXPR_CAST,
	EXPR_LOAD,		/* *a */
	EXPR_ADDRESS,		/* &a */
	EXPR_MEMBER,		/* a.name */
	EXPR_ARROW,		/* a->name */
	EXPR_LOCATION,		/* a variable that is not, or not as a whole, in memory */
};

/* Values of OP_... are also indices of the table of operators. */
enum expr_op {
	OP_NONE,
	OP_LOR, OP_LAND, OP_OR, OP_XOR, OP_AND, OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_SHL,
	OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
	OP_NOT, OP_INVERT, OP_MINUS,
};

enum expr_shape {
	SHAPE_NUMBER,		/* or void */
	SHAPE_COMPOSITE,
	SHAPE_ARRAY,
	SHAPE_FUNCTION,
};

struct expr_type {
	uint8_t bytes;		/* 1, 2, 4, 8, of what is pointed at last; 0: void, or no number */
	bool is_signed;
	bool is_char;		/* a pointer to it leads to a string */
	uint8_t stars;		/* a pointer, to a pointer ...; 0: what is said by the rest */
	bool is_time;		/* of ELAPSED, and of numbers with a unit of time: those are ns until they are resolved */
	uint8_t bits;		/* of a bit-field; else 0 */
	uint8_t indexed;	/* dimensions of an array that were taken off it */
	enum expr_shape shape;	/* of what is pointed at last */
	const struct dbindex *ix;	/* of debug information, where it is number; else NULL */
	uint32_t number;
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	struct expr_type type;
	size_t at;		/* where in the text */
	uint64_t value;		/* EXPR_NUMBER; the address of what is named; of EXPR_LOCATION the bit where it begins */
	const struct arch_reg *reg;
	enum kt_cur cur;
	char *name;		/* EXPR_DOLLAR, EXPR_NAME, EXPR_THIS_CPU, members; of a cast: its type, if not yet known */
	struct location *where;	/* EXPR_LOCATION */
	struct expr *a, *b;
};

/*
 * The longest expression that text begins with; *used is what it takes, blanks behind
 * it included.  NULL with err set when there is none: `what` stands before the text in the message.
 */
struct expr *expr_parse(const char *what, const char *text, size_t *used, struct error *err);
void expr_free(struct expr *e);

struct vars;

/* What the names in an expression may mean. */
struct expr_names {
	const struct arch_ops *arch;
	const struct symtab *tab;	/* NULL: no symbols */
	struct vars *vars;		/* NULL: no variables and types of the source */
};

/* Finds names and types, computes what is constant. */
bool expr_resolve(struct expr *e, const char *what, const char *text,
		  const struct expr_names *names, struct error *err);
/* A variable, resolved as its name would be; `what` stands before the name in messages. */
struct expr *expr_variable(const struct scope *scope, const struct var *var, const char *what,
			   const struct expr_names *names, struct error *err);

enum expr_part {
	PART_END,		/* there are not so many */
	PART_OK,
	PART_NONE,		/* it cannot be had */
};

/*
 * The n-th member of a resolved composite, or element of an array, and what is to be
 * put behind its name: ".len", "[2]", "" for what has no name.
 */
enum expr_part expr_part(const struct expr *e, size_t n, const struct expr_names *names, char *suffix,
			 size_t size, struct expr **out);

/* Bytes of a value of that type, and whether it is a signed one. */
uint8_t expr_bytes(struct expr_type type);
bool expr_is_signed(struct expr_type type);
/* Of what the pointer points at; of the elements of an array; the pointer to it. */
struct expr_type expr_target(struct expr_type type);
struct expr_type expr_element(struct expr_type type);
struct expr_type expr_pointer(struct expr_type type);
/* A type of an index. */
struct expr_type expr_type_of(const struct dbindex *ix, uint32_t number);
/* Bytes that a value of the type takes in memory, 0 where that is not known. */
uint64_t expr_size(struct expr_type type);
/* Elements of an array in its first dimension, 0 where that is not known. */
uint64_t expr_count(struct expr_type type);
bool expr_is_comparison(enum expr_op op);

/* A type by name ("u32", "unsigned long"), from a list of words; false: there is none. */
bool expr_type_named(const char *name, struct expr_type *out);
const char *expr_type_name(size_t i);	/* the i-th of the short ones, NULL behind the last */

/* The name that the text ends with, as far as it is typed; "" without. */
const char *expr_last_name(const char *text);

/* RETVAL, ELAPSED: names that are options, too. */
bool expr_is_word(const char *name);

/* "WHAT TEXT: message, at column N"; returns false. */
bool expr_error(struct error *err, const char *what, const char *text, size_t at, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));

static inline void expr_cleanup(struct expr **e)
{
	expr_free(*e);
}

#define AUTO_EXPR __attribute__((cleanup(expr_cleanup)))

#endif
