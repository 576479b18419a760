// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_type.c - types of expressions, by the rules of C.  See expr.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/memory.h"
#include "ctl/base/suggestion.h"
#include "examples.h"

/* ------------------------------------------------------------------- types */

static const struct {
	const char *name;
	struct expr_type type;
	bool offered;		/* suggested for a misspelt type */
} types[] = {
	{ "u8", { .bytes = 1, .is_byte = true }, true },
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
	{ "float", { .bytes = 4, .is_float = true }, true },
	{ "double", { .bytes = 8, .is_float = true }, true },
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
	{ "unsigned char", { .bytes = 1, .is_char = true, .is_byte = true }, false },
	{ "signed char", { .bytes = 1, .is_signed = true, .is_char = true }, false },
	{ "uint8_t", { .bytes = 1, .is_byte = true }, false },
	{ "uint16_t", { .bytes = 2 }, false },
	{ "uint32_t", { .bytes = 4 }, false },
	{ "uint64_t", { .bytes = 8 }, false },
	{ "int8_t", { .bytes = 1, .is_signed = true }, false },
	{ "int16_t", { .bytes = 2, .is_signed = true }, false },
	{ "int32_t", { .bytes = 4, .is_signed = true }, false },
	{ "int64_t", { .bytes = 8, .is_signed = true }, false },
	{ "__u8", { .bytes = 1, .is_byte = true }, false },
	{ "__u16", { .bytes = 2 }, false },
	{ "__u32", { .bytes = 4 }, false },
	{ "__u64", { .bytes = 8 }, false },
	{ "__s8", { .bytes = 1, .is_signed = true }, false },
	{ "__s16", { .bytes = 2, .is_signed = true }, false },
	{ "__s32", { .bytes = 4, .is_signed = true }, false },
	{ "__s64", { .bytes = 8, .is_signed = true }, false },
};

const struct expr_type EXPR_INT = { .bytes = 4, .is_signed = true };
const struct expr_type EXPR_LONG = { .bytes = 8, .is_signed = true };
const struct expr_type EXPR_ULONG = { .bytes = 8 };
const struct expr_type EXPR_POINTER = { .stars = 1 };

