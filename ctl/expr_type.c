// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_type.c - names, types and constants of expressions.  See expr.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/address.h"
#include "ctl/expr_int.h"
#include "ctl/memory.h"
#include "ctl/near.h"
#include "examples.h"

/* ------------------------------------------------------------------- types */

static const struct {
	const char *name;
	struct expr_type type;
	bool offered;		/* where another name was misspelt */
} types[] = {
	{ "u8", { .bytes = 1 }, true },
	{ "u16", { .bytes = 2 }, true },
	{ "u32", { .bytes = 4 }, true },
	{ "u64", { .bytes = 8 }, true },
	{ "s8", { .bytes = 1, .is_signed = true }, true },
	{ "s16", { .bytes = 2, .is_signed = true }, true },
	{ "s32", { .bytes = 4, .is_signed = true }, true },
	{ "s64", { .bytes = 8, .is_signed = true }, true },
	{ "char", { .bytes = 1, .is_signed = true, .is_char = true }, true },
	{ "int", { .bytes = 4, .is_signed = true }, true },
	{ "long", { .bytes = 8, .is_signed = true }, true },
	{ "void", { .bytes = 0 }, true },
	{ "short", { .bytes = 2, .is_signed = true }, true },
	{ "unsigned", { .bytes = 4 }, true },
	{ "bool", { .bytes = 1 }, true },
	{ "size_t", { .bytes = 8 }, true },
	{ "ssize_t", { .bytes = 8, .is_signed = true }, false },
	{ "loff_t", { .bytes = 8, .is_signed = true }, false },
	{ "pid_t", { .bytes = 4, .is_signed = true }, false },
	{ "uintptr_t", { .bytes = 8 }, false },
	{ "_Bool", { .bytes = 1 }, false },
	{ "signed", { .bytes = 4, .is_signed = true }, false },
	{ "signed int", { .bytes = 4, .is_signed = true }, false },
	{ "unsigned int", { .bytes = 4 }, false },
	{ "uint", { .bytes = 4 }, false },
	{ "unsigned long", { .bytes = 8 }, false },
	{ "ulong", { .bytes = 8 }, false },
	{ "long int", { .bytes = 8, .is_signed = true }, false },
	{ "unsigned long int", { .bytes = 8 }, false },
	{ "long unsigned int", { .bytes = 8 }, false },
	{ "long long", { .bytes = 8, .is_signed = true }, false },
	{ "unsigned long long", { .bytes = 8 }, false },
	{ "unsigned short", { .bytes = 2 }, false },
	{ "ushort", { .bytes = 2 }, false },
	{ "unsigned char", { .bytes = 1, .is_char = true }, false },
	{ "signed char", { .bytes = 1, .is_signed = true, .is_char = true }, false },
	{ "uint8_t", { .bytes = 1 }, false },
	{ "uint16_t", { .bytes = 2 }, false },
	{ "uint32_t", { .bytes = 4 }, false },
	{ "uint64_t", { .bytes = 8 }, false },
	{ "int8_t", { .bytes = 1, .is_signed = true }, false },
	{ "int16_t", { .bytes = 2, .is_signed = true }, false },
	{ "int32_t", { .bytes = 4, .is_signed = true }, false },
	{ "int64_t", { .bytes = 8, .is_signed = true }, false },
	{ "__u8", { .bytes = 1 }, false },
	{ "__u16", { .bytes = 2 }, false },
	{ "__u32", { .bytes = 4 }, false },
	{ "__u64", { .bytes = 8 }, false },
	{ "__s8", { .bytes = 1, .is_signed = true }, false },
	{ "__s16", { .bytes = 2, .is_signed = true }, false },
	{ "__s32", { .bytes = 4, .is_signed = true }, false },
	{ "__s64", { .bytes = 8, .is_signed = true }, false },
};

static const struct expr_type INT = { .bytes = 4, .is_signed = true };
const struct expr_type EXPR_LONG = { .bytes = 8, .is_signed = true };
const struct expr_type EXPR_ULONG = { .bytes = 8 };
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

