// SPDX-License-Identifier: GPL-2.0-or-later
/* type.c - read types from their streams.  See type.h. */
#include "symbols/index/type.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbols/join/join.h"

#define DEEPEST		64	/* nesting of names and members; a deeper one is damaged */

static uint32_t minus_one(uint64_t v)
{
	return v && v <= UINT32_MAX ? v - 1 : NO_TYPE;
}

static bool read_head(const struct dbindex *ix, struct cursor *c, struct type *out)
{
	uint64_t kind = cursor_uleb(c);

	out->kind = kind < NR_TYPE_KINDS ? kind : TYPE_VOID;
	out->name = dbindex_string(ix, cursor_uleb(c));
	out->file = cursor_uleb(c);
	out->line = cursor_uleb(c);
	out->size = cursor_uleb(c);
	out->target = minus_one(cursor_uleb(c));
	return kind && kind < NR_TYPE_KINDS;
}

bool type_read(const struct dbindex *ix, uint32_t number, struct type *out)
{
	size_t nr, len;
	const uint64_t *types = dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	const uint8_t *data = dbindex_rows(ix, PART_TYPE_DATA, uint8_t, &len);
	struct cursor c = cursor_at(data, len, number < nr ? types[number] : len);

	*out = (struct type){ .number = number, .target = NO_TYPE, .name = "" };
	if (number >= nr || !read_head(ix, &c, out))
		return false;
	if (out->kind == TYPE_BASE || out->kind == TYPE_ENUM)
		out->encoding = cursor_uleb(&c);
	else if (out->kind == TYPE_STRUCT || out->kind == TYPE_UNION)
		out->is_complete = cursor_uleb(&c);
	else if (out->kind == TYPE_FUNCTION)
		out->is_variadic = cursor_uleb(&c);
	out->nr = cursor_uleb(&c);
	out->rest = c;
	return !c.bad;
}

/* Replace a declared composite by its definition in another unit. */
static void complete(const struct dbindex *ix, struct type *type)
{
	const uint32_t *all;
	size_t n;

	if ((type->kind != TYPE_STRUCT && type->kind != TYPE_UNION) || type->is_complete || !*type->name)
		return;
	n = dbindex_types(ix, type->name, &all);
	for (size_t i = 0; i < n; i++) {
		struct type other;

		if (type_read(ix, all[i], &other) && other.kind == type->kind && other.is_complete) {
			*type = other;
			return;
		}
	}
}

static bool is_other_name(enum type_kind kind)
{
	return kind == TYPE_TYPEDEF || kind == TYPE_CONST || kind == TYPE_VOLATILE || kind == TYPE_RESTRICT ||
	       kind == TYPE_ATOMIC;
}

bool type_resolve(const struct dbindex *ix, uint32_t number, struct type *out)
{
	for (unsigned int depth = 0; depth < DEEPEST && number != NO_TYPE; depth++) {
		if (!type_read(ix, number, out))
			return false;
		if (!is_other_name(out->kind)) {
			complete(ix, out);
			return true;
		}
		number = out->target;
	}
	*out = (struct type){ .kind = TYPE_VOID, .number = NO_TYPE, .target = NO_TYPE, .name = "void" };
	return number == NO_TYPE;
}

bool type_is_unknown(const struct dbindex *ix, uint32_t number)
{
	struct type type;

	for (unsigned int depth = 0; depth < DEEPEST && type_resolve(ix, number, &type); depth++) {
		if (type.kind != TYPE_POINTER && type.kind != TYPE_ARRAY)
			return type.kind == TYPE_BASE && !strcmp(type.name, JOIN_UNKNOWN);
		number = type.target;
	}
	return false;
}

/* ------------------------------------------------------------------- parts */

bool type_next_member(const struct dbindex *ix, struct type *type, struct type_member *out)
{
	if (!type->nr)
		return false;
	type->nr--;
	out->name = dbindex_string(ix, cursor_uleb(&type->rest));
	out->type = minus_one(cursor_uleb(&type->rest));
	out->bit_offset = cursor_uleb(&type->rest);
	out->bits = cursor_uleb(&type->rest);
	out->role = cursor_uleb(&type->rest) % NR_MEMBER_ROLES;
	out->value = out->role == MEMBER_OF_VARIANT ? cursor_uleb(&type->rest) : 0;
	return !type->rest.bad;
}

bool type_next_value(const struct dbindex *ix, struct type *type, const char **name, int64_t *value)
{
	if (!type->nr)
		return false;
	type->nr--;
	*name = dbindex_string(ix, cursor_uleb(&type->rest));
	*value = cursor_sleb(&type->rest);
	return !type->rest.bad;
}

uint32_t type_next_parameter(struct type *type)
{
	if (!type->nr)
		return NO_TYPE;
	type->nr--;
	return minus_one(cursor_uleb(&type->rest));
}

