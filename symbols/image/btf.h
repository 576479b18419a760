/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.h - BTF, the types that the kernel carries itself (/sys/kernel/btf): every type, and the parameters of
 * each function, but no lines and no locations.
 *
 * Parsing walks all of it once, so every type that is read later is in range.  BTF of a module continues that
 * of the kernel: its numbers and strings count on from the kernel's last ones.
 */
#ifndef KTRACE_BTF_H
#define KTRACE_BTF_H

#include "symbols/base/bytes.h"
#include "symbols/image/image.h"
#include "symbols/symtab/symbols.h"

/* The numbers of the format; 0 is void. */
enum btf_kind {
	BTF_VOID, BTF_INT, BTF_POINTER, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FORWARD, BTF_TYPEDEF,
	BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_PROTO, BTF_VAR, BTF_SECTION, BTF_FLOAT,
	BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64,
	NR_BTF_KINDS,
};

struct btf {
	const struct btf *base;		/* BTF of the kernel, for a module */
	const uint8_t *types;
	size_t types_len;
	const char *strings;
	size_t strings_len;
	uint32_t first;			/* number of the first own type */
	uint32_t nr;			/* of all types, including base and void */
	uint32_t first_string;
	uint32_t *starts;		/* offsets of its own types */
	uint8_t *own;			/* memory of a file that was read */
};

struct btf_type {
	enum btf_kind kind;
	uint32_t name;			/* see btf_string() */
	uint32_t n;			/* members, parameters, values; for a function its linkage */
	bool flag;			/* its meaning depends on the kind */
	uint32_t value;			/* its size, or the type that it refers to */
	struct cursor rest;
};

/* data stays the caller's and must outlive *out; base may be NULL.  False: err is set; what is for its text. */
bool btf_parse(const uint8_t *data, size_t len, const struct btf *base, const char *what, struct btf *out,
	       struct debug_error *err);
bool btf_read(const char *path, const struct btf *base, struct btf *out, struct debug_error *err);
void btf_free(struct btf *btf);

/* False: there is no type of that number. */
bool btf_type(const struct btf *btf, uint32_t number, struct btf_type *out);
/* "": there is none. */
const char *btf_string(const struct btf *btf, uint32_t string);
/* The type behind tags, which do not appear in a type's spelling. */
uint32_t btf_untagged(const struct btf *btf, uint32_t number);
/* The type behind tags, names and qualifiers. */
bool btf_resolve(const struct btf *btf, uint32_t number, struct btf_type *out);

/* The input for an index from BTF. */
struct btf_job {
	const char *root;		/* prefix of all paths, for tests; "": / */
	const char *module;		/* "": the kernel */
	const struct symtab *symbols;	/* addresses of functions and variables */
	uint64_t base;			/* addresses of the index are relative to it */
	const uint16_t *args;		/* DWARF numbers of the registers of parameters */
	size_t nr_args;
	bool args_by_reference;	/* a composite of more than two words is passed as its address */
};

/* The file with the BTF.  False: there is none. */
bool btf_path(const char *root, const char *module, char *out, size_t size);
/* The lowest address of a function of a module (or the kernel); 0: there is none. */
uint64_t btf_base(const struct symtab *symbols, const char *module);
/* Build an index into an open, empty file, in a process of its own, as dbindex_build(). */
bool btf_build(const struct btf_job *job, int fd, struct debug_error *err);
/* The same in the calling process, which lack of memory may end. */
bool btf_build_here(const struct btf_job *job, const struct btf *btf, int fd, struct debug_error *err);

#endif
