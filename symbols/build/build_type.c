// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_type.c - types, each once for the whole image.
 *
 * Every unit describes the types that it includes again.  Composites, enums and typedefs are the same if name, size,
 * place of declaration and what they are declared in (build_home.c) are equal; anonymous ones also need equal names of
 * members.  Other types are the same if their parts are.
 */
#include <stdlib.h>

#include "symbols/build/build.h"
#include "symbols/index/type.h"

static const struct kind {
	uint16_t tag;
	uint8_t kind;		/* enum type_kind */
} kinds[] = {
	{ DW_TAG_base_type, TYPE_BASE },
	{ DW_TAG_unspecified_type, TYPE_BASE },
	{ DW_TAG_pointer_type, TYPE_POINTER },
	{ DW_TAG_reference_type, TYPE_POINTER },
	{ DW_TAG_const_type, TYPE_CONST },
	{ DW_TAG_volatile_type, TYPE_VOLATILE },
	{ DW_TAG_restrict_type, TYPE_RESTRICT },
	{ DW_TAG_atomic_type, TYPE_ATOMIC },
	{ DW_TAG_typedef, TYPE_TYPEDEF },
	{ DW_TAG_structure_type, TYPE_STRUCT },
	{ DW_TAG_class_type, TYPE_STRUCT },
	{ DW_TAG_union_type, TYPE_UNION },
	{ DW_TAG_enumeration_type, TYPE_ENUM },
	{ DW_TAG_array_type, TYPE_ARRAY },
	{ DW_TAG_subroutine_type, TYPE_FUNCTION },
};

#define DEEPEST	32	/* longest chain of types that are made of each other */

static enum type_kind kind_of(uint16_t tag)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].tag == tag)
			return kinds[i].kind;
	return TYPE_VOID;
}

static bool is_composite(enum type_kind kind)
{
	return kind == TYPE_STRUCT || kind == TYPE_UNION;
}

/* Described at the end of the unit, because it may refer to itself. */
static bool is_deferred(enum type_kind kind)
{
	return is_composite(kind) || kind == TYPE_ENUM || kind == TYPE_TYPEDEF;
}

/* ---------------------------------------------------------------- children */

struct parts {
	struct worker *w;
	uint64_t hash;
	uint32_t nr;
	bool variadic;
	enum member_role role;	/* of the members that follow, */
	uint64_t value;		/* and which variant has them */
	uint32_t parameter;	/* the first type parameter, + 1; 0: none */
	struct bytes out;
};

static void hash_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;

	parts->hash = hash_text(parts->hash, e->name ? e->name : "");
	parts->hash = hash_number(parts->hash, e->member + e->constant);
}

static void array_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;
	uint64_t count = 0;

	if (e->tag != DW_TAG_subrange_type)
		return;
	if (e->has & HAS_COUNT)
		count = e->count + 1;
	else if (e->has & HAS_UPPER)
		count = e->upper + 2;
	bytes_uleb(&parts->out, count);
	parts->nr++;
}

static void function_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;

	parts->variadic |= e->tag == DW_TAG_unspecified_parameters;
	if (e->tag != DW_TAG_formal_parameter)
		return;
	bytes_uleb(&parts->out, build_type(parts->w, e->type));
	parts->nr++;
}

/* Position of the first bit; the old form counts from the high end of the storage unit. */
static uint64_t bit_offset(const struct entry *e)
{
	if (e->has & HAS_DATA_BIT)
		return e->data_bit_offset;
	if (e->has & HAS_BIT_OFFSET && e->bit_size)
		return e->member * 8 + e->byte_size * 8 - e->bit_offset - e->bit_size;
	return e->member * 8;
}

static void put_member(struct parts *parts, const char *name, uint32_t type, uint64_t offset, uint64_t bits)
{
	bytes_uleb(&parts->out, pool_string(parts->w->b, name));
	bytes_uleb(&parts->out, type);
	bytes_uleb(&parts->out, offset);
	bytes_uleb(&parts->out, bits);
	bytes_uleb(&parts->out, parts->role);
	if (parts->role == MEMBER_OF_VARIANT)
		bytes_uleb(&parts->out, parts->value);
	parts->nr++;
}

static void member_child(const struct entry *e, void *arg);

