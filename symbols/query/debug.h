/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug.h - the debug information of a kernel and its modules, live or as a
 * file: found, checked, indexed and moved to where it was loaded.
 *
 * Where there is none, BTF makes up for some of it: see debug_unit_is_btf().
 *
 * Nothing is opened before it is asked for.  A question about one address
 * is answered from an index of its own unit where there is no index of all
 * yet; questions about names and lines make that index once and keep it.
 */
#ifndef KTRACE_DEBUG_H
#define KTRACE_DEBUG_H

#include "symbols/index/dbindex.h"
#include "symbols/query/debug_find.h"
#include "symbols/symtab/symbols.h"

struct debug_options {
	const char *root;	/* see struct debug_wish */
	const char *release;
	const char *file;	/* vmlinux or an index of it that is to be used; NULL: look for one */
	const char *const *modules;	/* files of modules, see struct debug_wish */
	size_t nr_modules;
	const char *cache;	/* directory for indexes; NULL: none is kept */
	bool is_live;		/* the running kernel: checked against it, addresses are those in memory */
	uint64_t live_text;	/* where .text of the kernel is, when is_live */
	const struct symtab *symbols;	/* when is_live, for BTF, which has no addresses; NULL: none is used */
	const uint16_t *args;	/* DWARF numbers of the registers that parameters are passed in */
	size_t nr_args;
	bool args_by_reference;	/* a composite of more than two words is passed as its address */
	unsigned int threads;	/* 0: one for each CPU */
	void (*note)(void *arg, const char *text);	/* what takes long; may be NULL */
	void *arg;
};

struct debug;
struct debug_unit;		/* the kernel or one module */

struct debug *debug_open(const struct debug_options *options);
void debug_close(struct debug *debug);
/* The strings of options are the caller's and must live as long. */
const struct debug_options *debug_options(const struct debug *debug);

/* module "" is the kernel.  NULL with err set: a failure is remembered and said again. */
struct debug_unit *debug_unit(struct debug *debug, const char *module, struct debug_error *err);
/* The same for what is only nice to have: no server is asked, and a failure is forgotten. */
struct debug_unit *debug_unit_casual(struct debug *debug, const char *module, struct debug_error *err);
/*
 * Types, and what functions take and return, are all that is known: parameters have a place
 * at the entry only, and there are no lines, inlined copies or locals.
 */
bool debug_unit_is_btf(const struct debug_unit *unit);
/* Then, how to have the rest: "apt install ...". */
const char *debug_unit_hint(const struct debug_unit *unit, char *buf, size_t size);
/* What was opened: a file name. */
const char *debug_unit_path(const struct debug_unit *unit);
/* NULL where only an index is at hand. */
const struct image *debug_unit_image(struct debug_unit *unit);

/* An index that knows the code at a live address, or everything. */
struct dbindex *debug_index_at(struct debug_unit *unit, uint64_t addr, struct debug_error *err);
struct dbindex *debug_index(struct debug_unit *unit, struct debug_error *err);
/* One of everything, lines and inlined copies too: not that of BTF. */
struct dbindex *debug_index_of_code(struct debug_unit *unit, struct debug_error *err);
/* One that knows the lines of a file (its name, or the end of its path). */
struct dbindex *debug_index_of_file(struct debug_unit *unit, const char *file, struct debug_error *err);
/* NULL where that of all would have to be made first. */
struct dbindex *debug_index_ready(struct debug_unit *unit);

/* Between live addresses and offsets of the index; false where an address belongs to nothing. */
bool debug_to_offset(const struct debug_unit *unit, uint64_t addr, uint32_t *offset);
bool debug_to_live(const struct debug_unit *unit, uint32_t offset, uint64_t *addr);
/* For the address of a variable as linked. */
bool debug_live_address(const struct debug_unit *unit, uint64_t linked, uint64_t *addr);

/*
 * The symbols of the image, or the functions of the index, as a table, at their live
 * addresses, for when there is no /proc/kallsyms of it.  NULL where there are none.
 */
struct symtab *debug_symbols(struct debug_unit *unit);

#endif
