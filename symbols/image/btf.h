/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.h - BTF, the types that the kernel itself carries (/sys/kernel/btf): no lines,
 * no locations, but every type, and the parameters of each function.
 *
 * All of it is walked once when it is parsed, so that a type that is asked for later
 * lies inside.  That of a module continues that of the kernel: numbers and strings
 * count on from its last ones.
 */
#ifndef KTRACE_BTF_H
#define KTRACE_BTF_H

#include "symbols/base/bytes.h"
#include "symbols/image/image.h"
#include "symbols/symtab/symbols.h"

/* As the format numbers them; 0 is void. */
enum btf_kind {
	BTF_VOID, BTF_INT, BTF_POINTER, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FORWARD, BTF_TYPEDEF,
	BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_PROTO, BTF_VAR, BTF_SECTION, BTF_FLOAT,
	BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64,
	NR_BTF_KINDS,
};

struct btf {
	const struct btf *base;		/* that of the kernel, for a module's */
	const uint8_t *types;
	size_t types_len;
	const char *strings;
	size_t strings_len;
	uint32_t first;			/* number of the first own type */
	uint32_t nr;			/* of all types, those of base and void too */
	uint32_t first_string;
	uint32_t *starts;		/* of the own types */
	uint8_t *own;			/* what was read from a file */
};

struct btf_type {
	enum btf_kind kind;
	uint32_t name;			/* see btf_string() */
	uint32_t n;			/* members, parameters, values; of a function how it is linked */
	bool flag;			/* what it says depends on the kind */
	uint32_t value;			/* its size, or the type that it refers to */
	struct cursor rest;
};

/* data is the caller's and must live as long; base may be NULL.  False with err set, to what. */
bool btf_parse(const uint8_t *data, size_t len, const struct btf *base, const char *what, struct btf *out,
	       struct debug_error *err);
bool btf_read(const char *path, const struct btf *base, struct btf *out, struct debug_error *err);
void btf_free(struct btf *btf);

/* False where there is no type of that number. */
bool btf_type(const struct btf *btf, uint32_t number, struct btf_type *out);
/* "" where there is none. */
const char *btf_string(const struct btf *btf, uint32_t string);
/* The type behind tags, which no name of a type shows. */
uint32_t btf_untagged(const struct btf *btf, uint32_t number);
/* The same behind names and qualifiers too. */
bool btf_resolve(const struct btf *btf, uint32_t number, struct btf_type *out);

/* What an index of BTF is made with. */
struct btf_job {
	const char *root;		/* in front of all paths, for tests; "" for / */
	const char *module;		/* "" for the kernel */
	const struct symtab *symbols;	/* where the functions and variables are */
	uint64_t base;			/* that the index's addresses count from */
	const uint16_t *args;		/* DWARF numbers of the registers that parameters are passed in */
	size_t nr_args;
	bool args_by_reference;	/* a composite of more than two words is passed as its address */
};

/* The file that it is read from; false where there is none. */
bool btf_path(const char *root, const char *module, char *out, size_t size);
/* The lowest address of a function of a module (or the kernel); 0 where there is none. */
uint64_t btf_base(const struct symtab *symbols, const char *module);
/* Into an open, empty file, by a process of its own, as dbindex_build(). */
bool btf_build(const struct btf_job *job, int fd, struct debug_error *err);
/* The same by the calling process, which may end for lack of memory. */
bool btf_build_here(const struct btf_job *job, const struct btf *btf, int fd, struct debug_error *err);

#endif