size_t type_dimensions(const struct type *type, uint64_t *counts)
{
	struct cursor c = type->rest;
	size_t n = 0;

	for (; n < type->nr && n < TYPE_DIMENSIONS && !c.bad; n++) {
		uint64_t count = cursor_uleb(&c);

		counts[n] = count ? count - 1 : 0;
	}
	return n;
}

#define POINTER_SIZE	8

static uint64_t size_of(const struct dbindex *ix, uint32_t number, unsigned int depth);

static uint64_t array_size(const struct dbindex *ix, const struct type *type, unsigned int depth)
{
	uint64_t counts[TYPE_DIMENSIONS], size = size_of(ix, type->target, depth + 1);
	size_t n = type_dimensions(type, counts);

	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(size, counts[i], &size))
			return 0;
	return size;
}

static uint64_t size_of(const struct dbindex *ix, uint32_t number, unsigned int depth)
{
	struct type type;

	if (depth > DEEPEST || !type_resolve(ix, number, &type))
		return 0;
	if (type.kind == TYPE_POINTER)
		return type.size ? type.size : POINTER_SIZE;
	if (type.kind == TYPE_ARRAY && !type.size)
		return array_size(ix, &type, depth);
	return type.size;
}

uint64_t type_size(const struct dbindex *ix, uint32_t number)
{
	return size_of(ix, number, 0);
}

/* ----------------------------------------------------------------- members */

/* In a damaged index a composite may contain itself, even twice: limit the search. */
struct search {
	const struct dbindex *ix;
	const char *name;
	unsigned int left;		/* composites that may still be searched */
};

#define MOST_SEARCHED	10000

static bool find_member(struct search *search, uint32_t composite, struct type_member *out, unsigned int depth)
{
	const struct dbindex *ix = search->ix;
	struct type_member member;
	struct type type;

	if (depth > DEEPEST || !search->left || !type_resolve(ix, composite, &type) ||
	    (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION))
		return false;
	search->left--;
	while (type_next_member(ix, &type, &member)) {
		if (!strcmp(member.name, search->name)) {
			*out = member;
			return true;
		}
		if (!*member.name && find_member(search, member.type, out, depth + 1)) {
			out->bit_offset += member.bit_offset;
			return true;
		}
	}
	return false;
}

bool type_member(const struct dbindex *ix, uint32_t composite, const char *name, struct type_member *out)
{
	struct search search = { ix, name, MOST_SEARCHED };

	return *name && find_member(&search, composite, out, 0);
}

static const struct prefix {
	const char *text;
	enum type_kind kind;
} prefixes[] = {
	{ "struct ", TYPE_STRUCT },
	{ "union ", TYPE_UNION },
	{ "enum ", TYPE_ENUM },
	{ "", TYPE_TYPEDEF },
	{ "", TYPE_BASE },
};

static uint32_t named(const struct dbindex *ix, const char *name, enum type_kind kind)
{
	uint32_t declared = NO_TYPE;
	const uint32_t *all;
	size_t n = dbindex_types(ix, name, &all);

	for (size_t i = 0; i < n; i++) {
		struct type type;

		if (!type_read(ix, all[i], &type) || type.kind != kind)
			continue;
		if (type.is_complete || (kind != TYPE_STRUCT && kind != TYPE_UNION))
			return all[i];
		declared = all[i];
	}
	return declared;
}

uint32_t type_by_name(const struct dbindex *ix, const char *spelling)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i].text);
		uint32_t found = NO_TYPE;

		if (!strncmp(spelling, prefixes[i].text, n))
			found = named(ix, spelling + n, prefixes[i].kind);
		if (found != NO_TYPE)
			return found;
	}
	return NO_TYPE;
}

/* False: an earlier enumerator has another value. */
static bool same_constant(const struct dbindex *ix, struct type *list, const char *name, int64_t *value, bool *found)
{
	int64_t other;
	const char *text;

	while (type_next_value(ix, list, &text, &other)) {
		if (strcmp(text, name))
			continue;
		if (*found && other != *value)
			return false;
		*value = other;
		*found = true;
	}
	return true;
}

bool type_constant(const struct dbindex *ix, const char *name, int64_t *value)
{
	size_t nr, len;
	const uint64_t *types = dbindex_rows(ix, PART_TYPES, uint64_t, &nr);
	const uint8_t *data = dbindex_rows(ix, PART_TYPE_DATA, uint8_t, &len);
	bool found = false;
	struct type type;

	/* The kind comes first and is one byte: read the rest of enums only. */
	for (size_t i = 0; i < nr; i++)
		if (types[i] < len && data[types[i]] == TYPE_ENUM && type_read(ix, i, &type) &&
		    !same_constant(ix, &type, name, value, &found))
			return false;
	return found;
}

/* ---------------------------------------------------------------- spelling */

/* A declarator grows on both sides of its middle. */
struct spelling {
	const struct dbindex *ix;
	unsigned int depth;	/* nesting of functions as parameters */
	char before[256], after[256];
	char qualifiers[32];	/* qualifiers at the very beginning: "const " */
};

