/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expr.h - C expressions over registers and memory, as in VAR, STR and IF.
 *
 *	*(u64*)($rdi+0x18)		a word behind what a register points at
 *	**(u32**)($rdi+8), ((u8*)$rsi)[3]
 *	$pid, $tgid, $uid, $gid, $pgrp, $cpu, current
 *	&name, &this_cpu(name)		the address of a variable
 *	(s32)$rax < 0 && $rdx >= 4096
 *
 * Operators, precedence, integer promotions and pointer arithmetic are those
 * of C; a number is decimal, or hexadecimal with 0x.  Text becomes a tree
 * (expr.c), names and types are found (expr_type.c), then it is compiled
 * (compile_expr.c).
 */
#ifndef KTRACE_EXPR_H
#define KTRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ctl/error.h"
#include "kmod/ktrace_abi.h"
#include "symbols/symbols.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_DOLLAR,		/* $name: a register or a property of the task */
	EXPR_NAME,		/* a symbol */
	EXPR_THIS_CPU,		/* this_cpu(name) */
	EXPR_REG,		/* what EXPR_DOLLAR turned out to be */
	EXPR_CUR,
	EXPR_UNARY,		/* - ~ ! of a */
	EXPR_BINARY,
	EXPR_CAST,
	EXPR_LOAD,		/* *a */
	EXPR_ADDRESS,		/* &a */
};

/* Values of OP_... are also indices of the table of operators. */
enum expr_op {
	OP_NONE,
	OP_LOR, OP_LAND, OP_OR, OP_XOR, OP_AND, OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_SHL,
	OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
	OP_NOT, OP_INVERT, OP_MINUS,
};

struct expr_type {
	uint8_t bytes;		/* 1, 2, 4, 8, of what is pointed at last; 0: void */
	bool is_signed;
	bool is_char;		/* a pointer to it leads to a string */
	uint8_t stars;		/* a pointer, to a pointer ...; 0: a number */
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	struct expr_type type;
	size_t at;		/* where in the text */
	uint64_t value;		/* EXPR_NUMBER; the address of what is named */
	const struct arch_reg *reg;
	enum kt_cur cur;
	char *name;		/* EXPR_DOLLAR, EXPR_NAME, EXPR_THIS_CPU */
	struct expr *a, *b;
};

/*
 * The longest expression that text begins with; *used is what it takes, blanks behind
 * it included.  NULL with err set when there is none: `what` stands before the text in the message.
 */
struct expr *expr_parse(const char *what, const char *text, size_t *used, struct error *err);
void expr_free(struct expr *e);

/* Finds names and types, computes what is constant.  tab may be NULL. */
bool expr_resolve(struct expr *e, const char *what, const char *text,
		  const struct arch_ops *arch, const struct symtab *tab, struct error *err);

/* Bytes of a value of that type, and whether it is a signed one. */
uint8_t expr_bytes(struct expr_type type);
bool expr_is_signed(struct expr_type type);
/* Of what the pointer points at. */
struct expr_type expr_target(struct expr_type type);
bool expr_is_comparison(enum expr_op op);

/* A type by name ("u32", "unsigned long"), from a list of words; false: there is none. */
bool expr_type_named(const char *name, struct expr_type *out);
const char *expr_type_name(size_t i);	/* the i-th of the short ones, NULL behind the last */

/* Properties that have names: "pid", ...  NULL behind the last. */
const char *expr_property(size_t i);

/* "WHAT TEXT: message, at column N"; returns false. */
bool expr_error(struct error *err, const char *what, const char *text, size_t at, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));

static inline void expr_cleanup(struct expr **e)
{
	expr_free(*e);
}

#define AUTO_EXPR __attribute__((cleanup(expr_cleanup)))

#endif
