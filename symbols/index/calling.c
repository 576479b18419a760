// SPDX-License-Identifier: GPL-2.0-or-later
/* calling.c - classify arguments.  See calling.h. */
#include "symbols/index/calling.h"

#include <libdwarf/dwarf.h>
#include <stdlib.h>

#include "symbols/index/type.h"

#define WORD		8
#define DEEPEST		16	/* composites in composites: more of them are not looked into */
#define MOST_FLOATS	4	/* floating-point numbers of one argument that can be passed in registers */
#define LARGEST		(16 * MOST_FLOATS)	/* bytes: a larger composite is never passed in registers */

/* ------------------------------------------------------------------ shapes */

/* What the conventions ask of a type. */
struct shape {
	uint64_t size, align;		/* align 0: unknown */
	bool is_composite;
	bool is_in_memory;		/* System V: class MEMORY */
	bool is_number[2];		/* a part of this word is a whole number or an address */
	bool is_float[2];
	uint64_t filled;		/* bytes from the beginning of which all parts are known, up to alignment */
	size_t nr_floats;
	uint8_t float_size;		/* 0: they differ, or other parts are there */
	bool has_others;		/* parts that are not floating-point numbers */
};

static bool add_type(const struct dbindex *ix, uint32_t number, uint64_t at, struct shape *shape, unsigned int depth);

static uint64_t up(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

/* False: there is a hole before it that alignment does not explain; maybe a part is not known. */
static bool fill(struct shape *shape, uint64_t at, uint64_t size, uint64_t align)
{
	if (at > up(shape->filled, align))
		return false;
	if (at + size > shape->filled)
		shape->filled = at + size;
	if (align > shape->align)
		shape->align = align;
	shape->is_in_memory |= at % align != 0;
	return true;
}

static void add_words(bool *words, uint64_t at, uint64_t size)
{
	for (uint64_t i = at / WORD; i <= (at + size - 1) / WORD && i < 2; i++)
		words[i] = true;
}

static bool add_number(struct shape *shape, uint64_t at, uint64_t size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
		return false;
	shape->has_others = true;
	add_words(shape->is_number, at, size);
	return fill(shape, at, size, size);
}

/* One of 16 bytes is in memory by System V, and in one register by AAPCS64. */
static bool add_float(struct shape *shape, uint64_t at, uint64_t size)
{
	if (size != 4 && size != 8 && size != 16)
		return false;
	if (!shape->nr_floats++)
		shape->float_size = size;
	shape->has_others |= shape->float_size != size;
	shape->is_in_memory |= size == 16;
	add_words(shape->is_float, at, size);
	return fill(shape, at, size, size);
}

static bool add_base(struct shape *shape, const struct type *type, uint64_t at)
{
	switch (type->encoding) {
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return add_number(shape, at, type->size);
	case DW_ATE_float:
		return add_float(shape, at, type->size);
	}
	return false;
}

/* The convention asks for the storage unit of a bit-field only for alignment, which no argument depends on. */
static bool add_bits(struct shape *shape, const struct type_member *member, uint64_t at)
{
	const uint64_t first = at * 8 + member->bit_offset, last = first + member->bits - 1;

	shape->has_others = true;
	add_words(shape->is_number, first / 8, last / 8 - first / 8 + 1);
	if (first / 8 > up(shape->filled, WORD))
		return false;
	if (last / 8 + 1 > shape->filled)
		shape->filled = last / 8 + 1;
	return true;
}

static bool add_members(const struct dbindex *ix, struct type type, uint64_t at, struct shape *shape, unsigned int depth)
{
	struct type_member member;

	if (!type.is_complete || !type.nr || depth > DEEPEST)
		return false;
	while (type_next_member(ix, &type, &member)) {
		if (member.bits ? !add_bits(shape, &member, at) :
		    !add_type(ix, member.type, at + member.bit_offset / 8, shape, depth + 1))
			return false;
	}
	/* Behind the last member is alignment only. */
	return at + type.size <= up(shape->filled, shape->align > 1 ? shape->align : WORD);
}

static bool add_elements(const struct dbindex *ix, const struct type *type, uint64_t at, struct shape *shape, unsigned int depth)
{
	const uint64_t each = type_size(ix, type->target);
	uint64_t counts[TYPE_DIMENSIONS], n = 1;
	size_t nr = type_dimensions(type, counts);

	for (size_t i = 0; i < nr; i++)
		n *= counts[i] <= LARGEST ? counts[i] : LARGEST;
	if (n > LARGEST)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!add_type(ix, type->target, at + i * each, shape, depth + 1))
			return false;
	return nr && each;
}

