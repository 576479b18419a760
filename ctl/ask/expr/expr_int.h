/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr_int.h - internals of expr_*.c. */
#ifndef KTRACE_EXPR_INT_H
#define KTRACE_EXPR_INT_H

#include "ctl/ask/expr/expr.h"
#include "ctl/ask/resolve/vars.h"

struct resolver {
	const char *what, *text;
	const struct arch_ops *arch;
	const struct symtab *tab;
	struct vars *vars;
	struct error *err;
	bool in_row;		/* names of fields are not known */
};

#define FAIL(r, e, ...)	expr_error((r)->err, (r)->what, (r)->text, (e)->at, __VA_ARGS__)

extern const struct expr_type EXPR_INT, EXPR_LONG, EXPR_ULONG, EXPR_POINTER;

/* Why a type is not known (type_is_unknown()). */
const char *expr_why_unknown(const struct resolver *r);
/* Resolve e and its operands to a value or an object in memory. */
bool expr_resolve_part(struct resolver *r, struct expr *e);
/* The same, to a value that can be computed with. */
bool expr_resolve_value(struct resolver *r, struct expr *e);
/* Of what expr_resolve_part() has resolved: make it such a value. */
bool expr_take_value(struct resolver *r, struct expr *e);

/* expr_dollar.c: replace e by the meaning of its name, which had a $. */
bool dollar_resolve(struct resolver *r, struct expr *e);
/* Is it `comm`?  The name of the task is no number, so there is no $comm: the error says what to write. */
bool dollar_is_name(struct resolver *r, const struct expr *e);
/* Is it a register or a property without its $?  The error says so. */
bool dollar_is_missing(struct resolver *r, const struct expr *e);

/* expr_name.c: replace e by the meaning of its name. */
bool name_resolve(struct resolver *r, struct expr *e);
/* this_cpu(name): the variable of the current CPU. */
bool name_this_cpu(struct resolver *r, struct expr *e);
/* per_cpu(name, number): the variable of that CPU. */
bool name_per_cpu(struct resolver *r, struct expr *e);
/* &name, &a->b */
bool name_address(struct resolver *r, struct expr *e);
/*
 * If no variable has this name, take it as an enumerator of the other operand's type.  False without an error:
 * it is none.
 */
bool name_enumerator(struct resolver *r, struct expr *e, struct expr_type type);
/* Is it a variable or symbol, or a member that the parser took as part of one name? */
bool name_is_known(struct resolver *r, const struct expr *e);

/* expr_match.c: replace a comparison with a text by an EXPR_MATCH, which may be negated. */
bool match_resolve(struct resolver *r, struct expr *e);
bool match_is(const struct expr *e);
/* A pointer to bytes, or an array of them in memory. */
bool match_takes(struct expr_type type);

/*
 * expr_variant.c: variant_number(): a number for the variant that an object has, see expr_variants().
 * variant_object(): the object that `composite` is, where it has the variant of this member; elsewhere one that is unreadable.
 * NULL: err is set.
 */
struct expr *variant_number(struct resolver *r, const struct expr *composite, const struct dbindex *ix);
struct expr *variant_object(struct resolver *r, const struct expr *composite, const struct type_member *member,
			    const struct dbindex *ix);

/* expr_tree.c: trees of resolved parts.  A tree owns its parts. */
struct expr *expr_number(uint64_t value, struct expr_type type, size_t at);
struct expr *expr_binary(enum expr_op op, struct expr *a, uint64_t b, struct expr_type type);
/* condition ? yes : no, of type EXPR_ULONG. */
struct expr *expr_choice(struct expr *condition, struct expr *yes, struct expr *no);
/* Convert a value to another type; a conversion that changes nothing is left out. */
struct expr *expr_converted(struct expr *e, struct expr_type type);
/* The object at an address. */
struct expr *expr_at(struct expr *address, struct expr_type type);
struct expr *expr_copy(const struct expr *e);
/* Move other into e, and free other. */
void expr_become(struct expr *e, struct expr *other);
void expr_become_number(struct expr *e, uint64_t value);
/* Fold an operation on constants.  False: a division by 0; err is set. */
bool expr_fold(struct resolver *r, struct expr *e);

/* expr_value.c */

/*
 * An address at which something was linked.  The kernel may put a program anywhere: then it is relative to the traced
 * instruction.
 */
struct expr *value_of_address(struct resolver *r, uint64_t addr, size_t at);
/* A variable of that type at a location.  NULL: err is set. */
struct expr *value_of_variable(struct resolver *r, size_t at, const struct location *where, struct expr_type type);
/* a.name and a->name with a resolved: replace e by the member. */
bool value_of_member(struct resolver *r, struct expr *e);
/* a[first..last]: replace e by the elements. */
bool value_of_slice(struct resolver *r, struct expr *e);
/* A part of a resolved composite: the value of a member. */
struct expr *value_of_part(struct resolver *r, const struct expr *composite, const struct type_member *member,
			   const struct dbindex *ix);

/* The return value of the function at its return instruction. */
struct expr *expr_result(struct resolver *r, size_t at);

/* The C spelling of a type.  Returns buf. */
const char *expr_spell(struct expr_type type, char *buf, size_t size);

#endif
