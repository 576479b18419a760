// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_type.c - names, types and constants of expressions.  See expr.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/address.h"
#include "ctl/expr.h"
#include "ctl/memory.h"
#include "ctl/near.h"

/* ------------------------------------------------------------------- types */

static const struct {
	const char *name;
	struct expr_type type;
	bool offered;		/* where another name was misspelt */
} types[] = {
	{ "u8", { 1, false, false, 0 }, true },
	{ "u16", { 2, false, false, 0 }, true },
	{ "u32", { 4, false, false, 0 }, true },
	{ "u64", { 8, false, false, 0 }, true },
	{ "s8", { 1, true, false, 0 }, true },
	{ "s16", { 2, true, false, 0 }, true },
	{ "s32", { 4, true, false, 0 }, true },
	{ "s64", { 8, true, false, 0 }, true },
	{ "char", { 1, true, true, 0 }, true },
	{ "int", { 4, true, false, 0 }, true },
	{ "long", { 8, true, false, 0 }, true },
	{ "void", { 0, false, false, 0 }, true },
	{ "short", { 2, true, false, 0 }, true },
	{ "unsigned", { 4, false, false, 0 }, true },
	{ "bool", { 1, false, false, 0 }, true },
	{ "size_t", { 8, false, false, 0 }, true },
	{ "ssize_t", { 8, true, false, 0 }, false },
	{ "loff_t", { 8, true, false, 0 }, false },
	{ "pid_t", { 4, true, false, 0 }, false },
	{ "uintptr_t", { 8, false, false, 0 }, false },
	{ "_Bool", { 1, false, false, 0 }, false },
	{ "signed", { 4, true, false, 0 }, false },
	{ "signed int", { 4, true, false, 0 }, false },
	{ "unsigned int", { 4, false, false, 0 }, false },
	{ "uint", { 4, false, false, 0 }, false },
	{ "unsigned long", { 8, false, false, 0 }, false },
	{ "ulong", { 8, false, false, 0 }, false },
	{ "long int", { 8, true, false, 0 }, false },
	{ "unsigned long int", { 8, false, false, 0 }, false },
	{ "long unsigned int", { 8, false, false, 0 }, false },
	{ "long long", { 8, true, false, 0 }, false },
	{ "unsigned long long", { 8, false, false, 0 }, false },
	{ "unsigned short", { 2, false, false, 0 }, false },
	{ "ushort", { 2, false, false, 0 }, false },
	{ "unsigned char", { 1, false, true, 0 }, false },
	{ "signed char", { 1, true, true, 0 }, false },
	{ "uint8_t", { 1, false, false, 0 }, false },
	{ "uint16_t", { 2, false, false, 0 }, false },
	{ "uint32_t", { 4, false, false, 0 }, false },
	{ "uint64_t", { 8, false, false, 0 }, false },
	{ "int8_t", { 1, true, false, 0 }, false },
	{ "int16_t", { 2, true, false, 0 }, false },
	{ "int32_t", { 4, true, false, 0 }, false },
	{ "int64_t", { 8, true, false, 0 }, false },
	{ "__u8", { 1, false, false, 0 }, false },
	{ "__u16", { 2, false, false, 0 }, false },
	{ "__u32", { 4, false, false, 0 }, false },
	{ "__u64", { 8, false, false, 0 }, false },
	{ "__s8", { 1, true, false, 0 }, false },
	{ "__s16", { 2, true, false, 0 }, false },
	{ "__s32", { 4, true, false, 0 }, false },
	{ "__s64", { 8, true, false, 0 }, false },
};

static const struct expr_type INT = { .bytes = 4, .is_signed = true };
static const struct expr_type ULONG = { .bytes = 8 };
static const struct expr_type POINTER = { .stars = 1 };

bool expr_type_named(const char *name, struct expr_type *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].name, name))
			continue;
		*out = types[i].type;
		return true;
	}
	return false;
}

const char *expr_type_name(size_t i)
{
	return i < ARRAY_SIZE(types) && types[i].offered ? types[i].name : NULL;
}

