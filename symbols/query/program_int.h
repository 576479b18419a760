/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program_int.h - internals of a program, shared by the files program*.c. */
#ifndef KTRACE_PROGRAM_INT_H
#define KTRACE_PROGRAM_INT_H

#include <stdio.h>

#include "symbols/query/program.h"

#define PATH_SIZE	4096

struct program {
	int fd;
	char *path, *root;
	struct image *image;

	/* program_debug.c */
	bool searched, is_stripped;		/* only the loader's symbols are known */
	struct image *separate;			/* the file with the symbols that were stripped; NULL: there is none */
	struct debug *debug;
	struct debug_error no_debug;		/* why there is none; "": not tried yet */

	/* program_function.c */
	bool listed;
	bool asks_processes;			/* which functions the ifuncs have chosen */
	int process;				/* 0: any one */
	struct program_function *functions;	/* by address, then name */
	size_t nr_functions, functions_room;
	uint32_t *covering;			/* functions that lie in no other one, by address */
	size_t nr_covering;
	struct sym *syms;
	size_t nr_syms, syms_room;
	struct symtab *symtab;
	char **texts;				/* names that are in no file */
	size_t nr_texts, texts_room;

	/* program_name.c */
	char **shown;				/* demangled names of functions; NULL: not asked for yet, or not mangled */
	char **plain;				/* the same without parameters */

	/* program_marker.c */
	bool marked;
	struct program_marker *markers;
	size_t nr_markers, markers_room, nr_bad_markers;
};

/* Keep a text until the program is closed; it takes the text. */
const char *program_keep(struct program *program, char *text);

/* program.c: open a file below a root, where symbolic links lead as they do for a process with that root.  -1: errno. */
int program_open_below(const char *root, const char *path);

/* program_find.c: a line of /proc/PID/maps, whose file may be deleted.  NULL: err is set. */
struct program_mapping {
	uint64_t start, end, offset, inode;
	bool is_code, is_deleted;
	char *path;			/* NULL: no file */
};
FILE *program_maps(int pid, struct debug_error *err);
bool program_parse_mapping(char *line, struct program_mapping *out);

/*
 * program_chosen.c: add a function for each ifunc whose choice is known, and mark the ifunc.  The functions must be in
 * order; afterwards they may not be.
 */
void program_add_choices(struct program *program);

/* program_debug.c: the image with the stripped symbols, without debug information.  NULL: there is none. */
const struct image *program_separate(struct program *program);

/* program_name.c: is it the demangled name of a function, with or without its parameters? */
bool program_is_shown_as(struct program *program, size_t function, const char *name);
/* The demangled name without its parameters; NULL: it is not mangled. */
const char *program_plain(struct program *program, size_t function);
/* Does a demangled name, or what is behind one of its namespaces or classes, match a pattern? */
bool program_name_matches(const char *name, const char *pattern);
/* Do the sources use this name for the symbol?  The symbol may be mangled, or end with a version (`stdout@GLIBC_2.2.5`). */
bool program_symbol_means(const char *symbol, const char *name);
void program_free_names(struct program *program);

#endif