struct expr_type expr_pointer(struct expr_type type)
{
	type.stars++;
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

/* A value or an object in memory; resolve_value(): where it is computed with. */
static bool resolve(struct resolver *r, struct expr *e);
static bool resolve_value(struct resolver *r, struct expr *e);
static bool take_value(struct resolver *r, struct expr *e);

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

/* ------------------------------------------------------------------- names */

/* Why there is no such name, if that is all that is known. */
static bool no_symbol(struct resolver *r, struct expr *e, const struct error *why)
{
	char hint[256];

	if (arch_reg_by_name(r->arch, e->name))
		return FAIL(r, e, "there is no symbol '%s': the register is $%s", e->name, e->name);
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		if (!strcasecmp(properties[i].name, e->name))
			return FAIL(r, e, "there is no symbol '%s': that of the task is $%s", e->name,
				    properties[i].name);
	if (r->vars && !vars_open(r->vars))
		return FAIL(r, e, "%s (variables are not known: %s)", why->text, r->vars->why.text);
	if (r->vars && vars_lack(r->vars, hint, sizeof(hint)))
		return FAIL(r, e, "there is no parameter or symbol '%s', and of locals BTF knows nothing: %s", e->name,
			    hint);
	return FAIL(r, e, "%s", why->text);
}

static void offer_locals(struct near *near, const struct scope *scope)
{
	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->nr_vars; i++)
			near_offer(near, scope->vars[i].name);
}

/* There is a symbol of nearly that name. */
static bool is_near(const struct error *why)
{
	return strstr(why->text, "did you mean");
}

/* Neither a variable nor a symbol; of the variables here one may have been meant. */
static bool no_name(struct resolver *r, struct expr *e, const struct error *why)
{
	struct near near = { .word = e->name };
	char buf[256];

	if (r->vars && vars_open(r->vars))
		offer_locals(&near, r->vars->inner);
	if (!near.n && (!r->vars || !vars_open(r->vars) || !r->vars->scope || is_near(why) ||
			vars_lack(r->vars, buf, sizeof(buf))))
		return no_symbol(r, e, why);
	if (!near.n)
		return FAIL(r, e, "'%s' is neither a variable at %s nor a symbol: 'explain %s' shows what there is",
			    e->name, r->vars->place->name, r->vars->place->name);
	return FAIL(r, e, "there is no variable '%s' at %s: %s", e->name, r->vars->place->name,
		    near_say(near.names, near.n, "", buf, sizeof(buf)));
}

/* One of the values of any enum. */
static bool resolve_constant(struct resolver *r, struct expr *e)
{
	int64_t value;

	if (!r->vars || !vars_constant(r->vars, e->name, &value))
		return false;
	e->kind = EXPR_NUMBER;
	e->value = value;
	e->type = value == (int32_t)value ? INT : EXPR_LONG;
	return true;
}

static bool look_up(const struct resolver *r, const char *name, struct address *out, struct error *why)
{
	if (address_parse(r->tab, name, ADDRESS_ANY, out, why) && out->sym)
		return true;
	if (!r->tab || out->sym)
		snprintf(why->text, sizeof(why->text), "no symbols are known");
	return false;
}

static bool find_symbol(struct resolver *r, struct expr *e, struct address *out)
{
	struct error why;

	return look_up(r, e->name, out, &why) || no_symbol(r, e, &why);
}

static bool is_variable(struct resolver *r, const char *name)
{
	const struct scope *scope;

	return r->vars && vars_local(r->vars, name, &scope);
}

/* The parser took `a.b.c` for one name, as symbols have it: a is a variable. */
static struct expr *split_member(struct expr *e, char *dot)
{
	struct expr *base = mem_zalloc(1, sizeof(*base)), *member;

	*dot = '\0';
	*base = (struct expr){ .kind = EXPR_NAME, .at = e->at, .name = mem_strdup(e->name) };
	for (char *name = dot + 1, *end; name; name = end ? end + 1 : NULL) {
		end = strchr(name, '.');
		member = mem_zalloc(1, sizeof(*member));
		*member = (struct expr){ .kind = EXPR_MEMBER, .at = e->at + (name - 1 - e->name), .a = base,
					 .name = mem_strndup(name, end ? (size_t)(end - name) : strlen(name)) };
		base = member;
	}
	return base;
}

static bool resolve_local(struct resolver *r, struct expr *e)
{
	const struct scope *scope;
	const struct var *var = vars_local(r->vars, e->name, &scope);
	struct location where;
	struct expr *found;
	struct error why;

	if (!vars_where(r->vars, scope, var, &where, &why)) {
		FAIL(r, e, "%s", why.text);
		if (r->err)
			r->err->status = why.status;
		return false;
	}
	found = place_variable(r, e->at, &where, expr_type_of(r->vars->spot.ix, var->type));
	if (found)
		expr_become(e, found);
	return found;
}