uint8_t expr_bytes(struct expr_type type)
{
	return type.stars ? 8 : type.bytes;
}

bool expr_is_signed(struct expr_type type)
{
	return !type.stars && type.is_signed;
}

struct expr_type expr_target(struct expr_type type)
{
	type.stars--;
	return type;
}

bool expr_is_comparison(enum expr_op op)
{
	return op >= OP_EQ && op <= OP_GT;
}

/* ------------------------------------------------------------------- names */

static const struct {
	const char *name;
	enum kt_cur cur;	/* KT_NR_CURS: the processor status */
	struct expr_type type;
} properties[] = {
	{ "pid", KT_CUR_PID, { .bytes = 4, .is_signed = true } },
	{ "tgid", KT_CUR_TGID, { .bytes = 4, .is_signed = true } },
	{ "pgrp", KT_CUR_PGRP, { .bytes = 4, .is_signed = true } },
	{ "uid", KT_CUR_UID, { .bytes = 4 } },
	{ "gid", KT_CUR_GID, { .bytes = 4 } },
	{ "cpu", KT_CUR_CPU, { .bytes = 4, .is_signed = true } },
};

const char *expr_property(size_t i)
{
	return i < ARRAY_SIZE(properties) ? properties[i].name : NULL;
}

struct resolver {
	const char *what, *text;
	const struct arch_ops *arch;
	const struct symtab *tab;
	struct error *err;
};

#define FAIL(r, e, ...)	expr_error((r)->err, (r)->what, (r)->text, (e)->at, __VA_ARGS__)

static bool resolve(struct resolver *r, struct expr *e);

static bool no_register(struct resolver *r, struct expr *e)
{
	struct near near = { .word = e->name };
	char buf[128];

	for (const struct arch_reg *reg = r->arch->regs; reg->name; reg++)
		near_offer(&near, reg->name);
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		near_offer(&near, properties[i].name);
	return FAIL(r, e, "%s has no register '%s': %s", r->arch->name, e->name,
		    near_say(near.names, near.n, "'help REG' shows an example", buf, sizeof(buf)));
}

static bool resolve_dollar(struct resolver *r, struct expr *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
		if (strcmp(properties[i].name, e->name))
			continue;
		e->kind = EXPR_CUR;
		e->cur = properties[i].cur;
		e->type = properties[i].type;
		return true;
	}
	e->reg = arch_reg_by_name(r->arch, e->name);
	if (!e->reg)
		return no_register(r, e);
	e->kind = EXPR_REG;
	e->type = (struct expr_type){ .bytes = e->reg->bytes };
	return true;
}

static bool no_symbol(struct resolver *r, struct expr *e, const struct error *why)
{
	if (arch_reg_by_name(r->arch, e->name))
		return FAIL(r, e, "there is no symbol '%s': the register is $%s", e->name, e->name);
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		if (!strcasecmp(properties[i].name, e->name))
			return FAIL(r, e, "there is no symbol '%s': that of the task is $%s", e->name,
				    properties[i].name);
	return FAIL(r, e, "%s", why->text);
}

static bool find_symbol(struct resolver *r, struct expr *e, struct address *out)
{
	struct error why;

	if (address_parse(r->tab, e->name, ADDRESS_ANY, out, &why) && out->sym)
		return true;
	if (!r->tab || out->sym)
		snprintf(why.text, sizeof(why.text), "no symbols are known");
	return no_symbol(r, e, &why);
}

/* A function is its address; of a variable the type would have to be known. */
static bool resolve_name(struct resolver *r, struct expr *e)
{
	struct address address = { 0 };

	if (!find_symbol(r, e, &address))
		return false;
	if (!sym_is_text(address.sym))
		return FAIL(r, e, "the type of %s is not known without debug information: write *(u64*)&%s, or as it is",
			    e->name, e->name);
	e->kind = EXPR_NUMBER;
	e->value = address.value;
	e->type = POINTER;
	return true;
}

