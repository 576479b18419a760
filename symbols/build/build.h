/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - internals of the index builder.
 *
 * It runs in a process of its own (see dbindex_build()): if a damaged file makes it crash, or memory runs
 * out, only that process ends.  Its threads take unit after unit; they share strings, files and types.
 */
#ifndef KTRACE_BUILD_H
#define KTRACE_BUILD_H

#include <pthread.h>

#include "symbols/base/hash.h"
#include "symbols/base/map.h"
#include "symbols/base/sandbox.h"
#include "symbols/build/dbindex_build.h"
#include "symbols/build/entry.h"
#include "symbols/index/line.h"

struct type_slot {
	uint32_t worker;
	uint32_t len;
	uint64_t offset;	/* in the worker's types */
	uint32_t name;
	bool is_named;		/* it can be found by name */
};

struct sequence {
	uint32_t low;
	uint32_t worker;
	size_t first, nr;	/* rows of the worker's lines */
};

struct builder {
	const struct image *image;
	struct dwarf dwarf;
	const struct dbindex_choice *choice;	/* NULL: everything */

	pthread_mutex_t lock;		/* protects the members up to the next blank line */
	struct map strings, files, types;
	struct bytes more_strings;	/* strings that are not in .debug_str or .debug_line_str */
	uint32_t *file_names;
	size_t nr_files, files_room;
	struct type_slot *type_slots;
	size_t nr_types, types_room;

	size_t next;			/* the next unit to take */
	uint64_t *done;			/* bytes of .debug_info before the last one that was indexed */
	const struct image_section *str, *line_str;
	struct worker *workers;
	size_t nr_workers;
};

struct pending {
	uint64_t die;			/* offset */
	uint32_t type;
};

/* The files of a unit by number: file + 1; 0: unknown. */
struct unit_files {
	uint32_t *v;
	size_t n, room;
};

struct worker {
	struct builder *b;
	struct reader reader;
	uint32_t number;
	pthread_t thread;

	/* Of the present unit. */
	const struct unit_head *unit;
	struct entry unit_entry;
	uint64_t base;			/* of its ranges and lists */
	struct unit_files files;
	struct map type_of;		/* offset of a die -> type + 2; 1: none */
	struct map declared;		/* names of declared globals */
	struct map passing;		/* offset of a type -> see build_call.c */
	struct map origins;		/* offset -> index into origin + 1 */
	struct origin {
		uint32_t name, type, file, line;
		uint64_t type_die, convention;
		bool external, artificial, prototyped;
	} *origin;
	size_t nr_origins, origins_room;
	struct pending *pending;
	size_t nr_pending, pending_room;
	uint64_t func_low;		/* of the present function */

	/* See build_home.c.  By offset + 1. */
	struct map home_of, home_in, known_homes;

	struct map known_files;		/* hash of directory and name -> file + 1 */

	/* Of units that others refer to. */
	struct map other_units;		/* offset of its own entry -> index into other_files + 1 */
	struct unit_files *other_files;
	size_t nr_other_files, other_files_room;

	/* The results. */
	struct ix_func *funcs;
	size_t nr_funcs, funcs_room;
	struct ix_span *spans;
	size_t nr_spans, spans_room;
	struct ix_inline *inlines;
	size_t nr_inlines, inlines_room;
	struct ix_global *globals;
	size_t nr_globals, globals_room;
	struct ix_line *lines;
	size_t nr_lines, lines_room;
	struct sequence *sequences;
	size_t nr_sequences, sequences_room;
	struct bytes scopes, types;
};

/* build_pool.c: numbers for objects that all threads share. */
uint32_t pool_string(struct builder *b, const char *text);
uint32_t pool_file(struct builder *b, const char *path);
/* The number of the type with that hash.  *is_new: the caller describes it. */
uint32_t pool_type(struct builder *b, uint64_t hash, bool *is_new);
void pool_type_set(struct builder *b, uint32_t type, const struct type_slot *slot);

/* build_type.c: type + 1 of the target of DW_AT_type; 0: void. */
uint32_t build_type(struct worker *w, uint64_t die);
void build_type_entry(struct worker *w, const struct entry *e);
void build_types_finish(struct worker *w);

/* Newer languages than the header of libdwarf has: https://dwarfstd.org/languages.html. */
enum { LANG_CPP_17 = 0x2a, LANG_CPP_20 = 0x2b, LANG_C17 = 0x2c, LANG_CPP_23 = 0x3a, LANG_C23 = 0x3e };

/* build_home.c: a hash of what the entry of a type is declared in; 0: nothing, or the language is C. */
uint64_t build_home(struct worker *w, const struct entry *e);

/* build_scope.c */
void build_function(struct worker *w, const struct entry *e);
void build_global(struct worker *w, const struct entry *e);
/* A declaration, used if there is no definition. */
void build_declared(struct worker *w, const struct entry *e);

/* build_call.c: VAR_BY_VALUE, VAR_BY_REFERENCE and VAR_ODD of a parameter, by the offset of its type. */
uint32_t build_passing(struct worker *w, uint64_t type);
/* The flags SCOPE_* that say how a function is called. */
uint32_t build_calling(struct worker *w, const struct origin *origin);

/* build_range.c: ranges of an entry, and location lists.  False: the form is unknown. */
struct range {
	uint64_t low, high;
};

struct ranges {
	struct range *v;
	size_t n, room;
};

bool build_ranges(struct worker *w, const struct entry *e, struct ranges *out);
/* An address of the unit's table in .debug_addr; 0: the table has none. */
uint64_t build_indexed(const struct worker *w, uint64_t index);

struct location_part {
	uint64_t low, high;
	const uint8_t *expr;
	uint64_t len;
};

struct location_parts {
	struct location_part *v;
	size_t n, room;
};

bool build_locations(struct worker *w, const struct entry *e, struct location_parts *out);

/* build_line.c */
void build_files(struct worker *w);
uint32_t build_file(struct worker *w, uint64_t number);
/* The file in which an entry, maybe of another unit, is declared, + 1.  0: unknown. */
uint32_t build_declaring_file(struct worker *w, const struct entry *e);

/* build_cfa.c: rows by address. */
struct cfa_rows {
	struct ix_cfa *v;
	size_t n, room;
};

void build_cfa(const struct image *image, struct cfa_rows *out);

/* build_write.c: write the index and free the results of the threads. */
bool build_write(struct builder *b, int fd);

/* build.c: build an index in a sandbox process.  what is for messages. */
bool build_in_sandbox(sandbox_work *make, const void *arg, const char *what, int fd, void (*look)(const void *arg),
		      struct debug_error *err);

#endif
