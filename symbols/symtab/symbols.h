/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - addresses <-> names of the running kernel.
 *
 * The library knows nothing of tracing, prints nothing and never exits.
 * A table is immutable once loaded and may be shared between threads.
 */
#ifndef KTRACE_SYMBOLS_H
#define KTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sym {
	uint64_t addr;
	uint64_t size;		/* up to the next symbol of its section, 0 if unknown */
	const char *name;
	const char *module;	/* "" for the kernel itself */
	char type;		/* as in /proc/kallsyms */
};

struct symtab;

enum symtab_status {
	SYMTAB_OK,
	SYMTAB_UNREADABLE,	/* the file cannot be opened or read (errno) */
	SYMTAB_HIDDEN,		/* addresses are all zero: kptr_restrict or no CAP_SYSLOG */
	SYMTAB_MALFORMED,	/* not the format of /proc/kallsyms */
	SYMTAB_NOMEM,
};

/*
 * Load a table in the format of /proc/kallsyms.  On SYMTAB_OK *out is the
 * caller's, to be freed with symtab_free().
 */
enum symtab_status symtab_load(const char *path, struct symtab **out);
void symtab_free(struct symtab *tab);

size_t symtab_count(const struct symtab *tab);
/* The i-th symbol in address order. */
const struct sym *symtab_at(const struct symtab *tab, size_t i);

/*
 * Names that this module shares with the kernel or other modules mean those: by name its symbols are then found
 * only where the module is given.  Once, before the table is shared.
 */
void symtab_yield(struct symtab *tab, const char *module);

/*
 * All symbols of that exact name (and of that module, unless module is
 * NULL), in address order: *first points at an array of pointers inside the
 * table; returns how many.
 */
size_t symtab_by_name(const struct symtab *tab, const char *name, const char *module,
		      const struct sym *const **first);

/* The symbol that covers addr; among several at one address the global and
 * shortest one is preferred.  NULL when none does. */
const struct sym *symtab_by_addr(const struct symtab *tab, uint64_t addr);

/*
 * "module:name+0xoff", module and offset only where there are any; longer
 * names than fit are cut, never the offset.  False, and "", when no symbol
 * covers addr.
 */
bool symtab_describe(const struct symtab *tab, uint64_t addr, char *buf, size_t size);

/* True for text symbols (t, T, w, W). */
bool sym_is_text(const struct sym *sym);
/* Does the table list data?  Not, but for an end of the text, where a kernel is built without CONFIG_KALLSYMS_ALL. */
bool symtab_has_data(const struct symtab *tab);

/* The compiler's variants of a function (f.isra.0, f.part.0, f.constprop.0,
 * f.cold): calls each with every one of them. */
void symtab_variants(const struct symtab *tab, const char *name,
		     void (*each)(const struct sym *sym, void *arg), void *arg);

/* Up to max names (of that module, unless module is NULL) most like a misspelt
 * one, best first (edit distance; a prefix counts as near).  Returns how many. */
size_t symtab_similar(const struct symtab *tab, const char *name, const char *module,
		      const char **out, size_t max);

/* Calls each with every distinct name that begins with prefix, in alphabetical
 * order, until it returns false. */
void symtab_complete(const struct symtab *tab, const char *prefix,
		     bool (*each)(const struct sym *sym, void *arg), void *arg);

#endif