/* &name, &this_cpu(name), &*pointer: what is in front of a then goes. */
static bool resolve_address(struct resolver *r, struct expr *e)
{
	struct address address = { 0 };
	struct expr *a = e->a;

	if (a->kind == EXPR_LOAD) {
		if (!resolve(r, a))
			return false;
		e->type = a->a->type;
		return true;
	}
	if (a->kind != EXPR_NAME && a->kind != EXPR_THIS_CPU)
		return FAIL(r, e, "only a variable, or what a pointer points at, has an address");
	if (!find_symbol(r, a, &address))
		return false;
	a->value = address.value;
	e->type = a->type = POINTER;
	return true;
}

static bool resolve_load(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type;

	if (!type.stars)
		return FAIL(r, e, "this is not a pointer: say what it points at, as in *(u64*)($rdi+0x18)");
	e->type = expr_target(type);
	return expr_bytes(e->type) ||
	       FAIL(r, e, "a void pointer leads to nothing: say what it points at, as in *(u64*)($rdi+0x18)");
}

/* ------------------------------------------------------------- arithmetic */

static struct expr_type promoted(struct expr_type type)
{
	return !type.stars && type.bytes < 4 ? INT : (struct expr_type){
		.bytes = type.bytes, .is_signed = type.is_signed, .stars = type.stars };
}

/* The usual arithmetic conversions of C, for what has no pointers. */
static struct expr_type common(struct expr_type a, struct expr_type b)
{
	a = promoted(a);
	b = promoted(b);
	if (a.bytes != b.bytes)
		return a.bytes > b.bytes ? a : b;
	return a.is_signed ? b : a;
}

