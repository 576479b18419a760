/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h - types of an index.
 *
 * The stream of a type: kind, name, file + 1, line, size in bytes, target + 1 (the type that it points at,
 * names, has as elements or returns; of a composite its first type parameter; 0: void, none); then
 *   base       its encoding (DW_ATE_*)
 *   composite  complete (1) or only declared (0); number of members; for each
 *              name ("": an anonymous composite or a base class), type + 1 (0: cannot be shown), bit offset, bits of a
 *              bit-field (0: none), role (MEMBER_*); MEMBER_OF_VARIANT: the value of the discriminant
 *   enum       its encoding (DW_ATE_signed, DW_ATE_unsigned; 0: unknown); number of names; for each name and value (signed)
 *   array      number of dimensions; for each its count + 1, or 0 if unknown
 *   function   variadic; number of parameters; for each its type + 1
 */
#ifndef KTRACE_TYPE_H
#define KTRACE_TYPE_H

#include "symbols/index/dbindex.h"

enum type_kind {
	TYPE_VOID,
	TYPE_BASE,
	TYPE_POINTER,
	TYPE_CONST,
	TYPE_VOLATILE,
	TYPE_RESTRICT,
	TYPE_ATOMIC,
	TYPE_TYPEDEF,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_ARRAY,
	TYPE_FUNCTION,
	NR_TYPE_KINDS,
};

#define NO_TYPE		UINT32_MAX	/* void */
#define TYPE_DIMENSIONS	8

struct type {
	enum type_kind kind;
	uint32_t number;
	const char *name;	/* "": none */
	uint32_t file, line;	/* of its declaration; file + 1, 0: unknown */
	uint64_t size;
	uint32_t target;	/* NO_TYPE: void; of a composite: that it has no type parameter */
	uint8_t encoding;	/* of a base type or enum: DW_ATE_* */
	bool is_complete;	/* a composite with known members */
	bool is_variadic;
	uint32_t nr;		/* members, enumerators, dimensions or parameters */
	struct cursor rest;	/* the stream where they begin */
};

/* A member may be that of a variant: of the object only if its discriminant, the one before, has some value. */
enum member_role { MEMBER_PLAIN, MEMBER_DISCRIMINANT, MEMBER_OF_VARIANT, MEMBER_OF_OTHERS, NR_MEMBER_ROLES };

struct type_member {
	const char *name;	/* "": an anonymous struct or union, or a base class */
	uint32_t type;		/* NO_TYPE: a part that cannot be shown, such as a virtual base class */
	uint64_t bit_offset;
	uint32_t bits;		/* 0: not a bit-field */
	enum member_role role;
	uint64_t value;		/* MEMBER_OF_VARIANT: the discriminant's; not extended */
};

/* False: there is no such type, or its stream is damaged. */
bool type_read(const struct dbindex *ix, uint32_t number, struct type *out);
/* The same behind typedefs and qualifiers; a declared composite is replaced by its definition. */
bool type_resolve(const struct dbindex *ix, uint32_t number, struct type *out);
/* The next member, enumerator or parameter of a type from type_read(). */
bool type_next_member(const struct dbindex *ix, struct type *type, struct type_member *out);
bool type_next_value(const struct dbindex *ix, struct type *type, const char **name, int64_t *value);
uint32_t type_next_parameter(struct type *type);
/* The counts of an array's dimensions (0: unknown), at most TYPE_DIMENSIONS.  Returns their number. */
size_t type_dimensions(const struct type *type, uint64_t *counts);

/* Is it a type in a file that is missing (join.h), or has one as target? */
bool type_is_unknown(const struct dbindex *ix, uint32_t number);

/* Size in bytes; 0: unknown. */
uint64_t type_size(const struct dbindex *ix, uint32_t number);

/* Find a member by name, also inside anonymous members.  Its offset counts from the start of the composite. */
bool type_member(const struct dbindex *ix, uint32_t composite, const char *name, struct type_member *out);
/* "struct a", "union b", "enum c", a typedef or a base type.  NO_TYPE: there is none. */
uint32_t type_by_name(const struct dbindex *ix, const char *spelling);

/* The value of an enumerator of any enum.  False: there is none, or several with different values. */
bool type_constant(const struct dbindex *ix, const char *name, int64_t *value);

/* The C spelling: "struct file *", "char [16]", "int (*)(struct page *)".  Returns buf. */
const char *type_spell(const struct dbindex *ix, uint32_t number, char *buf, size_t size);

#endif