static bool resolve_global(struct resolver *r, struct expr *e, const struct sym *sym)
{
	struct var_global global;
	struct expr_type type;

	if (!r->vars || !vars_global(r->vars, e->name, sym, &global))
		return false;
	type = expr_type_of(global.ix, global.type);
	expr_become(e, expr_at(expr_number(global.addr, EXPR_ULONG, e->at), type));
	return true;
}

/* At the way out of a function: what it returns. */
static bool resolve_result(struct resolver *r, struct expr *e)
{
	struct expr *found = expr_result(r, e->at);

	if (found)
		expr_become(e, found);
	return found;
}

/* At the way out of a function: how long it took. */
static bool resolve_elapsed(struct resolver *r, struct expr *e)
{
	if (strcmp(r->what, "IF"))
		return FAIL(r, e, "ELAPSED is an option of its own, and may be used in IF");
	if (!r->vars || !r->vars->closes)
		return FAIL(r, e, "the time is known where the function returns: trace it at %%return");
	e->kind = EXPR_ELAPSED;
	e->type = (struct expr_type){ .bytes = 8, .is_time = true };
	return true;
}

/* From nanoseconds to the clock's ticks. */
static bool resolve_time(struct resolver *r, struct expr *e)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;

	if (!r->vars || !r->vars->target || !device_clock(r->vars->target->dev, &clock, &anchors, r->err))
		return false;
	free(anchors);
	e->value = (double)e->value * clock.ns_den / clock.ns_num;
	return true;
}

/* Ticks mean nothing to people: a time is compared with a time. */
static bool check_times(struct resolver *r, const struct expr *e)
{
	if (!e->a->type.is_time && !e->b->type.is_time)
		return true;
	if (e->op == OP_LAND || e->op == OP_LOR ||
	    (expr_is_comparison(e->op) && e->a->type.is_time && e->b->type.is_time))
		return true;
	return FAIL(r, e, "ELAPSED is compared with a time that has a unit (ns, us, ms, s): ELAPSED > 50us");
}

/* Of the source's variables the innermost; then globals and functions; a function is its address. */
static bool resolve_name(struct resolver *r, struct expr *e)
{
	struct address address = { 0 };
	struct error why = { .text = "" };
	char *dot = strchr(e->name, '.');
	bool known;

	if (!strcmp(e->name, "RETVAL"))
		return resolve_result(r, e);
	if (!strcmp(e->name, "ELAPSED"))
		return resolve_elapsed(r, e);
	if (is_variable(r, e->name))
		return resolve_local(r, e);
	known = look_up(r, e->name, &address, &why);
	if (!known && dot) {
		expr_become(e, split_member(e, dot));
		return resolve(r, e);
	}
	if (known && sym_is_text(address.sym)) {
		e->kind = EXPR_NUMBER;
		e->value = address.value;
		e->type = POINTER;
		return true;
	}
	if (resolve_global(r, e, known ? address.sym : NULL))
		return true;
	if (!known)
		return resolve_constant(r, e) || no_name(r, e, &why);
	return FAIL(r, e, "the type of %s is not known%s: write *(u64*)&%s, or as it is", e->name,
		    r->vars && vars_open(r->vars) ? ", it has no debug information" : " without debug information",
		    e->name);
}

/* this_cpu(name): the variable of the processor that runs. */
static bool resolve_this_cpu(struct resolver *r, struct expr *e)
{
	struct expr *address = mem_zalloc(1, sizeof(*address)), *base = mem_zalloc(1, sizeof(*base));
	struct address found = { 0 };
	struct error why = { .text = "" };
	struct var_global global;
	bool known;

	*base = (struct expr){ .kind = EXPR_THIS_CPU, .at = e->at, .name = mem_strdup(e->name), .type = POINTER };
	*address = (struct expr){ .kind = EXPR_ADDRESS, .at = e->at, .a = base, .type = POINTER };
	known = look_up(r, e->name, &found, &why);
	if (r->vars && vars_global(r->vars, e->name, known ? found.sym : NULL, &global)) {
		base->value = known ? found.value : global.addr;
		expr_become(e, expr_at(address, expr_type_of(global.ix, global.type)));
		return true;
	}
	expr_free(address);
	return known ? FAIL(r, e, "the type of %s is not known without debug information: write *(u64*)&this_cpu(%s), or as it is",
			    e->name, e->name)
		     : no_symbol(r, e, &why);
}