static bool add_type(const struct dbindex *ix, uint32_t number, uint64_t at, struct shape *shape, unsigned int depth)
{
	struct type type;

	if (!type_resolve(ix, number, &type))
		return false;
	switch (type.kind) {
	case TYPE_BASE:
		return add_base(shape, &type, at);
	case TYPE_POINTER:
		return add_number(shape, at, type.size ? type.size : WORD);
	case TYPE_ENUM:
		return add_number(shape, at, type.size);
	case TYPE_STRUCT:
	case TYPE_UNION:
		return add_members(ix, type, at, shape, depth);
	case TYPE_ARRAY:
		return depth && depth <= DEEPEST && add_elements(ix, &type, at, shape, depth);
	default:
		return false;
	}
}

/* False: the type is not classified with certainty. */
static bool shape_of(const struct dbindex *ix, const struct calling *calling, uint32_t number, struct shape *out)
{
	const uint64_t largest = calling->is_aapcs ? LARGEST : 2 * WORD;
	struct type type;

	*out = (struct shape){ .align = 1 };
	if (!type_resolve(ix, number, &type))
		return false;
	out->is_composite = type.kind == TYPE_STRUCT || type.kind == TYPE_UNION;
	out->size = type.kind == TYPE_POINTER && !type.size ? WORD : type.size;
	/* Its parts do not matter. */
	if (out->is_composite && out->size > largest) {
		out->is_in_memory = true;
		out->has_others = true;
		out->align = 0;
		return type.is_complete;
	}
	return add_type(ix, number, 0, out, 0);
}

/* ------------------------------------------------------------------- state */

struct walk {
	const struct dbindex *ix;
	const struct calling *calling;
	uint32_t language;		/* SCOPE_C, SCOPE_CPP or SCOPE_RUST */
	size_t numbers, vectors;	/* registers that are used */
	uint64_t stack;			/* bytes that are used; ARGUMENT_NO_OFFSET: unknown */
};

static struct argument on_stack(struct walk *w, uint64_t size, uint64_t align)
{
	struct argument out = { .kind = ARGUMENT_ON_STACK, .offset = ARGUMENT_NO_OFFSET };

	if (!align || w->stack == ARGUMENT_NO_OFFSET) {
		w->stack = ARGUMENT_NO_OFFSET;
		return out;
	}
	out.offset = up(w->stack, align > WORD ? align : WORD);
	w->stack = up(out.offset + size, WORD);
	return out;
}

static bool has_registers(const struct walk *w, size_t numbers, size_t vectors)
{
	return w->numbers + numbers <= w->calling->nr_args && w->vectors + vectors <= w->calling->nr_vectors;
}

static void add_register(struct walk *w, struct argument *out, bool is_float)
{
	out->regs[out->nr++] = is_float ? w->calling->first_vector + w->vectors++ : w->calling->args[w->numbers++];
}

static struct argument by_reference(struct walk *w)
{
	struct argument out = { .kind = ARGUMENT_BY_REFERENCE, .each = WORD };

	/* Its address is on the stack; nothing describes that place. */
	if (!has_registers(w, 1, 0)) {
		on_stack(w, WORD, WORD);
		return (struct argument){ .kind = ARGUMENT_UNKNOWN };
	}
	add_register(w, &out, false);
	return out;
}

static size_t words_of(const struct shape *shape)
{
	return (shape->size + WORD - 1) / WORD;
}

/* ----------------------------------------------------------------- System V */

