// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_parts.c - record a struct, an array or an object of variants: an item for each of its parts.  See compile.h. */
#include "ctl/lang/compile_int.h"

#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/device/field_names.h"

/* Members of members are recorded, and what is in these is "{...}"; of base classes in each other at most 15. */
#define NAMED		16	/* a member counts so much of the depth; a base class or an anonymous member counts 1 */
#define DEEPEST		(2 * NAMED + 15)
#define ELEMENTS	8	/* elements of an array that are recorded */

static bool compile_parts(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			  struct error *err);

static bool compile_part(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			 struct error *err)
{
	const struct expr_type type = e->type;
	const size_t before = c->desc->nr_fields;

	if (compile_is_row(e))
		return type.is_byte ? compile_byte_array(c, name, e, err) : compile_text(c, name, e, err);
	if (type.slice)
		return compile_parts(c, name, e, depth, err);
	if (type.stars == 1 && type.is_char && type.shape == SHAPE_NUMBER)
		return compile_string(c, name, e, COMPILE_STR_BYTES, err);
	if (type.stars || (type.shape == SHAPE_NUMBER && expr_bytes(type)))
		return compile_number(c, name, e, err);
	if (type.shape == SHAPE_NUMBER || type.shape == SHAPE_FUNCTION || depth > DEEPEST)
		return compile_absent(c, name, "{...}", err);
	return compile_parts(c, name, e, depth, err) &&
	       (c->desc->nr_fields > before || depth % NAMED || compile_absent(c, name, "{}", err));
}

/* A variant without members says all by its name. */
static bool is_object(const struct expr *e)
{
	return !e->type.stars && e->type.shape == SHAPE_COMPOSITE;
}

static void name_variant(const char *name, uint64_t number, void *arg)
{
	field_add_name(arg, (int64_t)number, name);
}

static bool compile_variant(struct compiler *c, const char *name, const struct expr *number, struct expr_type of, struct error *err)
{
	struct field *field;

	if (!compile_number(c, name, number, err))
		return false;
	field = &c->desc->fields[c->desc->nr_fields - 1];
	field_drop_names(field);
	expr_variants(of, name_variant, field);
	return true;
}

/*
 * Is there room for one more item, with its address if it is a string, and for the one that stands for the
 * rest?
 */
static bool has_room(const struct compiler *c)
{
	return c->desc->nr_fields + 1 < KT_MAX_ITEMS && c->body.n + c->filter.n < KT_MAX_PROG - 64 &&
	       c->payload + 8 + COMPILE_STR_BYTES + 4 < KT_MAX_PAYLOAD;
}

static bool compile_parts(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			  struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .vars = c->vars };
	enum expr_part found = PART_OK;
	char suffix[128];

	for (size_t i = 0; found != PART_END; i++) {
		AUTO_EXPR struct expr *part = NULL;

		found = expr_part(e, i, &names, suffix, sizeof(suffix), &part);

		AUTO_FREE char *full = mem_printf("%s%s", name, suffix);
		bool ok = true;

		if (found == PART_END)
			break;
		if (!has_room(c) || (e->type.shape == SHAPE_ARRAY && !e->type.slice && i == ELEMENTS))
			return c->desc->nr_fields == KT_MAX_ITEMS || compile_absent(c, full, "...", err);
		if (found == PART_NONE)
			ok = compile_absent(c, full, "?", err);
		else if (found == PART_VARIANT)
			ok = compile_variant(c, full, part, e->type, err);
		else if (found == PART_OF_VARIANT && is_object(part))
			ok = compile_parts(c, full, part, depth + NAMED, err);
		else
			ok = compile_part(c, full, part, depth + (*suffix ? NAMED : 1), err);
		if (!ok)
			return false;
	}
	return true;
}

bool compile_value(struct compiler *c, const char *name, const struct expr *e, struct error *err)
{
	const size_t first = c->desc->nr_fields;
	const bool is_whole = !e->type.slice && (e->type.stars || e->type.shape == SHAPE_NUMBER);
	const bool is_composite = !is_whole && !compile_is_row(e);

	if (!compile_part(c, name, e, 0, err))
		return false;
	for (size_t i = first; is_composite && i < c->desc->nr_fields; i++)
		if (!strncmp(c->desc->fields[i].name, name, strlen(name)))
			c->desc->fields[i].group = strlen(name);
	return true;
}
