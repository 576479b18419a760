/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - convert addresses to names of the running kernel, and names to addresses.
 *
 * The library is independent of tracing, prints nothing and never exits.  A loaded table does not change, so
 * threads may share it.
 */
#ifndef KTRACE_SYMBOLS_H
#define KTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/base/kept.h"

struct sym {
	uint64_t addr;
	uint64_t size;		/* up to the next symbol of its section; 0: unknown */
	const char *name;
	const char *module;	/* "": the kernel itself */
	char type;		/* as in /proc/kallsyms */
};

struct symtab;

enum symtab_status {
	SYMTAB_OK,
	SYMTAB_UNREADABLE,	/* the file cannot be opened or read (errno) */
	SYMTAB_HIDDEN,		/* addresses are all zero: kptr_restrict or no CAP_SYSLOG */
	SYMTAB_MALFORMED,	/* not the format of /proc/kallsyms */
	SYMTAB_NOMEM,
	SYMTAB_STOPPED,		/* go_on() was false */
};

/*
 * Load a table in the format of /proc/kallsyms.  On SYMTAB_OK the caller frees *out with symtab_free().  The kernel may
 * take seconds to write its table: go_on(), unless NULL, is asked at each of its pages.
 */
typedef bool symtab_go_on(void *arg);
enum symtab_status symtab_load(const char *path, symtab_go_on *go_on, void *arg, struct symtab **out);
/*
 * A table of n symbols with known sizes (0: unknown), in any order.  It takes the array, also on failure; the names
 * stay the caller's and must live as long.  NULL: no symbols, or no memory.
 */
struct symtab *symtab_make(struct sym *syms, size_t n);
void symtab_free(struct symtab *tab);
/*
 * Keep a table in a file of that directory, for processes that come later, and map it there.  NULL: no table with that key
 * is kept.  The key must change with everything that the table is made from (see kept.h).
 */
bool symtab_keep(const struct symtab *tab, const char *dir, const char key[KEPT_KEY]);
struct symtab *symtab_map(const char *dir, const char key[KEPT_KEY]);

size_t symtab_count(const struct symtab *tab);
/* The i-th symbol in address order. */
const struct sym *symtab_at(const struct symtab *tab, size_t i);

/*
 * Give the names of this module way to equal names of the kernel or other modules: without a module its symbols
 * are then not found by name.  Call it once, before threads share the table.
 */
void symtab_yield(struct symtab *tab, const char *module);

/*
 * All symbols of that exact name, and of that module unless module is NULL, in address order.  *first points to
 * an array of pointers inside the table.  Returns their number.
 */
size_t symtab_by_name(const struct symtab *tab, const char *name, const char *module,
		      const struct sym *const **first);

/*
 * The symbol that covers addr; among several at one address a global one, then the shortest.  NULL: no symbol
 * covers it.
 */
const struct sym *symtab_by_addr(const struct symtab *tab, uint64_t addr);

/*
 * Write "module:name+0xoff"; module and offset only if there are any.  A long name is cut, the offset never.
 * False: no symbol covers addr, and buf is "".
 */
bool symtab_describe(const struct symtab *tab, uint64_t addr, char *buf, size_t size);

/* Is there a symbol of that module? */
bool symtab_has_module(const struct symtab *tab, const char *module);
/* The number of modules, the kernel among them. */
size_t symtab_modules(const struct symtab *tab);

/* Is it a text symbol (t, T, w, W)? */
bool sym_is_text(const struct sym *sym);
/* Does the table have data symbols?  Without CONFIG_KALLSYMS_ALL it has none, except for ends of the text. */
bool symtab_has_data(const struct symtab *tab);
/* Is it a table of a file, by symtab_make(), not of the running kernel?  It has no modules. */
bool symtab_is_made(const struct symtab *tab);

/* Call `each` for every variant of a function that the compiler made: f.isra.0, f.part.0, f.constprop.0, f.cold. */
void symtab_variants(const struct symtab *tab, const char *name,
		     void (*each)(const struct sym *sym, void *arg), void *arg);

/* Is it a split-off part of a function, f.part.0 or f.cold? */
bool sym_is_piece(const struct sym *sym);

/*
 * Up to max names (of that module, unless module is NULL) most like a misspelt one, best first, by edit distance; a
 * prefix counts as near.  Returns their number.
 */
size_t symtab_similar(const struct symtab *tab, const char *name, const char *module,
		      const char **out, size_t max);

/* Call `each` for every distinct name that begins with prefix, in alphabetical order, until it returns false. */
void symtab_complete(const struct symtab *tab, const char *prefix,
		     bool (*each)(const struct sym *sym, void *arg), void *arg);

#endif