/* &name, &this_cpu(name): the symbol's own address is enough. */
static bool resolve_plain_address(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;
	struct address address = { 0 };
	struct var_global global;

	if (!find_symbol(r, a, &address))
		return false;
	a->value = address.value;
	e->type = a->type = POINTER;
	if (!sym_is_text(address.sym) && r->vars && vars_global(r->vars, a->name, address.sym, &global))
		e->type = expr_pointer(expr_type_of(global.ix, global.type));
	return true;
}

static bool resolve_address(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a, *pointer;
	struct expr_type type;

	if ((a->kind == EXPR_NAME && !is_variable(r, a->name) && !strchr(a->name, '.')) || a->kind == EXPR_THIS_CPU)
		return resolve_plain_address(r, e);
	if (a->kind != EXPR_LOAD && a->kind != EXPR_NAME && a->kind != EXPR_MEMBER && a->kind != EXPR_ARROW)
		return FAIL(r, e, "only a variable, or what a pointer points at, has an address");
	if (!resolve(r, a))
		return false;
	if (a->kind != EXPR_LOAD)
		return FAIL(r, e, "what is in a register, or a bit-field, has no address");
	type = expr_pointer(a->type);
	pointer = a->a;
	a->a = NULL;
	expr_become(e, expr_converted(pointer, type));
	e->type = type;
	return true;
}

static bool resolve_load(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type;

	if (!type.stars)
		return FAIL(r, e, "this is not a pointer: say what it points at, as in *(u64*)($" EX_ARG1 "+0x18)");
	e->type = expr_target(type);
	return e->type.ix || expr_bytes(e->type) ||
	       FAIL(r, e, "a void pointer leads to nothing: say what it points at, as in *(u64*)($" EX_ARG1 "+0x18)");
}

/* ------------------------------------------------------------- arithmetic */