static uint64_t extend(uint64_t value, struct expr_type type)
{
	unsigned int unused = 64 - 8 * expr_bytes(type);

	if (!unused)
		return value;
	value <<= unused;
	return expr_is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static struct expr *converted(struct expr *e, struct expr_type type)
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

static void become_number(struct expr *e, uint64_t value)
{
	e->kind = EXPR_NUMBER;
	e->value = extend(value, e->type);
	expr_free(e->a);
	expr_free(e->b);
	e->a = e->b = NULL;
}

/* What is constant is computed here. */
static bool fold(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a, *b = e->b;

	if ((e->op == OP_DIV || e->op == OP_MOD) && b->kind == EXPR_NUMBER && !b->value)
		return FAIL(r, e, "a division by 0");
	if (a->kind == EXPR_NUMBER && b->kind == EXPR_NUMBER)
		become_number(e, calculated(e->op, a->value, b->value, expr_is_signed(a->type)));
	return true;
}

static struct expr *scaled(struct expr *e, uint64_t size)
{
	struct expr *number, *product;

	if (size == 1)
		return e;
	if (e->kind == EXPR_NUMBER) {
		e->value *= size;
		return e;
	}
	number = mem_zalloc(1, sizeof(*number));
	*number = (struct expr){ .kind = EXPR_NUMBER, .value = size, .type = ULONG, .at = e->at };
	product = mem_zalloc(1, sizeof(*product));
	*product = (struct expr){ .kind = EXPR_BINARY, .op = OP_MUL, .type = ULONG, .at = e->at,
				  .a = e, .b = number };
	return product;
}

/* What a step of one is; void as the compilers of the kernel have it. */
static uint64_t step_of(struct expr_type pointer)
{
	uint64_t bytes = expr_bytes(expr_target(pointer));

	return bytes ? bytes : 1;
}

static bool pointer_arithmetic(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;

	if (e->op == OP_ADD && e->b->type.stars && !a->type.stars) {
		e->a = e->b;
		e->b = a;
		a = e->a;
	}
	if ((e->op != OP_ADD && e->op != OP_SUB) || !a->type.stars || e->b->type.stars)
		return FAIL(r, e, "pointers can be compared, and numbers added to them: cast them to u64 for anything else");
	e->type = a->type;
	e->b = scaled(converted(e->b, e->b->type.is_signed ? (struct expr_type){ 8, true, false, 0 } : ULONG),
		      step_of(a->type));
	return fold(r, e);
}

/* An unsigned number is never negative: that is a mistake, mostly of a result in a register. */
static bool check_sign(struct resolver *r, struct expr *e)
{
	bool never = e->op == OP_LT || e->op == OP_GE;

	if (!never || e->b->kind != EXPR_NUMBER || e->b->value || expr_is_signed(e->a->type) ||
	    e->a->kind == EXPR_NUMBER)
		return true;
	return FAIL(r, e, "what stands here is unsigned and never below 0: cast it, as in (s32)$%s < 0",
		    arch_reg_name(r->arch, r->arch->all_regs[0]));
}

static bool resolve_comparison(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type.stars || e->b->type.stars ? ULONG :
				common(e->a->type, e->b->type);

	e->type = INT;
	if (!check_sign(r, e))
		return false;
	e->a = converted(e->a, type);
	e->b = converted(e->b, type);
	return fold(r, e);
}

static bool resolve_binary(struct resolver *r, struct expr *e)
{
	if (!resolve(r, e->a) || !resolve(r, e->b))
		return false;
	if (e->op == OP_LOR || e->op == OP_LAND) {
		e->type = INT;
		return fold(r, e);
	}
	if (expr_is_comparison(e->op))
		return resolve_comparison(r, e);
	if (e->a->type.stars || e->b->type.stars)
		return pointer_arithmetic(r, e);
	if (e->op == OP_SHL || e->op == OP_SHR)
		e->type = promoted(e->a->type);
	else
		e->type = common(e->a->type, e->b->type);
	e->a = converted(e->a, e->type);
	if (e->op != OP_SHL && e->op != OP_SHR)
		e->b = converted(e->b, e->type);
	return fold(r, e);
}

static uint64_t unary_value(enum expr_op op, uint64_t value)
{
	if (op == OP_NOT)
		return !value;
	return op == OP_MINUS ? -value : ~value;
}

static bool resolve_unary(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;

	if (!resolve(r, a))
		return false;
	if (e->op == OP_NOT) {
		e->type = INT;
	} else if (a->type.stars) {
		return FAIL(r, e, "that is not done with a pointer: cast it to u64");
	} else {
		e->type = promoted(a->type);
		a = e->a = converted(a, e->type);
	}
	if (a->kind == EXPR_NUMBER)
		become_number(e, unary_value(e->op, a->value));
	return true;
}

static bool resolve_cast(struct resolver *r, struct expr *e)
{
	if (!expr_bytes(e->type))
		return FAIL(r, e, "a cast to void leaves no value");
	if (!resolve(r, e->a))
		return false;
	if (e->a->kind == EXPR_NUMBER)
		become_number(e, e->a->value);
	return true;
}

static bool resolve(struct resolver *r, struct expr *e)
{
	switch (e->kind) {
	case EXPR_DOLLAR:	return resolve_dollar(r, e);
	case EXPR_NAME:		return resolve_name(r, e);
	case EXPR_UNARY:	return resolve_unary(r, e);
	case EXPR_BINARY:	return resolve_binary(r, e);
	case EXPR_CAST:		return resolve_cast(r, e);
	case EXPR_LOAD:		return resolve(r, e->a) && resolve_load(r, e);
	case EXPR_ADDRESS:	return resolve_address(r, e);
	case EXPR_THIS_CPU:
		return FAIL(r, e, "the type of %s is not known without debug information: write *(u64*)&this_cpu(%s), or as it is",
			    e->name, e->name);
	case EXPR_CUR:
		e->type = POINTER;
		return true;
	default:
		return true;
	}
}

bool expr_resolve(struct expr *e, const char *what, const char *text,
		  const struct arch_ops *arch, const struct symtab *tab, struct error *err)
{
	struct resolver r = { .what = what, .text = text, .arch = arch, .tab = tab, .err = err };

	return resolve(&r, e);
}
