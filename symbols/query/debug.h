/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug.h - debug information of a kernel and its modules, running or as a file, or of a program: found, checked,
 * indexed, and moved to the load address.
 *
 * Without it, BTF provides a part: see debug_unit_is_btf().
 *
 * Nothing is opened before it is needed.  While there is no index of everything, a question about one address
 * is answered from an index of that address's unit.  Questions about names and lines wait for the complete index,
 * which is made once, in the background, and kept: see index_job.h.
 */
#ifndef KTRACE_DEBUG_H
#define KTRACE_DEBUG_H

#include "symbols/base/kept.h"
#include "symbols/build/dbindex_build.h"
#include "symbols/index/dbindex.h"
#include "symbols/query/debug_find.h"
#include "symbols/symtab/symbols.h"

struct debug_options {
	const char *root;	/* see struct debug_wish */
	const char *release;
	const char *file;	/* vmlinux or an index of it; NULL: search for one */
	const char *const *modules;	/* files of modules, see struct debug_wish */
	size_t nr_modules;
	const char *cache;	/* directory for indexes; NULL: keep none */
	bool is_live;		/* the running kernel: check against it; addresses are live */
	uint64_t live_text;	/* address of the kernel's .text, with is_live */
	const struct symtab *symbols;	/* with is_live, for BTF, which has no addresses; NULL: do not use BTF */
	const uint16_t *args;	/* DWARF numbers of the registers of parameters */
	size_t nr_args;
	const char *kept;	/* directory for indexes of BTF; NULL: keep none */
	/* The key of what the index of the kernel ("") or of a module is made from.  False: it cannot be kept. */
	bool (*kept_key)(const char *module, char key[KEPT_KEY]);
	bool args_by_reference;	/* a composite of more than two words is passed as its address */
	unsigned int threads;	/* 0: one for each CPU */
	void (*note)(void *arg, const char *text);	/* reports work that takes long; may be NULL */
	void *arg;
	struct debug_fetch fetch;
	struct dbindex_watch watch;	/* shows how far that work is; watch.show may be NULL */
	bool (*stops)(void *arg);	/* asked while an index is made in the background: do not wait?  arg: that of watch */
	void (*began)(void *arg, int pid);	/* called for each process that works in the background; may be NULL */
	bool is_ahead;	/* make the complete index in the background when a part of it is wanted */
};

struct debug;
struct debug_unit;		/* the kernel or one module */

struct debug *debug_open(const struct debug_options *options);
/*
 * The debug information of a program, which is the unit "".  It takes the image, also on failure.  All addresses are
 * the linked ones: options->is_live does not count.  is_foreign: its root is not that of ktrace.
 */
struct debug *debug_open_program(const struct debug_options *options, struct image *image, bool is_foreign);
void debug_close(struct debug *debug);
/*
 * In a hurry only what is at hand is used: indexes that are kept, what was opened before, and BTF.  No image is
 * searched, no complete index is built.
 */
void debug_hurry(struct debug *debug, bool hurries);
/* The strings in options stay the caller's and must live as long as debug. */
const struct debug_options *debug_options(const struct debug *debug);

/* The unit of a module; "": the kernel.  NULL: err is set; a failure is remembered and reported again. */
struct debug_unit *debug_unit(struct debug *debug, const char *module, struct debug_error *err);
/* The same for optional use: no server is contacted, and a failure is not remembered. */
struct debug_unit *debug_unit_casual(struct debug *debug, const char *module, struct debug_error *err);
/*
 * Is BTF all that is known?  Then there are types, and parameters and return types of functions.  Parameters
 * have a location only at the entry; there are no lines, inlined copies or local variables.
 */
bool debug_unit_is_btf(const struct debug_unit *unit);
/* The way to get the rest: "apt install ...".  Returns buf. */
const char *debug_unit_hint(const struct debug_unit *unit, char *buf, size_t size);
/* The name of the opened file. */
const char *debug_unit_path(const struct debug_unit *unit);
/* A sentence about a file that is missing, with a part of the debug information; NULL: none is known to be. */
const char *debug_unit_lacks(const struct debug_unit *unit);
/* NULL: there is only an index. */
const struct image *debug_unit_image(struct debug_unit *unit);

/* An index with the code at a live address, or with everything. */
struct dbindex *debug_index_at(struct debug_unit *unit, uint64_t addr, struct debug_error *err);
struct dbindex *debug_index(struct debug_unit *unit, struct debug_error *err);
/* A complete index with lines and inlined copies, not that of BTF. */
struct dbindex *debug_index_of_code(struct debug_unit *unit, struct debug_error *err);
/* An index with the lines of a file, given by its name or the end of its path. */
struct dbindex *debug_index_of_file(struct debug_unit *unit, const char *file, struct debug_error *err);
/* False: there is no such file.  It takes milliseconds, where an index of everything takes seconds; true says nothing. */
bool debug_may_have_file(struct debug_unit *unit, const char *file);
/* NULL: the complete index would have to be built first. */
struct dbindex *debug_index_ready(struct debug_unit *unit);

/* Convert between live addresses and offsets of the index.  False: the address belongs to no section. */
bool debug_to_offset(const struct debug_unit *unit, uint64_t addr, uint32_t *offset);
bool debug_to_live(const struct debug_unit *unit, uint32_t offset, uint64_t *addr);
/* Convert the linked address of a variable. */
bool debug_live_address(const struct debug_unit *unit, uint64_t linked, uint64_t *addr);

/*
 * A table of the symbols of the image, or of the functions of the index, at their live addresses; it replaces
 * /proc/kallsyms.  NULL: there are none.
 */
struct symtab *debug_symbols(struct debug_unit *unit);

#endif