/* A bit-field is an int where that has all its values. */
static struct expr_type promoted(struct expr_type type)
{
	return type.bytes < 4 || (type.bits && type.bits < 32) ? INT : (struct expr_type){ .bytes = type.bytes, .is_signed = type.is_signed };
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
		become_number(e, calculated(op, a->value, b, expr_is_signed(type)));
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

static struct expr *scaled(struct expr *e, uint64_t size)
{
	return size == 1 ? e : expr_binary(OP_MUL, e, size, EXPR_ULONG);
}

/* What a step of one is; void as the compilers of the kernel have it. */
static uint64_t step_of(struct resolver *r, struct expr_type pointer)
{
	struct expr_type type = expr_target(pointer);
	uint64_t bytes;

	if (!type.stars && type.shape == SHAPE_COMPOSITE)
		vars_complete(r->vars, &type.ix, &type.number);
	bytes = expr_size(type);
	return bytes ? bytes : 1;
}

/* How many elements lie between two pointers. */
static bool pointer_difference(struct resolver *r, struct expr *e)
{
	const uint64_t step = step_of(r, e->a->type);
	struct expr *bytes;

	if (step != step_of(r, e->b->type))
		return FAIL(r, e, "pointers to different types have no difference: cast them to u64");
	e->type = EXPR_LONG;
	e->a = expr_converted(e->a, EXPR_LONG);
	e->b = expr_converted(e->b, EXPR_LONG);
	if (!fold(r, e) || step == 1)
		return true;
	bytes = expr_copy(e);
	expr_become(e, expr_binary(OP_DIV, bytes, step, EXPR_LONG));
	return true;
}

static bool pointer_arithmetic(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;

	if (e->op == OP_SUB && a->type.stars && e->b->type.stars)
		return pointer_difference(r, e);
	if (e->op == OP_ADD && e->b->type.stars && !a->type.stars) {
		e->a = e->b;
		e->b = a;
		a = e->a;
	}
	if ((e->op != OP_ADD && e->op != OP_SUB) || !a->type.stars || e->b->type.stars)
		return FAIL(r, e, "pointers can be compared, and numbers added to them: cast them to u64 for anything else");
	e->type = a->type;
	e->b = scaled(expr_converted(e->b, e->b->type.is_signed ? EXPR_LONG : EXPR_ULONG),
		      step_of(r, a->type));
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
	struct expr_type type = e->a->type.stars || e->b->type.stars ? EXPR_ULONG :
				common(e->a->type, e->b->type);

	e->type = INT;
	if (!check_sign(r, e))
		return false;
	e->a = expr_converted(e->a, type);
	e->b = expr_converted(e->b, type);
	return fold(r, e);
}

/* A name that no variable has may be one of the values of an enum on the other side. */
static bool resolve_enumerator(struct resolver *r, struct expr *e, struct expr_type type)
{
	struct type list;
	const char *name;
	int64_t value;

	if (e->kind != EXPR_NAME || type.stars || !type.ix || is_variable(r, e->name) ||
	    !type_resolve(type.ix, type.number, &list) || list.kind != TYPE_ENUM)
		return false;
	while (type_next_value(type.ix, &list, &name, &value)) {
		if (strcmp(name, e->name))
			continue;
		e->kind = EXPR_NUMBER;
		e->value = value;
		e->type = (struct expr_type){ .bytes = type.bytes, .is_signed = type.is_signed };
		return true;
	}
	return false;
}

/* A variable or symbol, or a member of one that the parser took for one name. */
static bool is_known(struct resolver *r, const struct expr *e)
{
	AUTO_FREE char *name = mem_strndup(e->name, strcspn(e->name, "."));
	struct address address;
	struct error unused;

	return !strcmp(name, "RETVAL") || !strcmp(name, "ELAPSED") || is_variable(r, name) || look_up(r, name, &address, &unused) ||
	       look_up(r, e->name, &address, &unused);
}

static bool resolve_sides(struct resolver *r, struct expr *e)
{
	const bool swap = e->a->kind == EXPR_NAME && !is_known(r, e->a);
	struct expr *first = swap ? e->b : e->a, *second = swap ? e->a : e->b;

	return resolve_value(r, first) &&
	       (resolve_enumerator(r, second, first->type) || resolve_value(r, second));
}

static bool resolve_binary(struct resolver *r, struct expr *e)
{
	if (!resolve_sides(r, e) || !check_times(r, e))
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
	e->a = expr_converted(e->a, e->type);
	if (e->op != OP_SHL && e->op != OP_SHR)
		e->b = expr_converted(e->b, e->type);
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

	if (!resolve_value(r, a))
		return false;
	if (e->op == OP_NOT) {
		e->type = INT;
	} else if (a->type.stars) {
		return FAIL(r, e, "that is not done with a pointer: cast it to u64");
	} else {
		e->type = promoted(a->type);
		a = e->a = expr_converted(a, e->type);
	}
	if (a->kind == EXPR_NUMBER)
		become_number(e, unary_value(e->op, a->value));
	return true;
}

static bool is_tagged(const char *name)
{
	return !strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6) || !strncmp(name, "enum ", 5);
}

static bool no_type(struct resolver *r, struct expr *e, const struct error *why)
{
	struct near near = { .word = e->name };
	const char *known;
	char buf[128];

	if (is_tagged(e->name) && r->vars && vars_open(r->vars))
		return FAIL(r, e, "%s", why->text);
	if (is_tagged(e->name))
		return FAIL(r, e, "'%s' needs debug information%s%s: without it give an offset, as in *(u64*)($" EX_ARG1 "+0x18)",
			    e->name, *why->text ? ": " : "", why->text);
	for (size_t i = 0; (known = expr_type_name(i)); i++)
		near_offer(&near, known);
	return FAIL(r, e, "no type '%s' is known: %s", e->name,
		    near_say(near.names, near.n, *why->text ? why->text : "there are u8 to u64, s8 to s64, char, int, long, void",
			     buf, sizeof(buf)));
}

/* A type of the source. */
static bool find_type(struct resolver *r, struct expr *e)
{
	const uint8_t stars = e->type.stars;
	struct error why = { .text = "" };
	const struct dbindex *ix;
	uint32_t number;

	if (!e->name)
		return true;
	if (!r->vars || !vars_type(r->vars, e->name, &ix, &number, &why))
		return no_type(r, e, &why);
	e->type = expr_type_of(ix, number);
	e->type.stars += stars;
	return true;
}

