/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - an executable or shared library of user space: its functions, its code, its debug information.
 *
 * Two numbers name a place in a program.  A linked address is what the file's symbols and debug information use; a
 * process has the code there, or a constant distance away (position independent code: see program_is_fixed()).  A file
 * offset is what the kernel's uprobes take.  program_offset() and program_addr() convert them.
 *
 * The file is untrusted: whatever it holds, the functions here return an error, or true facts about its bytes.  An open
 * program does not change, except that it reads symbols and debug information when they are first asked for; so only
 * one thread may use it.  All that a function returns lives until program_close().
 */
#ifndef KTRACE_PROGRAM_H
#define KTRACE_PROGRAM_H

#include "arch/arch.h"
#include "symbols/query/debug.h"

struct program;

/*
 * Open the file path, as seen below root (a directory such as /proc/PID/root, whose symbolic links stay inside it; ""
 * or NULL: /).  NULL: err says why: it is not there, not a regular file, not a 64-bit program of this machine, damaged.
 */
struct program *program_open(const char *path, const char *root, struct debug_error *err);
/* The same for an open file, which it takes, also on failure.  path is for messages and for the debug information. */
struct program *program_open_fd(int fd, const char *path, const char *root, struct debug_error *err);
void program_close(struct program *program);

/* The file, open for reading: for the kernel.  It stays the program's. */
int program_fd(const struct program *program);
/* As it was given to program_open(). */
const char *program_path(const struct program *program);
const char *program_root(const struct program *program);
/* len 0: it has none. */
const struct build_id *program_id(const struct program *program);
/* Is it linked at a fixed address?  Then linked addresses are those of every process that runs it. */
bool program_is_fixed(const struct program *program);

/* -------------------------------------------------------------- addresses */

/* Convert between linked addresses and file offsets of code.  False: no executable segment has it. */
bool program_offset(const struct program *program, uint64_t addr, uint64_t *offset);
bool program_addr(const struct program *program, uint64_t offset, uint64_t *addr);
/* The file offset of a variable (for semaphores).  False: the file has no bytes for it. */
bool program_data_offset(const struct program *program, uint64_t addr, uint64_t *offset);
/* The linked addresses from its first code to its last: from <= address < to.  False: it has no code. */
bool program_span(const struct program *program, uint64_t *from, uint64_t *to);
/* Read code from the file, up to the end of its segment.  Returns the bytes read, 0 if no code is there. */
size_t program_code(const struct program *program, uint64_t addr, void *buf, size_t len);

/* -------------------------------------------------------------- functions */

struct program_function {
	const char *name;	/* as in the symbol table, without its version */
	const char *version;	/* "GLIBC_2.2.5"; "": none */
	uint64_t addr;		/* linked */
	uint64_t offset;	/* in the file */
	uint64_t size;		/* bytes of code; if the symbol has none: up to the next function */
	bool is_measured;	/* the symbol has no size: the end of the function is a guess */
	bool is_global;
	bool is_default;	/* of its version: what other programs link against today */
	/*
	 * An ifunc runs once, when the program is loaded, and returns the function to use.  What it has returned is a row
	 * of its own with the name of the ifunc, if it is known.
	 */
	bool is_chosen;		/* an ifunc */
	bool is_settled;	/* an ifunc whose choice is known */
	bool is_outside;	/* an ifunc that has chosen code outside of the file (the vDSO) */
	bool is_choice;		/* what an ifunc of that name has chosen; size 0: unknown */
};

/* All functions in address order; aliases are rows with the same address. */
const struct program_function *program_functions(struct program *program, size_t *nr);
/*
 * The functions of a name: `malloc`, `malloc@GLIBC_2.2.5`, a mangled name, or a demangled one, with or without its
 * parameters and outer namespaces (`ns::thing::get(int) const`, `thing::get`).  One row for each address, no ifuncs, and
 * for a demangled name no pieces (.cold); if some are of a default version, only those.  At most max are written to out.
 * 0: there is none; err says why, with similar names, or with the functions that an ifunc chooses from.
 */
size_t program_named(struct program *program, const char *name, const struct program_function **out, size_t max,
		     struct debug_error *err);
/* Are the functions that it does not export unknown? */
bool program_is_stripped(const struct program *program);
/* Is the name that of an ifunc whose choice is not known? */
bool program_chooses(struct program *program, const char *name);
/*
 * Which functions have the ifuncs chosen?  If ktrace itself has the same library mapped, that is known.  This also asks
 * processes that have the file mapped: pid, or with 0 the first one that is found.  To be called before all questions about
 * functions.
 */
void program_choose(struct program *program, int pid);
/*
 * What an ifunc has chosen: the function at that address, under its own name.  NULL: it has none.  *also is filled with the
 * public names of other ifuncs that have chosen it ("": none).
 */