bool expr_type_named(const char *name, struct expr_type *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (*types[i].name != *name || strcmp(types[i].name, name))
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

bool expr_is_float(struct expr_type type)
{
	return type.is_float && !type.stars && type.shape == SHAPE_NUMBER;
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

/* Convert nanoseconds to ticks of the clock. */
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

/* Users do not know ticks: a duration can be compared only with a duration. */
static bool check_times(struct resolver *r, const struct expr *e)
{
	if (!e->a->type.is_time && !e->b->type.is_time)
		return true;
	if (e->op == OP_LAND || e->op == OP_LOR ||
	    (expr_is_comparison(e->op) && e->a->type.is_time && e->b->type.is_time))
		return true;
	return FAIL(r, e, "ELAPSED is compared with a time that has a unit (ns, us, ms, s): ELAPSED > 50us");
}

static bool resolve_load(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type;

	if (!type.stars)
		return FAIL(r, e, "this is not a pointer: say what it points at, as in *(u64*)($" EX_ARG1 "+0x18)");
	e->type = expr_target(type);
	return e->type.ix || expr_bytes(e->type) ||
	       FAIL(r, e, "a void pointer has no target type: give one, as in *(u64*)($" EX_ARG1 "+0x18)");
}

/* ------------------------------------------------------------- arithmetic */

/* The module has no instructions for floating-point numbers. */
static bool is_whole(struct resolver *r, const struct expr *e)
{
	return !expr_is_float(e->type) ||
	       FAIL(r, e, "this is a floating-point number, which can be recorded by VAR, but not computed with or compared");
}

/* A bit-field becomes an int if int can hold all its values. */
static struct expr_type promoted(struct expr_type type)
{
	if (type.bytes < 4 || (type.bits && type.bits < 32))
		return EXPR_INT;
	return (struct expr_type){ .bytes = type.bytes, .is_signed = type.is_signed };
}

/* The usual arithmetic conversions of C, for operands without pointers. */
static struct expr_type common(struct expr_type a, struct expr_type b)
{
	a = promoted(a);
	b = promoted(b);
	if (a.bytes != b.bytes)
		return a.bytes > b.bytes ? a : b;
	return a.is_signed ? b : a;
}

static struct expr *scaled(struct expr *e, uint64_t size)
{
	return size == 1 ? e : expr_binary(OP_MUL, e, size, EXPR_ULONG);
}

/* Size of one step of a pointer; 1 for void, as in GNU C. */
static uint64_t step_of(struct resolver *r, struct expr_type pointer)
{
	struct expr_type type = expr_target(pointer);
	uint64_t bytes;

	if (!type.stars && type.shape == SHAPE_COMPOSITE)
		vars_complete(r->vars, &type.ix, &type.number);
	bytes = expr_size(type);
	return bytes ? bytes : 1;
}

/* The number of elements between two pointers. */
static bool pointer_difference(struct resolver *r, struct expr *e)
{
	const uint64_t step = step_of(r, e->a->type);
	struct expr *bytes;

	if (step != step_of(r, e->b->type))
		return FAIL(r, e, "pointers to different types have no difference: cast them to u64");
	e->type = EXPR_LONG;
	e->a = expr_converted(e->a, EXPR_LONG);
	e->b = expr_converted(e->b, EXPR_LONG);
	if (!expr_fold(r, e) || step == 1)
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
	return expr_fold(r, e);
}

/* Refuse a sign test of an unsigned number: it is a mistake, mostly with a return value in a register. */
static bool check_sign(struct resolver *r, struct expr *e)
{
	bool never = e->op == OP_LT || e->op == OP_GE;

	if (!never || e->b->kind != EXPR_NUMBER || e->b->value || expr_is_signed(e->a->type) ||
	    e->a->kind == EXPR_NUMBER)
		return true;
	return FAIL(r, e, "this value is unsigned and never below 0: cast it, as in (s32)$%s < 0",
		    arch_reg_name(r->arch, r->arch->all_regs[0]));
}

static bool resolve_comparison(struct resolver *r, struct expr *e)
{
	struct expr_type type = e->a->type.stars || e->b->type.stars ? EXPR_ULONG :
				common(e->a->type, e->b->type);

	e->type = EXPR_INT;
	if (!check_sign(r, e))
		return false;
	e->a = expr_converted(e->a, type);
	e->b = expr_converted(e->b, type);
	return expr_fold(r, e);
}

#define LOWEST_ADDRESS	4096	/* all arrays have higher addresses */

/*
 * Refuse to compare the address of an array with a small number: they are never equal.  The user means an element of the
 * array, or the text in it.
 */
static bool check_array(struct resolver *r, const struct expr *array, const struct expr *number)
{
	if (number->kind != EXPR_NUMBER || number->type.stars || number->value >= LOWEST_ADDRESS)
		return true;
	if (match_takes(array->type))
		return FAIL(r, array, "this is a text: it is compared with one in quotes, as in == \"dd\"");
	return FAIL(r, array, "this is an array: compare one of its elements, as in [0] == 1");
}

/* Resolve a value.  *is_array: it was an array, and is now the address of its first element. */
static bool resolve_side(struct resolver *r, struct expr *e, bool *is_array)
{
	if (!expr_resolve_part(r, e))
		return false;
	*is_array = e->type.shape == SHAPE_ARRAY && !e->type.stars;
	return expr_take_value(r, e);
}

static bool resolve_sides(struct resolver *r, struct expr *e)
{
	const bool swap = e->a->kind == EXPR_NAME && !name_is_known(r, e->a);
	struct expr *first = swap ? e->b : e->a, *second = swap ? e->a : e->b;
	bool first_is_array = false, second_is_array = false;

	if (!resolve_side(r, first, &first_is_array))
		return false;
	if (match_takes(first->type) && second->kind == EXPR_NAME && expr_is_comparison(e->op) && !name_is_known(r, second))
		return FAIL(r, second, "'%s' is not known: a text is in quotes: \"%s\"", second->name, second->name);
	if (!name_enumerator(r, second, first->type) && !resolve_side(r, second, &second_is_array))
		return false;
	return !expr_is_comparison(e->op) ||
	       ((!first_is_array || check_array(r, first, second)) && (!second_is_array || check_array(r, second, first)));
}

static bool resolve_binary(struct resolver *r, struct expr *e)
{
	if (match_is(e))
		return match_resolve(r, e);
	if (!resolve_sides(r, e) || !check_times(r, e) || !is_whole(r, e->a) || !is_whole(r, e->b))
		return false;
	if (e->op == OP_LOR || e->op == OP_LAND) {
		e->type = EXPR_INT;
		return expr_fold(r, e);
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
	return expr_fold(r, e);
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

	if (!expr_resolve_value(r, a) || !is_whole(r, a))
		return false;
	if (e->op == OP_NOT) {
		e->type = EXPR_INT;
	} else if (a->type.stars) {
		return FAIL(r, e, "this operation does not work with a pointer: cast it to u64");
	} else {
		e->type = promoted(a->type);
		a = e->a = expr_converted(a, e->type);
	}
	if (a->kind == EXPR_NUMBER)
		expr_become_number(e, unary_value(e->op, a->value));
	return true;
}

static bool is_tagged(const char *name)
{
	return !strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6) || !strncmp(name, "enum ", 5);
}

static bool no_type(struct resolver *r, struct expr *e, const struct error *why)
{
	struct suggestions similar = { .word = e->name };
	const char *known;
	char buf[128];

	if (is_tagged(e->name) && r->vars && vars_open(r->vars))
		return FAIL(r, e, "%s", why->text);
	if (is_tagged(e->name))
		return FAIL(r, e, "'%s' needs debug information%s%s: without it give an offset, as in *(u64*)($" EX_ARG1 "+0x18)",
			    e->name, *why->text ? ": " : "", why->text);
	for (size_t i = 0; (known = expr_type_name(i)); i++)
		suggestion_offer(&similar, known);
	return FAIL(r, e, "no type '%s' is known: %s", e->name,
		    suggestion_say(similar.names, similar.n, *why->text ? why->text : "there are u8 to u64, s8 to s64, char, int, long, void",
				   buf, sizeof(buf)));
}

/* Resolve a type of the source. */
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
		return FAIL(r, e, e->type.ix ? "a cast must be to a number or a pointer: cast to a pointer to that type"
					     : "a cast to void leaves no value");
	if (!expr_resolve_value(r, e->a))
		return false;
	if (expr_is_float(e->type) != expr_is_float(e->a->type) || (expr_is_float(e->type) && e->type.bytes != e->a->type.bytes))
		return FAIL(r, e, "a cast cannot convert from or to this floating-point number; a cast of its address reads it: *(double *)p");
	if (e->a->kind == EXPR_NUMBER)
		expr_become_number(e, e->a->value);
	return true;
}

/* A name that is no variable may be a type, as in sizeof(loff_t). */
static bool resolve_sized(struct resolver *r, struct expr *a)
{
	if (a->kind == EXPR_NAME && !name_is_known(r, a)) {
		a->kind = EXPR_CAST;
		if (expr_type_named(a->name, &a->type))
			return true;
	}
	return a->kind == EXPR_CAST && !a->a ? find_type(r, a) : expr_resolve_part(r, a);
}

static bool resolve_sizeof(struct resolver *r, struct expr *e)
{
	struct expr_type type;
	char name[128];
	uint64_t size;

	if (!resolve_sized(r, e->a))
		return false;
	type = e->a->type;
	if (type.bits)
		return FAIL(r, e, "a bit-field has no size in bytes");
	if (!type.stars && type.shape == SHAPE_COMPOSITE)
		vars_complete(r->vars, &type.ix, &type.number);
	size = expr_size(type);
	if (!size)
		return FAIL(r, e, "the size of this is unknown (%s)", expr_spell(type, name, sizeof(name)));
	e->type = EXPR_ULONG;
	expr_become_number(e, size);
	return true;
}

/* A member of current needs its type in the source: struct task_struct. */
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

	if (!expr_resolve_part(r, a) || (a->type.slice && !expr_take_value(r, a)))
		return false;
	/* For a composite value_of_member() gives the better message. */
	if (e->kind == EXPR_ARROW && (a->type.stars || a->type.shape != SHAPE_COMPOSITE) && !expr_take_value(r, a))
		return false;
	if (a->kind == EXPR_CUR && a->cur == KT_CUR_TASK && !type_current(r, a))
		return false;
	return value_of_member(r, e);
}