static bool resolve_cast(struct resolver *r, struct expr *e)
{
	if (!find_type(r, e))
		return false;
	if (!expr_bytes(e->type))
		return FAIL(r, e, e->type.ix ? "a cast to what is no number: cast to a pointer to it"
					     : "a cast to void leaves no value");
	if (!resolve_value(r, e->a))
		return false;
	if (e->a->kind == EXPR_NUMBER)
		become_number(e, e->a->value);
	return true;
}

/* Where only something known can be pointed at, current is what it is in the source. */
static bool type_current(struct resolver *r, struct expr *e)
{
	struct error why = { .text = "" };
	const struct dbindex *ix;
	uint32_t number;

	if (!r->vars || !vars_type(r->vars, "struct task_struct", &ix, &number, &why))
		return FAIL(r, e, "the members of current are not known: %s",
			    *why.text ? why.text : "give an offset, as in *(u32*)(current+0x5c0)");
	e->type = expr_pointer(expr_type_of(ix, number));
	return true;
}

static bool resolve_member(struct resolver *r, struct expr *e)
{
	struct expr *a = e->a;

	if (!resolve(r, a))
		return false;
	/* Of a composite place_member() says what it wants instead. */
	if (e->kind == EXPR_ARROW && (a->type.stars || a->type.shape != SHAPE_COMPOSITE) && !take_value(r, a))
		return false;
	if (a->kind == EXPR_CUR && a->cur == KT_CUR_TASK && !type_current(r, a))
		return false;
	return place_member(r, e);
}

static bool resolve(struct resolver *r, struct expr *e)
{
	switch (e->kind) {
	case EXPR_DOLLAR:	return resolve_dollar(r, e);
	case EXPR_NAME:		return resolve_name(r, e);
	case EXPR_UNARY:	return resolve_unary(r, e);
	case EXPR_BINARY:	return resolve_binary(r, e);
	case EXPR_CAST:		return resolve_cast(r, e);
	case EXPR_LOAD:		return resolve_value(r, e->a) && resolve_load(r, e);
	case EXPR_ADDRESS:	return resolve_address(r, e);
	case EXPR_THIS_CPU:	return resolve_this_cpu(r, e);
	case EXPR_MEMBER:
	case EXPR_ARROW:	return resolve_member(r, e);
	case EXPR_NUMBER:	return !e->type.is_time || resolve_time(r, e);
	case EXPR_CUR:
		e->type = POINTER;
		return true;
	default:
		return true;
	}
}

/* An array is the address of its first element. */
static void decay(struct expr *e)
{
	struct expr_type type = expr_pointer(expr_element(e->type));
	struct expr *address = e->a;

	e->a = NULL;
	expr_become(e, expr_converted(address, type));
	e->type = type;
}

/* What was resolved as something that can be computed with. */
static bool take_value(struct resolver *r, struct expr *e)
{
	char type[128];

	if (e->type.stars || expr_bytes(e->type))
		return e->kind != EXPR_PLACE || FAIL(r, e, "this is spread over several registers");
	if (e->type.shape == SHAPE_ARRAY && e->kind == EXPR_LOAD) {
		decay(e);
		return true;
	}
	if (e->type.shape == SHAPE_COMPOSITE)
		return FAIL(r, e, "this is a %s: name a member of it", expr_spell(e->type, type, sizeof(type)));
	return FAIL(r, e, "this is no number (%s): cast its address", expr_spell(e->type, type, sizeof(type)));
}

static bool resolve_value(struct resolver *r, struct expr *e)
{
	return resolve(r, e) && take_value(r, e);
}

static struct resolver resolver_of(const char *what, const char *text, const struct expr_names *names,
				   struct error *err)
{
	return (struct resolver){ .what = what, .text = text, .arch = names->arch, .tab = names->tab,
				  .vars = names->vars, .err = err };
}

bool expr_resolve(struct expr *e, const char *what, const char *text, const struct expr_names *names,
		  struct error *err)
{
	struct resolver r = resolver_of(what, text, names, err);

	return resolve(&r, e);
}

struct expr *expr_variable(const struct scope *scope, const struct var *var, const char *what,
			   const struct expr_names *names, struct error *err)
{
	struct resolver r = resolver_of(what, var->name, names, err);
	struct location where;

	if (!vars_where(r.vars, scope, var, &where, err))
		return NULL;
	return place_variable(&r, 0, &where, expr_type_of(r.vars->spot.ix, var->type));
}
