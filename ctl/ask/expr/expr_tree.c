// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_tree.c - make, copy, free and fold trees of expressions.  See expr_int.h. */
#include <stdlib.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/memory.h"

void expr_free(struct expr *e)
{
	if (!e)
		return;
	expr_free(e->a);
	expr_free(e->b);
	free(e->name);
	free(e->where);
	free(e);
}

static uint64_t extend(uint64_t value, struct expr_type type)
{
	unsigned int unused = 64 - 8 * expr_bytes(type);

	if (!unused)
		return value;
	value <<= unused;
	return expr_is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

struct expr *expr_converted(struct expr *e, struct expr_type type)
{
	struct expr *cast;

	if (e->kind == EXPR_NUMBER) {
		e->value = extend(e->value, type);
		e->type = type;
		return e;
	}
	if (expr_bytes(e->type) == expr_bytes(type) && expr_is_signed(e->type) == expr_is_signed(type)) {
		e->type = type;
		return e;
	}
	cast = mem_zalloc(1, sizeof(*cast));
	*cast = (struct expr){ .kind = EXPR_CAST, .type = type, .at = e->at, .a = e };
	return cast;
}

static uint64_t calculated(enum expr_op op, uint64_t a, uint64_t b, bool is_signed)
{
	int64_t sa = a, sb = b;

	switch (op) {
	case OP_ADD:	return a + b;
	case OP_SUB:	return a - b;
	case OP_MUL:	return a * b;
	case OP_AND:	return a & b;
	case OP_OR:	return a | b;
	case OP_XOR:	return a ^ b;
	case OP_SHL:	return a << (b & 63);
	case OP_SHR:	return is_signed ? (uint64_t)(sa >> (b & 63)) : a >> (b & 63);
	case OP_DIV:	return !is_signed ? a / b : sb == -1 ? -a : (uint64_t)(sa / sb);
	case OP_MOD:	return !is_signed ? a % b : sb == -1 ? 0 : (uint64_t)(sa % sb);
	case OP_EQ:	return a == b;
	case OP_NE:	return a != b;
	case OP_LT:	return is_signed ? sa < sb : a < b;
	case OP_LE:	return is_signed ? sa <= sb : a <= b;
	case OP_GT:	return is_signed ? sa > sb : a > b;
	case OP_GE:	return is_signed ? sa >= sb : a >= b;
	case OP_LAND:	return a && b;
	default:	return a || b;
	}
}

void expr_become_number(struct expr *e, uint64_t value)
{
	e->kind = EXPR_NUMBER;
	e->value = extend(value, e->type);
	expr_free(e->a);
	expr_free(e->b);
	e->a = e->b = NULL;
}

bool expr_fold(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a, *b = e->b;

	if ((e->op == OP_DIV || e->op == OP_MOD) && b->kind == EXPR_NUMBER && !b->value)
		return FAIL(r, e, "a division by 0");
	if (a->kind == EXPR_NUMBER && b->kind == EXPR_NUMBER)
		expr_become_number(e, calculated(e->op, a->value, b->value, expr_is_signed(a->type)));
	return true;
}

struct expr *expr_number(uint64_t value, struct expr_type type, size_t at)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_NUMBER, .value = value, .type = type, .at = at };
	return e;
}

struct expr *expr_binary(enum expr_op op, struct expr *a, uint64_t b, struct expr_type type)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_BINARY, .op = op, .type = type, .at = a->at, .a = a,
			    .b = expr_number(b, EXPR_ULONG, a->at) };
	if (a->kind == EXPR_NUMBER)
		expr_become_number(e, calculated(op, a->value, b, expr_is_signed(type)));
	return e;
}

struct expr *expr_choice(struct expr *condition, struct expr *yes, struct expr *no)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_CHOICE, .at = condition->at, .type = EXPR_ULONG, .a = condition };
	e->b = mem_zalloc(1, sizeof(*e->b));
	*e->b = (struct expr){ .kind = EXPR_VALUES, .at = condition->at, .type = EXPR_ULONG, .a = yes, .b = no };
	return e;
}

struct expr *expr_at(struct expr *address, struct expr_type type)
{
	struct expr *e = mem_zalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = EXPR_LOAD, .type = type, .at = address->at,
			    .a = expr_converted(address, expr_pointer(type)) };
	return e;
}

void expr_become(struct expr *e, struct expr *other)
{
	struct expr old = *e;

	*e = *other;
	free(other);
	expr_free(old.a);
	expr_free(old.b);
	free(old.name);
	free(old.where);
}

struct expr *expr_copy(const struct expr *e)
{
	struct expr *copy;

	if (!e)
		return NULL;
	copy = mem_zalloc(1, sizeof(*copy));
	*copy = *e;
	copy->name = e->name ? mem_strdup(e->name) : NULL;
	copy->where = NULL;
	if (e->where) {
		copy->where = mem_zalloc(1, sizeof(*e->where));
		*copy->where = *e->where;
	}
	copy->a = expr_copy(e->a);
	copy->b = expr_copy(e->b);
	return copy;
}