/* Both values get one type.  A condition that is constant chooses here. */
static bool resolve_choice(struct resolver *r, struct expr *e)
{
	struct expr *values = e->b, *chosen;

	if (!expr_resolve_value(r, e->a) || !resolve_sides(r, values) || !is_whole(r, e->a) || !is_whole(r, values->a) ||
	    !is_whole(r, values->b))
		return false;
	if (!values->a->type.stars != !values->b->type.stars && values->a->kind != EXPR_NUMBER && values->b->kind != EXPR_NUMBER)
		return FAIL(r, e, "one value is a pointer and the other a number: cast one of them");
	e->type = values->a->type.stars ? values->a->type : values->b->type.stars ? values->b->type :
		  common(values->a->type, values->b->type);
	values->type = e->type;
	values->a = expr_converted(values->a, e->type);
	values->b = expr_converted(values->b, e->type);
	if (e->a->kind != EXPR_NUMBER)
		return true;
	chosen = expr_copy(e->a->value ? values->a : values->b);
	expr_become(e, chosen);
	return true;
}

/* At an instruction of a program, the module reads only the memory of that program. */
static bool of_kernel(struct resolver *r, struct expr *e)
{
	return !r->vars || !r->vars->target->program ||
	       FAIL(r, e, "'current' and this_cpu() are the kernel's memory, which cannot be read at an instruction of a program");
}