static void put_before(struct spelling *s, const char *text)
{
	char old[sizeof(s->before)];

	memcpy(old, s->before, sizeof(old));
	snprintf(s->before, sizeof(s->before), "%s%.200s", text, old);
}

static void put_after(struct spelling *s, const char *text)
{
	size_t n = strlen(s->after);

	snprintf(s->after + n, sizeof(s->after) - n, "%s", text);
}

#define DEEPEST_SPELT	4

static const char *spell(const struct dbindex *ix, uint32_t number, unsigned int depth, char *buf, size_t size);

static void spell_parameters(struct spelling *s, struct type *type)
{
	char one[160];
	bool any = type->nr;

	put_after(s, "(");
	while (type->nr && !type->rest.bad && strlen(s->after) + 1 < sizeof(s->after)) {
		put_after(s, spell(s->ix, type_next_parameter(type), s->depth + 1, one, sizeof(one)));
		put_after(s, type->nr ? ", " : "");
	}
	put_after(s, type->is_variadic ? (any ? ", ...)" : "...)") : any ? ")" : "void)");
}

static void spell_dimensions(struct spelling *s, const struct type *type)
{
	uint64_t counts[TYPE_DIMENSIONS];
	size_t n = type_dimensions(type, counts);
	char one[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(one, sizeof(one), counts[i] ? "[%llu]" : "[]", (unsigned long long)counts[i]);
		put_after(s, one);
	}
}

static const char *const words[NR_TYPE_KINDS] = {
	[TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union ", [TYPE_ENUM] = "enum ", [TYPE_CONST] = "const ",
	[TYPE_VOLATILE] = "volatile ", [TYPE_ATOMIC] = "_Atomic ", [TYPE_POINTER] = "*",
	[TYPE_RESTRICT] = "restrict ",
};

static bool is_declarator(const struct dbindex *ix, uint32_t number)
{
	struct type type;

	return type_read(ix, number, &type) && (type.kind == TYPE_ARRAY || type.kind == TYPE_FUNCTION);
}

/* The qualifier of a pointer stands behind its star. */
static void qualify(struct spelling *s, const struct type *type, const char *word)
{
	size_t n = strlen(s->qualifiers);
	struct type target;

	if (type_read(s->ix, type->target, &target) && target.kind == TYPE_POINTER)
		put_before(s, word);
	else if (!strstr(s->qualifiers, word))
		snprintf(s->qualifiers + n, sizeof(s->qualifiers) - n, "%s", word);
}

/* Spell one layer.  False: the innermost name ends the spelling. */
static bool spell_layer(struct spelling *s, struct type *type)
{
	const char *word = words[type->kind] ? words[type->kind] : "";

	if (type->kind == TYPE_POINTER && is_declarator(s->ix, type->target)) {
		put_before(s, "(*");
		put_after(s, ")");
	} else if (type->kind == TYPE_ARRAY) {
		spell_dimensions(s, type);
	} else if (type->kind == TYPE_FUNCTION) {
		spell_parameters(s, type);
	} else if (type->kind == TYPE_POINTER) {
		put_before(s, word);
	} else if (type->kind != TYPE_TYPEDEF && is_other_name(type->kind)) {
		qualify(s, type, word);
	} else {
		put_before(s, *type->name ? type->name : "{...}");
		put_before(s, word);
		return false;
	}
	return true;
}

/* Join the parts: a blank between "char" and "*", none before "[". */
static const char *join(const struct spelling *s, bool ended, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s", s->qualifiers, ended ? "" : *s->before ? "void " : "void", s->before, s->after);
	return buf;
}

/* Put a blank between a name and the text behind it. */
static void separate(struct spelling *s)
{
	if (*s->before && *s->before != ' ')
		put_before(s, " ");
	else if (!*s->before && *s->after == '(')
		put_before(s, " ");
}

static const char *spell(const struct dbindex *ix, uint32_t number, unsigned int depth, char *buf, size_t size)
{
	struct spelling s = { .ix = ix, .depth = depth };
	struct type type;

	if (depth > DEEPEST_SPELT) {
		snprintf(buf, size, "...");
		return buf;
	}
	for (unsigned int layer = 0; layer < DEEPEST && number != NO_TYPE; layer++) {
		bool names;

		if (!type_read(ix, number, &type))
			break;
		names = type.kind == TYPE_BASE || type.kind == TYPE_TYPEDEF || type.kind == TYPE_STRUCT ||
			type.kind == TYPE_UNION || type.kind == TYPE_ENUM;
		if (names)
			separate(&s);
		if (!spell_layer(&s, &type))
			return join(&s, true, buf, size);
		number = type.target;
	}
	return join(&s, false, buf, size);
}

const char *type_spell(const struct dbindex *ix, uint32_t number, char *buf, size_t size)
{
	return spell(ix, number, 0, buf, size);
}
