/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr_int.h - shared by the expr_*.c only. */
#ifndef KTRACE_EXPR_INT_H
#define KTRACE_EXPR_INT_H

#include "ctl/lang/expr.h"
#include "ctl/resolve/vars.h"

struct resolver {
	const char *what, *text;
	const struct arch_ops *arch;
	const struct symtab *tab;
	struct vars *vars;
	struct error *err;
};

#define FAIL(r, e, ...)	expr_error((r)->err, (r)->what, (r)->text, (e)->at, __VA_ARGS__)

extern const struct expr_type EXPR_INT, EXPR_LONG, EXPR_ULONG, EXPR_POINTER;

/* e with its parts turns into a value, or an object in memory. */
bool expr_resolve_part(struct resolver *r, struct expr *e);

/* expr_name.c: e turns into what its name stands for. */
bool name_dollar(struct resolver *r, struct expr *e);
bool name_resolve(struct resolver *r, struct expr *e);
/* this_cpu(name): the variable of the CPU that runs. */
bool name_this_cpu(struct resolver *r, struct expr *e);
/* &name, &a->b */
bool name_address(struct resolver *r, struct expr *e);
/* A name that no variable has may be one of the values of an enum on the other side: false without an error if not. */
bool name_enumerator(struct resolver *r, struct expr *e, struct expr_type type);
/* Whether it is a variable or symbol, or a member of one that the parser took for one name. */
bool name_is_known(struct resolver *r, const struct expr *e);

/* expr_tree.c: trees of resolved parts; they own their parts. */
struct expr *expr_number(uint64_t value, struct expr_type type, size_t at);
struct expr *expr_binary(enum expr_op op, struct expr *a, uint64_t b, struct expr_type type);
/* The value as another type has it; what is the same in both is left out. */
struct expr *expr_converted(struct expr *e, struct expr_type type);
/* What lies at an address. */
struct expr *expr_at(struct expr *address, struct expr_type type);
struct expr *expr_copy(const struct expr *e);
/* e turns into what is in other, which is gone then. */
void expr_become(struct expr *e, struct expr *other);
void expr_become_number(struct expr *e, uint64_t value);
/* A binary operation of constants becomes its result; false with err set for a division by 0. */
bool expr_fold(struct resolver *r, struct expr *e);

/* expr_value.c */

/* A variable of that type at a place; NULL with err set. */
struct expr *value_of_variable(struct resolver *r, size_t at, const struct location *where, struct expr_type type);
/* a.name and a->name, of which a is resolved: e turns into the member. */
bool value_of_member(struct resolver *r, struct expr *e);
/* Part of a resolved composite: the member's value. */
struct expr *value_of_part(struct resolver *r, const struct expr *composite, const struct type_member *member,
			   const struct dbindex *ix);

/* What the function returns, at the instruction that does. */
struct expr *expr_result(struct resolver *r, size_t at);

/* A type as C writes it. */
const char *expr_spell(struct expr_type type, char *buf, size_t size);

#endif
