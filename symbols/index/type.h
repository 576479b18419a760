/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h - types of an index.
 *
 * A type's stream: kind, name, file + 1, line, size in bytes, target + 1 (what it
 * points at, is a name of, has as elements, returns; 0: void); then
 *   base       its encoding (DW_ATE_*)
 *   composite  complete (1) or only declared (0); how many members; for each
 *              name, type + 1, bit offset, bits of a bit-field (0: none)
 *   enum       how many names; for each name and value (signed)
 *   array      how many dimensions; for each its count + 1, 0 where it is not known
 *   function   variadic; how many parameters; for each its type + 1
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
	const char *name;	/* "" without one */
	uint32_t file, line;	/* of its declaration; file + 1, 0 where it is not known */
	uint64_t size;
	uint32_t target;	/* NO_TYPE: void */
	uint8_t encoding;	/* of a base type: DW_ATE_* */
	bool is_complete;	/* a composite whose members are known */
	bool is_variadic;
	uint32_t nr;		/* members, enumerators, dimensions or parameters */
	struct cursor rest;	/* they begin here */
};

struct type_member {
	const char *name;	/* "" of an anonymous struct or union */
	uint32_t type;
	uint64_t bit_offset;
	uint32_t bits;		/* 0: no bit-field */
};

/* False where there is no such type or its stream is damaged. */
bool type_read(const struct dbindex *ix, uint32_t number, struct type *out);
/* The same behind typedefs and qualifiers; a declared composite is replaced by its definition. */
bool type_resolve(const struct dbindex *ix, uint32_t number, struct type *out);
/* The next member, enumerator or parameter of what type_read() gave. */
bool type_next_member(const struct dbindex *ix, struct type *type, struct type_member *out);
bool type_next_value(const struct dbindex *ix, struct type *type, const char **name, int64_t *value);
uint32_t type_next_parameter(struct type *type);
/* The counts of an array's dimensions (0: unknown); at most TYPE_DIMENSIONS. */
size_t type_dimensions(const struct type *type, uint64_t *counts);

/* Bytes of a value of that type, 0 where that is not known. */
uint64_t type_size(const struct dbindex *ix, uint32_t number);

/*
 * A member by name, also inside anonymous members: its type, and its place
 * counted from the start of the composite.
 */
bool type_member(const struct dbindex *ix, uint32_t composite, const char *name, struct type_member *out);
/* "struct a", "union b", "enum c" or a typedef or base type; NO_TYPE where there is none. */
uint32_t type_by_name(const struct dbindex *ix, const char *spelling);

/* The value of an enumerator of any enum; false where there is none, or they differ. */
bool type_constant(const struct dbindex *ix, const char *name, int64_t *value);

/* As C writes it: "struct file *", "char [16]", "int (*)(struct page *)". */
const char *type_spell(const struct dbindex *ix, uint32_t number, char *buf, size_t size);

#endif
