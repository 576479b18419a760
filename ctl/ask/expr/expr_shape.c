// SPDX-License-Identifier: GPL-2.0-or-later
/* expr_shape.c - convert types of the debug information to types of expressions. */
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <string.h>

#include "ctl/ask/expr/expr_int.h"
#include "ctl/base/device/show.h"
#include "ctl/base/memory.h"

#define DEEPEST	32	/* longest chain of pointers, or of const and volatile, that is followed */

/* Complex and decimal numbers, and those of half precision, are neither whole numbers nor floating-point ones of 4 or 8 bytes. */
static bool is_odd_number(const struct type *type)
{
	switch (type->encoding) {
	case DW_ATE_float:
		return type->size < 4;
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		return true;
	default:
		return false;
	}
}

static void take_base(struct expr_type *out, const struct type *type)
{
	if ((type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8) || is_odd_number(type))
		return;
	out->bytes = type->size;
	out->is_float = type->encoding == DW_ATE_float;
	out->is_signed = type->encoding == DW_ATE_signed || type->encoding == DW_ATE_signed_char;
	/* A char without a sign is that of the processor, or of a kernel since 6.2. */
	out->is_byte = type->size == 1 && strcmp(type->name, "char") &&
		       (type->encoding == DW_ATE_unsigned || type->encoding == DW_ATE_unsigned_char);
}

/* Is it a char by name?  u8 is not, because it is seldom text. */
static bool is_char(const struct dbindex *ix, uint32_t number)
{
	struct type type;

	for (int i = 0; i < DEEPEST && type_read(ix, number, &type); i++) {
		if (type.kind == TYPE_BASE)
			return type.size == 1 && strstr(type.name, "char");
		if (type.kind != TYPE_CONST && type.kind != TYPE_VOLATILE)
			return false;
		number = type.target;
	}
	return false;
}

static bool has_negative(const struct dbindex *ix, struct type list)
{
	const char *name;
	int64_t value;

	while (type_next_value(ix, &list, &name, &value))
		if (value < 0)
			return true;
	return false;
}

static void take_shape(struct expr_type *out, const struct type *type)
{
	switch (type->kind) {
	case TYPE_BASE:
		take_base(out, type);
		return;
	case TYPE_ENUM:
		out->bytes = type->size <= 8 ? type->size : 0;
		out->is_signed = type->encoding ? type->encoding == DW_ATE_signed || type->encoding == DW_ATE_signed_char :
				 has_negative(out->ix, *type);
		return;
	case TYPE_STRUCT:
	case TYPE_UNION:
		out->shape = SHAPE_COMPOSITE;
		return;
	case TYPE_ARRAY:
		out->shape = SHAPE_ARRAY;
		return;
	case TYPE_FUNCTION:
		out->shape = SHAPE_FUNCTION;
		return;
	default:
		out->ix = NULL;
	}
}

static size_t dimensions(struct expr_type type, uint64_t counts[TYPE_DIMENSIONS], uint32_t *target)
{
	struct type array;

	if (!type.ix || type.shape != SHAPE_ARRAY || !type_read(type.ix, type.number, &array))
		return 0;
	*target = array.target;
	return type_dimensions(&array, counts);
}

/* An array of characters is a text in its last dimension, and one of bytes is shown as such. */
static void take_row(struct expr_type *array)
{
	uint64_t counts[TYPE_DIMENSIONS];
	uint32_t target = NO_TYPE;
	size_t n = dimensions(*array, counts, &target);
	const struct expr_type element = expr_type_of(array->ix, target);
	const bool is_row = array->indexed + 1U == n && !element.stars && element.shape == SHAPE_NUMBER;

	array->is_byte = is_row && element.is_byte;
	array->is_char = is_row && element.is_char && !element.is_byte;
}

/* Types of the kernel whose numbers have a form; processes have others of the same name, with other sizes. */
static const struct {
	const char *name;
	uint8_t bytes;
	enum show show;
} forms[] = {
	{ "dev_t", 4, SHOW_DEV }, { "umode_t", 2, SHOW_MODE }, { "gfp_t", 4, SHOW_FLAGS }, { "fmode_t", 4, SHOW_FLAGS },
	{ "vm_flags_t", 8, SHOW_FLAGS },
};

/* Give a number its form, by the names that lead to its type. */
static void find_form(const struct dbindex *ix, uint32_t number, struct expr_type *out)
{
	struct type type;

	for (int i = 0; i < DEEPEST && type_read(ix, number, &type); i++) {
		for (size_t n = 0; type.kind == TYPE_TYPEDEF && n < ARRAY_SIZE(forms); n++)
			if (out->bytes == forms[n].bytes && !strcmp(type.name, forms[n].name)) {
				out->show = forms[n].show;
				out->flags = out->show == SHOW_FLAGS ? forms[n].name : NULL;
				return;
			}
		if (type.kind != TYPE_TYPEDEF && type.kind != TYPE_CONST && type.kind != TYPE_VOLATILE)
			break;
		number = type.target;
	}
}

struct expr_type expr_type_of(const struct dbindex *ix, uint32_t number)
{
	struct expr_type out = { .ix = ix };
	struct type type = { .kind = TYPE_VOID };

	while (type_resolve(ix, number, &type) && type.kind == TYPE_POINTER && out.stars < DEEPEST) {
		out.stars++;
		number = type.target;
		type.kind = TYPE_VOID;
	}
	out.number = type.number;
	if (number == NO_TYPE)
		type.kind = TYPE_VOID;
	take_shape(&out, &type);
	out.is_char = out.shape == SHAPE_NUMBER && is_char(ix, number);
	if (out.shape == SHAPE_NUMBER && out.bytes)
		find_form(ix, number, &out);
	if (out.shape == SHAPE_ARRAY)
		take_row(&out);
	return out;
}

struct expr_type expr_element(struct expr_type type)
{
	uint64_t counts[TYPE_DIMENSIONS];
	uint32_t target = NO_TYPE;
	size_t n = dimensions(type, counts, &target);

	if (type.slice) {
		type.slice = 0;
		return type;
	}
	if (type.indexed + 1U < n) {
		type.indexed++;
		take_row(&type);
		return type;
	}
	return expr_type_of(type.ix, target);
}

uint64_t expr_count(struct expr_type type)
{
	uint64_t counts[TYPE_DIMENSIONS];
	uint32_t target;
	size_t n = dimensions(type, counts, &target);

	if (type.slice)
		return type.slice;
	return type.indexed < n ? counts[type.indexed] : 0;
}

uint64_t expr_size(struct expr_type type)
{
	if (type.stars && !type.slice)
		return sizeof(uint64_t);
	if (type.shape == SHAPE_ARRAY || type.slice)
		return expr_count(type) * expr_size(expr_element(type));
	return type.shape == SHAPE_COMPOSITE ? type_size(type.ix, type.number) : type.bytes;
}

const char *expr_spell(struct expr_type type, char *buf, size_t size)
{
	size_t n;

	if (type.ix)
		type_spell(type.ix, type.number, buf, size);
	else
		snprintf(buf, size, "%s", type.bytes ? "number" : "void");
	n = strlen(buf);
	for (uint8_t i = 0; i < type.stars && n + 2 < size; i++)
		n += snprintf(buf + n, size - n, "%s*", i ? "" : " ");
	return buf;
}