/* DWARF 5, 5.7.10: the discriminant, and an entry for each variant; one without a value is that of all other values. */
static void variant_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;
	const struct parts outside = *parts;

	if (e->tag == DW_TAG_member) {
		parts->role = MEMBER_DISCRIMINANT;
		put_member(parts, "variant", build_type(parts->w, e->type), bit_offset(e), e->bit_size);
	} else if (e->tag == DW_TAG_variant) {
		parts->role = e->has & HAS_DISCR_VALUE ? MEMBER_OF_VARIANT : MEMBER_OF_OTHERS;
		parts->value = e->discr_value;
		entry_children(&parts->w->reader, e, member_child, parts);
	}
	parts->role = outside.role;
	parts->value = outside.value;
}

/*
 * A base class is an anonymous member; where it is depends on the object, if it is a virtual one: then it is a part that cannot
 * be shown.  A static member is no part of the object: before DWARF 5 it looks like a member that is declared only.
 */
static void member_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;

	if (e->tag == DW_TAG_inheritance && e->has & HAS_UNREADABLE)
		put_member(parts, "virtual base", 0, 0, 0);
	else if (e->tag == DW_TAG_inheritance)
		put_member(parts, NULL, build_type(parts->w, e->type), 8 * e->member, 0);
	else if (e->tag == DW_TAG_variant_part)
		entry_children(&parts->w->reader, e, variant_child, parts);
	else if (e->tag == DW_TAG_template_type_parameter && !parts->parameter)
		parts->parameter = build_type(parts->w, e->type);
	else if (e->tag == DW_TAG_member && !e->external && !e->declaration)
		put_member(parts, e->name, e->has & HAS_UNREADABLE ? 0 : build_type(parts->w, e->type), bit_offset(e), e->bit_size);
}

static void enum_child(const struct entry *e, void *arg)
{
	struct parts *parts = arg;

	if (e->tag != DW_TAG_enumerator)
		return;
	bytes_uleb(&parts->out, pool_string(parts->w->b, e->name));
	bytes_sleb(&parts->out, e->constant);
	parts->nr++;
}

/* -------------------------------------------------------------- describing */

static void put_head(struct worker *w, struct bytes *out, enum type_kind kind, const struct entry *e,
		     uint32_t target)
{
	uint32_t file = build_declaring_file(w, e);

	bytes_uleb(out, kind);
	bytes_uleb(out, pool_string(w->b, e->name));
	bytes_uleb(out, file);
	bytes_uleb(out, e->decl_line);
	bytes_uleb(out, e->byte_size);
	bytes_uleb(out, target);
}

static void put_parts(struct bytes *out, const struct parts *parts)
{
	bytes_uleb(out, parts->nr);
	bytes_put(out, parts->out.v, parts->out.n);
}

static void publish(struct worker *w, uint32_t type, enum type_kind kind, const struct entry *e, size_t start)
{
	struct type_slot slot = {
		.worker = w->number, .offset = start, .len = w->types.n - start,
		.name = pool_string(w->b, e->name),
		.is_named = e->name && *e->name && (is_deferred(kind) || kind == TYPE_BASE),
	};

	pool_type_set(w->b, type, &slot);
}

/*
 * GCC says it of enums of C in an attribute; else it is that of the type that they are made of (DWARF 5, 5.7).  0: neither is
 * known.
 */
static uint64_t enum_encoding(struct worker *w, const struct entry *e)
{
	uint64_t offset = e->encoding ? 0 : e->type, encoding = e->encoding;
	struct entry made_of;

	for (unsigned int depth = 0; offset && depth < DEEPEST && entry_at(&w->reader, offset, &made_of); depth++) {
		encoding = made_of.encoding;
		offset = encoding ? 0 : made_of.type;
	}
	return encoding;
}

/* Describing it may add other types to w->types, so write this one afterwards as a whole. */
static void describe(struct worker *w, const struct entry *e, enum type_kind kind,
		     uint32_t type, const struct parts *known)
{
	struct parts parts = { .w = w };
	struct bytes out = { 0 };
	size_t start;

	if (is_composite(kind))
		entry_children(&w->reader, e, member_child, &parts);
	else if (kind == TYPE_ENUM)
		entry_children(&w->reader, e, enum_child, &parts);
	put_head(w, &out, kind, e, is_composite(kind) ? parts.parameter : build_type(w, e->type));
	if (kind == TYPE_BASE)
		bytes_uleb(&out, e->encoding);
	if (kind == TYPE_ENUM)
		bytes_uleb(&out, enum_encoding(w, e));
	if (kind == TYPE_FUNCTION)
		bytes_uleb(&out, known->variadic);
	if (is_composite(kind))
		bytes_uleb(&out, !e->declaration);
	put_parts(&out, known ? known : &parts);
	start = w->types.n;
	bytes_put(&w->types, out.v, out.n);
	publish(w, type, kind, e, start);
	bytes_free(&out);
	bytes_free(&parts.out);
}