bool expr_resolve_part(struct resolver *r, struct expr *e)
{
	switch (e->kind) {
	case EXPR_DOLLAR:	return dollar_resolve(r, e);
	case EXPR_NAME:		return name_resolve(r, e);
	case EXPR_UNARY:	return resolve_unary(r, e);
	case EXPR_BINARY:	return resolve_binary(r, e);
	case EXPR_CHOICE:	return resolve_choice(r, e);
	case EXPR_CAST:		return resolve_cast(r, e);
	case EXPR_LOAD:		return expr_resolve_value(r, e->a) && resolve_load(r, e);
	case EXPR_ADDRESS:	return name_address(r, e);
	case EXPR_THIS_CPU:	return of_kernel(r, e) && name_this_cpu(r, e);
	case EXPR_PER_CPU:	return of_kernel(r, e) && name_per_cpu(r, e);
	case EXPR_SIZEOF:	return resolve_sizeof(r, e);
	case EXPR_MEMBER:
	case EXPR_ARROW:	return resolve_member(r, e);
	case EXPR_NUMBER:	return !e->type.is_time || resolve_time(r, e);
	case EXPR_SLICE:	return value_of_slice(r, e);
	case EXPR_TEXT:		return FAIL(r, e, "a text is only compared: current->comm == \"%s\"", e->name);
	case EXPR_CUR:
		e->type = EXPR_POINTER;
		return of_kernel(r, e);
	default:
		return true;
	}
}

/* Convert an array to the address of its first element. */
static void decay(struct expr *e)
{
	struct expr_type type = expr_pointer(expr_element(e->type));
	struct expr *address = e->a;

	e->a = NULL;
	expr_become(e, expr_converted(address, type));
	e->type = type;
}

/* Convert a resolved expression to a value that can be computed with. */
bool expr_take_value(struct resolver *r, struct expr *e)
{
	char type[128];

	if (e->type.slice)
		return FAIL(r, e, "a slice can only be recorded as a whole: VAR a[0..7]");
	if (e->type.stars || expr_bytes(e->type))
		return e->kind != EXPR_LOCATION || FAIL(r, e, "this is spread over several registers");
	if (e->type.shape == SHAPE_ARRAY && e->kind == EXPR_LOAD) {
		decay(e);
		return true;
	}
	if (e->type.shape == SHAPE_COMPOSITE)
		return FAIL(r, e, "this is a %s: name a member of it", expr_spell(e->type, type, sizeof(type)));
	if (e->type.ix && type_is_unknown(e->type.ix, e->type.number))
		return FAIL(r, e, "the type of this is not known: %s", expr_why_unknown(r));
	return FAIL(r, e, "this is not a number (%s): cast its address", expr_spell(e->type, type, sizeof(type)));
}

bool expr_resolve_value(struct resolver *r, struct expr *e)
{
	return expr_resolve_part(r, e) && expr_take_value(r, e);
}

static struct resolver resolver_of(const char *what, const char *text, const struct expr_names *names,
				   struct error *err)
{
	return (struct resolver){ .what = what, .text = text, .arch = names->arch, .tab = names->tab,
				  .vars = names->vars, .err = err, .in_row = names->in_row };
}

bool expr_resolve(struct expr *e, const char *what, const char *text, const struct expr_names *names,
		  struct error *err)
{
	struct resolver r = resolver_of(what, text, names, err);

	return expr_resolve_part(&r, e) && (!e->type.slice || names->takes_slice || expr_take_value(&r, e));
}

struct expr *expr_variable(const struct scope *scope, const struct var *var, const char *what,
			   const struct expr_names *names, struct error *err)
{
	struct resolver r = resolver_of(what, var->name, names, err);
	struct location where;

	if (!vars_where(r.vars, scope, var, &where, err))
		return NULL;
	return value_of_variable(&r, 0, &where, expr_type_of(r.vars->info.ix, var->type));
}