/* All words in registers, or all on the stack. */
static struct argument system_v(struct walk *w, const struct shape *shape)
{
	struct argument out = { .kind = ARGUMENT_IN_REGISTERS, .each = WORD };
	size_t numbers = 0, vectors = 0;

	if (shape->is_in_memory || shape->size > 2 * WORD)
		return on_stack(w, shape->size, shape->align);
	for (size_t i = 0; i < words_of(shape); i++) {
		/* A word without parts has no class. */
		if (!shape->is_number[i] && !shape->is_float[i])
			return (struct argument){ .kind = ARGUMENT_UNKNOWN };
		numbers += shape->is_number[i];
		vectors += !shape->is_number[i];
	}
	if (!has_registers(w, numbers, vectors))
		return on_stack(w, shape->size, shape->align);
	for (size_t i = 0; i < words_of(shape); i++)
		add_register(w, &out, !shape->is_number[i]);
	return out;
}

/* ------------------------------------------------------------------- AAPCS64 */

static struct argument equal_floats(struct walk *w, const struct shape *shape)
{
	struct argument out = { .kind = ARGUMENT_IN_REGISTERS, .each = shape->float_size };

	if (!has_registers(w, 0, shape->nr_floats)) {
		w->vectors = w->calling->nr_vectors;
		return on_stack(w, shape->size, shape->align);
	}
	for (size_t i = 0; i < shape->nr_floats; i++)
		add_register(w, &out, true);
	return out;
}

static struct argument aapcs(struct walk *w, const struct shape *shape)
{
	struct argument out = { .kind = ARGUMENT_IN_REGISTERS, .each = WORD };
	const bool is_equal = !shape->has_others && shape->nr_floats <= MOST_FLOATS &&
			      shape->nr_floats * shape->float_size == shape->size;

	if (is_equal)
		return equal_floats(w, shape);
	if (shape->is_composite && shape->size > 2 * WORD)
		return by_reference(w);
	/* Compilers differ in whether such a composite begins at an even register. */
	if (shape->is_composite && shape->align > WORD)
		return (struct argument){ .kind = ARGUMENT_UNKNOWN };
	if (shape->align > WORD)
		w->numbers = up(w->numbers, 2);
	if (!has_registers(w, words_of(shape), 0)) {
		w->numbers = w->calling->nr_args;
		return on_stack(w, shape->size, shape->align);
	}
	for (size_t i = 0; i < words_of(shape); i++)
		add_register(w, &out, false);
	return out;
}

/* -------------------------------------------------------------------- Rust */

static bool is_wide_pointer(const struct type *type)
{
	return type->kind == TYPE_STRUCT && type->size == 2 * WORD && type->nr == 2 && *type->name == '&';
}

/* Its own convention is not written down: scalars are passed as in C, and a wide pointer as two of them. */
static struct argument rust(struct walk *w, uint32_t number, const struct shape *shape)
{
	struct argument out = { .kind = ARGUMENT_IN_REGISTERS, .each = WORD };
	struct type type;

	if (!shape->is_composite)
		return w->calling->is_aapcs ? aapcs(w, shape) : system_v(w, shape);
	if (!type_resolve(w->ix, number, &type) || !is_wide_pointer(&type) || !has_registers(w, 2, 0))
		return (struct argument){ .kind = ARGUMENT_UNKNOWN };
	add_register(w, &out, false);
	add_register(w, &out, false);
	return out;
}

/* ------------------------------------------------------------------ arguments */

/*
 * How an object of C++ is passed, where the compiler does not say it of the type: it is where its location says, or where the
 * address says that the location loads.  0: that is not certain.
 */