static uint64_t hash_named(struct worker *w, enum type_kind kind, const struct entry *e)
{
	struct parts parts = { .w = w, .hash = hash_number(HASH_START, kind) };

	parts.hash = hash_text(parts.hash, e->name ? e->name : "");
	parts.hash = hash_number(parts.hash, e->declaration);
	parts.hash = hash_number(parts.hash, build_home(w, e));
	if (e->declaration)
		return parts.hash;
	parts.hash = hash_number(parts.hash, build_declaring_file(w, e));
	parts.hash = hash_number(parts.hash, e->decl_line);
	parts.hash = hash_number(parts.hash, e->decl_column);
	parts.hash = hash_number(parts.hash, e->byte_size);
	if (!e->name)
		entry_children(&w->reader, e, hash_child, &parts);
	return parts.hash;
}

static uint64_t hash_made_of(const struct entry *e, enum type_kind kind, uint32_t target,
			     const struct parts *parts)
{
	uint64_t hash = hash_number(HASH_START, kind);

	hash = hash_text(hash, e->name ? e->name : "");
	hash = hash_number(hash, e->byte_size);
	hash = hash_number(hash, e->encoding);
	hash = hash_number(hash, target);
	hash = hash_number(hash, parts->nr);
	hash = hash_number(hash, parts->variadic);
	return hash_bytes(hash, parts->out.v, parts->out.n);
}

static uint32_t take_named(struct worker *w, const struct entry *e, enum type_kind kind)
{
	bool is_new;
	uint32_t type = pool_type(w->b, hash_named(w, kind, e), &is_new);

	if (is_new)
		*ARRAY_ADD(w->pending, w->nr_pending, w->pending_room) = (struct pending){ e->offset, type };
	return type;
}

static uint32_t take_made_of(struct worker *w, const struct entry *e, enum type_kind kind)
{
	struct parts parts = { .w = w };
	bool is_new;
	uint32_t type;

	if (kind == TYPE_ARRAY)
		entry_children(&w->reader, e, array_child, &parts);
	else if (kind == TYPE_FUNCTION)
		entry_children(&w->reader, e, function_child, &parts);
	type = pool_type(w->b, hash_made_of(e, kind, build_type(w, e->type), &parts), &is_new);
	if (is_new)
		describe(w, e, kind, type, &parts);
	bytes_free(&parts.out);
	return type;
}

#define NONE	1	/* in type_of: no type; else type + 2 */

static uint32_t take(struct worker *w, const struct entry *e)
{
	enum type_kind kind = kind_of(e->tag);
	uint32_t type;

	*map_at(&w->type_of, e->offset) = NONE;
	if (kind == TYPE_VOID)
		return 0;
	/* Only declared here: a type unit describes it. */
	if (e->signature) {
		type = build_type(w, e->signature);
		*map_at(&w->type_of, e->offset) = type + NONE;
		return type;
	}
	type = is_deferred(kind) ? take_named(w, e, kind) : take_made_of(w, e, kind);
	*map_at(&w->type_of, e->offset) = type + 2;
	return type + 1;
}

uint32_t build_type(struct worker *w, uint64_t offset)
{
	uint64_t known = offset ? *map_at(&w->type_of, offset) : NONE;
	struct entry e;

	if (known)
		return known - NONE;
	return entry_at(&w->reader, offset, &e) ? take(w, &e) : 0;
}

void build_type_entry(struct worker *w, const struct entry *e)
{
	if (is_deferred(kind_of(e->tag)) && !*map_at(&w->type_of, e->offset))
		take(w, e);
}

/* Describing a type may find more types. */
void build_types_finish(struct worker *w)
{
	struct entry e;

	while (w->nr_pending) {
		struct pending one = w->pending[--w->nr_pending];

		if (entry_at(&w->reader, one.die, &e))
			describe(w, &e, kind_of(e.tag), one.type, NULL);
	}
}