const struct program_function *program_chosen(struct program *program, const struct program_function *choice, char *also,
					      size_t size);
/*
 * Call `each` for the functions whose name, or demangled name without its parameters, matches a pattern (*, ?, [...]), from its
 * begin or from behind a namespace or class on: one for each address and no ifuncs, until it returns false.  Returns the number
 * of calls.
 */
size_t program_matching(struct program *program, const char *pattern,
			bool (*each)(const struct program_function *function, void *arg), void *arg);
/* The function that covers an address; among aliases a global one, then the shortest name.  NULL: there is none. */
const struct program_function *program_covering(struct program *program, uint64_t addr);
/* The name for people: demangled if it is mangled, without the type that it returns. */
const char *program_shown(struct program *program, const struct program_function *function);
/*
 * Does an instruction begin at addr, decoded from the start of the function?  False: err names the instruction that
 * contains it, or says that the code before it cannot be decoded.
 */
bool program_is_insn(const struct program *program, const struct program_function *function, uint64_t addr,
		     struct debug_error *err);
/*
 * All symbols, of functions and variables, at linked addresses, for address_parse(): mangled names; no ifuncs; a version
 * only of those that are not the default one (`memcpy@GLIBC_2.2.5`).  Ask program_named() for names that it does not
 * have: it knows more, or says why not.  NULL: there are none.
 */
const struct symtab *program_symtab(struct program *program);
/*
 * The variables that C++ or Rust sources call so: `app::depth`, also without the outer namespaces, as program_named() finds
 * functions.  At most `max` are stored; returns how many there are.
 */
size_t program_variables(struct program *program, const char *name, const struct sym **out, size_t max);
/* Is it the name of a variable of which each thread has one?  program_symtab() has none of these. */
bool program_is_thread_local(struct program *program, const char *name);
/* The row of a symbol of program_symtab().  NULL: it is no function. */
const struct program_function *program_function_of(struct program *program, const struct sym *sym);

/* ------------------------------------------------------ debug information */

/*
 * The debug information of the program or of its separate file (by build id, .gnu_debuglink).  Its only unit is
 * debug_unit(debug, "", err), and its "live" addresses are the linked ones.  options gives cache, threads, note and arg.
 * NULL: err is set; a failure is remembered.
 */
struct debug *program_debug(struct program *program, const struct debug_options *options, struct debug_error *err);

/* ------------------------------------------------------------ SDT markers */

struct program_argument {
	const char *text;	/* one argument of the marker, as it is in the note */
	uint8_t bytes;		/* 1, 2, 4 or 8 */
	bool is_signed, is_float;
	bool is_known;		/* operand is valid; else `why` says what is wrong with the text */
	const char *why;
	struct arch_operand operand;
	uint64_t symbol;	/* linked address of operand.symbol */
};

struct program_marker {
	const char *provider, *name;
	const char *text;	/* of all arguments */
	uint64_t addr, offset;	/* of its nop; several markers may have one name */
	uint64_t semaphore;	/* linked address of its 16-bit count; 0: none */
	uint64_t semaphore_offset;	/* in the file: the ref_ctr_offset of uprobes */
	const struct program_argument *args;
	size_t nr_args;
};

/* All markers, by provider, name and address.  Damaged notes are left out; *nr_bad (may be NULL) counts them. */
const struct program_marker *program_markers(struct program *program, size_t *nr, size_t *nr_bad);

/* ------------------------------------------------------------ which file */

/* A file that a word names. */
struct program_file {
	char path[4096];	/* as seen below root */
	char root[64];		/* "" or "/proc/PID/root" */
	bool is_deleted;	/* only processes that have it mapped still have it */
	int fd;			/* open for reading: the caller closes it, or gives it to program_open_fd() */
};

/*
 * The file that a word means: a path if it has a "/"; else the name of a program in PATH, or of a library (libc.so.6,
 * libc) in the loader's cache and directories.  With pid (not 0): a file that this process has mapped, by path or name;
 * else a file below its root.  False: err says where it was searched.
 */
bool program_find(const char *word, int pid, struct program_file *out, struct debug_error *err);
/*
 * Call `each` for every name that program_find() takes and that begins with prefix: programs in PATH, libraries in the
 * loader's cache; with pid the files that the process has mapped.  A name may come twice.
 */
void program_complete(const char *prefix, int pid, void (*each)(const char *name, void *arg), void *arg);
/* Does the file, relative to an open directory, begin like a program?  It does not block. */
bool program_is_elf(int dir, const char *name);
/* Find and open. */
struct program *program_open_word(const char *word, int pid, struct debug_error *err);
/* Call `each` for every file that a process has mapped as code, once for each path.  False: err is set. */
bool program_each_mapped(int pid, void (*each)(const char *path, bool is_deleted, void *arg), void *arg,
			 struct debug_error *err);

#endif
