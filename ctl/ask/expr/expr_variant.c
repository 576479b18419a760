// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expr_variant.c - objects of several variants, as the enums of Rust: a discriminant decides which members an object has
 * (DWARF 5, 5.7.10).
 *
 * The address of an object that has another variant becomes 0, so its members are unreadable.
 */
#include "ctl/ask/expr/expr_int.h"
#include "symbols/index/type.h"

#define MOST_VALUES	8	/* that are compared for the variant of all other values */

struct variants {
	struct type_member discriminant;
	uint64_t values[MOST_VALUES];	/* different ones, of the variants that have one */
	size_t nr;
	bool known, has_others, are_many;
};

/* The values as the discriminant's type has them: DWARF may write -1 of one byte as 255. */
static uint64_t fitting(uint64_t value, struct expr_type type)
{
	const unsigned int unused = 64 - 8 * expr_bytes(type);

	value <<= unused;
	return expr_is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static bool has_value(const struct variants *v, uint64_t value)
{
	for (size_t i = 0; i < v->nr; i++)
		if (v->values[i] == value)
			return true;
	return false;
}

static void add_value(struct variants *v, uint64_t value)
{
	if (has_value(v, value))
		return;
	if (v->nr == MOST_VALUES)
		v->are_many = true;
	else
		v->values[v->nr++] = value;
}

static void find_variants(const struct dbindex *ix, uint32_t number, struct variants *v)
{
	struct type_member member;
	struct type type;

	*v = (struct variants){ 0 };
	if (!type_resolve(ix, number, &type))
		return;
	while (type_next_member(ix, &type, &member)) {
		if (member.role == MEMBER_DISCRIMINANT && !v->known) {
			v->discriminant = member;
			v->known = true;
		} else if (member.role == MEMBER_OF_VARIANT) {
			add_value(v, member.value);
		}
		v->has_others |= member.role == MEMBER_OF_OTHERS;
	}
}

/* NULL: it cannot be read; err is set. */
static struct expr *discriminant(struct resolver *r, const struct expr *composite, const struct variants *v,
				 const struct dbindex *ix)
{
	struct expr *e;

	if (composite->kind != EXPR_LOAD) {
		FAIL(r, composite, "the variant of an object in registers is not known");
		return NULL;
	}
	e = value_of_part(r, composite, &v->discriminant, ix);
	if (!e || expr_bytes(e->type))
		return e;
	FAIL(r, composite, "its discriminant is no number of at most 8 bytes");
	expr_free(e);
	return NULL;
}

/* number == value ? yes : no.  Takes yes and no. */
static struct expr *choice(const struct expr *number, uint64_t value, struct expr *yes, struct expr *no)
{
	return expr_choice(expr_binary(OP_EQ, expr_copy(number), fitting(value, number->type), EXPR_INT), yes, no);
}

static struct expr *nowhere(const struct expr *number)
{
	return expr_number(0, EXPR_ULONG, number->at);
}

/* The address of the object, or 0. */
static struct expr *address_of(const struct expr *composite, const struct expr *number, const struct variants *v,
			       const struct type_member *member)
{
	struct expr *address = expr_converted(expr_copy(composite->a), EXPR_ULONG);

	if (member->role == MEMBER_OF_VARIANT)
		return choice(number, member->value, address, nowhere(number));
	for (size_t i = 0; i < v->nr; i++)
		address = choice(number, v->values[i], nowhere(number), address);
	return address;
}

struct expr *variant_object(struct resolver *r, const struct expr *composite, const struct type_member *member,
			    const struct dbindex *ix)
{
	AUTO_EXPR struct expr *number = NULL;
	struct variants v;

	find_variants(ix, composite->type.number, &v);
	/* A type with one variant has no discriminant. */
	if (!v.known)
		return expr_copy(composite);
	if (member->role == MEMBER_OF_OTHERS && v.are_many) {
		FAIL(r, composite, "it is a variant beside more than %d others", MOST_VALUES);
		return NULL;
	}
	number = discriminant(r, composite, &v, ix);
	return number ? expr_at(address_of(composite, number, &v, member), composite->type) : NULL;
}

/* A number that none of the variants has. */
static uint64_t number_of_others(const struct variants *v)
{
	uint64_t number = 0;

	while (has_value(v, number))
		number++;
	return number;
}

struct expr *variant_number(struct resolver *r, const struct expr *composite, const struct dbindex *ix)
{
	struct expr *number, *e;
	struct variants v;

	find_variants(ix, composite->type.number, &v);
	number = discriminant(r, composite, &v, ix);
	if (!number || !v.has_others || v.are_many)
		return number;
	e = expr_number(number_of_others(&v), EXPR_ULONG, composite->at);
	for (size_t i = v.nr; i--;)
		e = choice(number, v.values[i], expr_number(fitting(v.values[i], number->type), EXPR_ULONG, composite->at), e);
	expr_free(number);
	return e;
}

void expr_variants(struct expr_type type, void (*each)(const char *name, uint64_t number, void *arg), void *arg)
{
	struct expr_type of_discriminant;
	struct type_member member;
	struct variants v;
	struct type all;

	find_variants(type.ix, type.number, &v);
	if (!v.known || !type_resolve(type.ix, type.number, &all))
		return;
	of_discriminant = expr_type_of(type.ix, v.discriminant.type);
	while (expr_bytes(of_discriminant) && type_next_member(type.ix, &all, &member)) {
		if (member.role == MEMBER_OF_VARIANT)
			each(member.name, fitting(member.value, of_discriminant), arg);
		else if (member.role == MEMBER_OF_OTHERS && !v.are_many)
			each(member.name, number_of_others(&v), arg);
	}
}