static uint32_t passing_of(const struct var *var)
{
	struct cursor c;
	uint8_t op;

	if (var->flags & (VAR_BY_VALUE | VAR_BY_REFERENCE) || var->form != VAR_EXPR)
		return var->flags & (VAR_BY_VALUE | VAR_BY_REFERENCE);
	c = cursor_of(var->parts[0].expr, var->parts[0].len);
	if (cursor_uint(&c, 1) != DW_OP_fbreg)
		return 0;
	cursor_sleb(&c);
	if (!cursor_left(&c))
		return c.bad ? 0 : VAR_BY_VALUE;
	op = cursor_uint(&c, 1);
	return op == DW_OP_deref && !cursor_left(&c) && !c.bad ? VAR_BY_REFERENCE : 0;
}

static struct argument argument_of(struct walk *w, const struct var *var)
{
	struct argument unknown = { .kind = ARGUMENT_UNKNOWN };
	struct shape shape;
	struct type type;

	if (var->flags & (VAR_ODD | VAR_MISSING))
		return unknown;
	if (w->language == SCOPE_CPP && passing_of(var) & VAR_BY_REFERENCE)
		return by_reference(w);
	if (w->language == SCOPE_RUST && type_resolve(w->ix, var->type, &type) && !type.size &&
	    (type.kind == TYPE_BASE || (type.kind == TYPE_STRUCT && type.is_complete)))
		return (struct argument){ .kind = ARGUMENT_NONE };
	if (!shape_of(w->ix, w->calling, var->type, &shape))
		return unknown;
	if (w->language == SCOPE_RUST)
		return rust(w, var->type, &shape);
	if (w->language == SCOPE_CPP && shape.is_composite && !(passing_of(var) & VAR_BY_VALUE))
		return unknown;
	return w->calling->is_aapcs ? aapcs(w, &shape) : system_v(w, &shape);
}

/* Two numbers of 128 bits are 32 bytes, in registers. */
static bool rust_result(const struct type *type, bool *is_passed)
{
	*is_passed = type->size > 2 * WORD;
	return type->size <= WORD || is_wide_pointer(type) || (*is_passed && type->size != 4 * WORD);
}

static bool composite_result(const struct walk *w, const struct scope *function, const struct type *type, bool *is_passed)
{
	struct shape shape;

	*is_passed = type->size > 2 * WORD;
	if (function->flags & SCOPE_ODD || (w->language == SCOPE_CPP && !(function->flags & SCOPE_BY_VALUE)))
		return false;
	if (*is_passed)
		return true;
	if (!shape_of(w->ix, w->calling, function->type, &shape))
		return false;
	*is_passed = shape.is_in_memory;
	return true;
}

/* Does the caller pass the address of the result as the first argument?  False: that is not certain. */
static bool result_address(const struct walk *w, const struct scope *function, bool *is_passed)
{
	struct type type;

	*is_passed = function->flags & SCOPE_BY_REFERENCE && !w->calling->is_aapcs;
	if (*is_passed || w->calling->is_aapcs || function->type == NO_TYPE)
		return true;
	if (!type_resolve(w->ix, function->type, &type))
		return false;
	/* A vector is an array here. */
	if (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION)
		return type.kind != TYPE_ARRAY;
	return w->language == SCOPE_RUST ? rust_result(&type, is_passed) : composite_result(w, function, &type, is_passed);
}

struct argument *calling_arguments(const struct dbindex *ix, const struct scope *function, const struct calling *calling)
{
	struct argument *out = calloc(function->nr_vars + 1, sizeof(*out));
	struct walk w = { .ix = ix, .calling = calling, .language = function->flags & SCOPE_CALLED };
	bool is_passed, is_known;

	if (!out || !w.language || function->flags & SCOPE_OTHER_CALL)
		return out;
	is_known = result_address(&w, function, &is_passed);
	w.numbers = is_passed;
	for (size_t i = 0; is_known && i < function->nr_vars; i++) {
		if (!(function->vars[i].flags & VAR_PARAMETER))
			continue;
		out[i] = argument_of(&w, &function->vars[i]);
		is_known = out[i].kind != ARGUMENT_UNKNOWN;
	}
	return out;
}

bool calling_is_clone(const char *symbol)
{
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".part.", ".specialized.", ".argelim", ".argprom", ".retelim",
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (strstr(symbol, suffixes[i]))
			return true;
	return false;
}
