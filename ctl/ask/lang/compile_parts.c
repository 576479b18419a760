// SPDX-License-Identifier: GPL-2.0-or-later
/* compile_parts.c - record a struct, an array or an object of variants: an item for each of its parts.  See compile.h. */
#include "ctl/ask/lang/compile_int.h"

#include <string.h>

#include "ctl/base/device/field_names.h"
#include "ctl/base/memory.h"

/* Members of members are recorded, and what is in these is "{...}"; of base classes in each other at most 15. */
#define NAMED		16	/* a member counts so much of the depth; a base class or an anonymous member counts 1 */
#define DEEPEST		(2 * NAMED + 15)
#define ELEMENTS	8	/* elements of an array that are recorded */

static bool compile_parts(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			  struct error *err);

static bool compile_part(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			 struct error *err);

/*
 * The fields from `first` on are parts that an object has only if field `on` has some value.  Those that depend on another field
 * among them do so in turn.
 */
static void depend(struct compiler *c, size_t first, size_t on, bool above, int64_t when)
{
	for (size_t i = first; i < c->desc->nr_fields; i++) {
		struct field *field = &c->desc->fields[i];

		if (field->depends || i - on > UINT8_MAX)
			continue;
		field->depends = i - on;
		field->when_above = above;
		field->when = when;
	}
}

/* Are there instructions for what may follow? */
static bool has_instructions(const struct compiler *c)
{
	return c->body.n + c->filter.n < KT_MAX_PROG - 64;
}

/*
 * Is there room for one more item, with its address if it is a string, and for the one that stands for the
 * rest?
 */
static bool has_room(const struct compiler *c)
{
	return c->desc->nr_fields + 1 < KT_MAX_ITEMS && has_instructions(c) &&
	       c->payload + 8 + COMPILE_STR_BYTES + 4 < KT_MAX_PAYLOAD;
}

/* What a compiler had before a part. */
struct mark {
	size_t nr_fields, nr_insns, nr_emits, payload;
	bool has_faults;
};

static struct mark mark_here(const struct compiler *c)
{
	return (struct mark){ c->desc->nr_fields, c->body.n, c->nr_emits, c->payload, c->desc->has_faults };
}

static void go_back(struct compiler *c, const struct mark *mark)
{
	while (c->desc->nr_fields > mark->nr_fields)
		field_drop_names(&c->desc->fields[--c->desc->nr_fields]);
	c->body.n = mark->nr_insns;
	c->nr_emits = mark->nr_emits;
	c->payload = mark->payload;
	c->desc->has_faults = mark->has_faults;
}

/* *more: another one may follow. */
static bool compile_element(struct compiler *c, const char *name, const struct expr_contents *contents, size_t i, size_t on,
			    unsigned int depth, bool *more, struct error *err)
{
	AUTO_FREE char *full = contents->kind == CONTENTS_OPTIONAL ? mem_printf("%s.value", name) : mem_printf("%s[%zu]", name, i);
	AUTO_EXPR struct expr *part = expr_contents_part(contents, i);
	const struct mark before = mark_here(c);

	*more = has_room(c) && i < ELEMENTS;
	if (*more && !compile_part(c, full, part, depth + NAMED, err))
		return false;
	/* A part may take more instructions than there are. */
	*more &= has_instructions(c);
	if (!*more) {
		go_back(c, &before);
		if (c->desc->nr_fields < KT_MAX_ITEMS && !compile_absent(c, full, "...", err))
			return false;
	}
	depend(c, before.nr_fields, on, true, i);
	return true;
}

/* The number of elements, and the first of them; or the object, if there is one. */
static bool compile_elements(struct compiler *c, const char *name, const struct expr_contents *contents, unsigned int depth,
			     struct error *err)
{
	AUTO_FREE char *length = mem_printf("%s.%s", name, contents->length_name);
	const size_t on = c->desc->nr_fields;
	bool more = true;

	if (!compile_number(c, length, contents->length, err))
		return false;
	for (size_t i = 0; more && (!i || contents->kind == CONTENTS_ELEMENTS); i++)
		if (!compile_element(c, name, contents, i, on, depth, &more, err))
			return false;
	return true;
}

static bool compile_contents(struct compiler *c, const char *name, const struct expr *e, const struct expr_contents *contents,
			     unsigned int depth, struct error *err)
{
	if (contents->kind == CONTENTS_TEXT)
		return compile_contents_text(c, name, e, contents, COMPILE_STR_BYTES, err);
	if (contents->kind == CONTENTS_VALUE)
		return compile_part(c, name, contents->what, depth, err);
	return depth > DEEPEST ? compile_absent(c, name, "{...}", err) : compile_elements(c, name, contents, depth, err);
}

static bool compile_part(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			 struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .vars = c->vars };
	struct expr_contents contents;
	const struct expr_type type = e->type;
	const size_t before = c->desc->nr_fields;

	if (compile_is_row(e))
		return type.is_byte ? compile_byte_array(c, name, e, err) : compile_text(c, name, e, err);
	if (type.slice)
		return compile_parts(c, name, e, depth, err);
	if (expr_contents(e, &names, &contents)) {
		const bool ok = compile_contents(c, name, e, &contents, depth, err);

		expr_contents_free(&contents);
		return ok;
	}
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

/* The fields from `first` on belong to one variant; field `on` tells which the object has. */
static void depend_on_variant(struct compiler *c, size_t first, size_t on, const char *variant)
{
	const struct field *field = &c->desc->fields[on];

	for (size_t i = 0; i < field->nr_names; i++)
		if (!strcmp(field->names[i].name, variant)) {
			depend(c, first, on, false, field->names[i].value);
			return;
		}
}

static bool compile_parts(struct compiler *c, const char *name, const struct expr *e, unsigned int depth,
			  struct error *err)
{
	const struct expr_names names = { .arch = c->arch, .vars = c->vars };
	enum expr_part found = PART_OK;
	size_t variant = SIZE_MAX;
	char suffix[128];

	for (size_t i = 0; found != PART_END; i++) {
		AUTO_EXPR struct expr *part = NULL;

		found = expr_part(e, i, &names, suffix, sizeof(suffix), &part);

		AUTO_FREE char *full = mem_printf("%s%s", name, suffix);
		const size_t first = c->desc->nr_fields;
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
		if (found == PART_VARIANT)
			variant = first;
		if (found == PART_OF_VARIANT && variant != SIZE_MAX)
			depend_on_variant(c, first, variant, suffix + 1);
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
		if (!strncmp(c->desc->fields[i].name, name, strlen(name)) && c->desc->fields[i].name[strlen(name)])
			c->desc->fields[i].group = strlen(name);
	return true;
}
