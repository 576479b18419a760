/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_wish.h - the debug information to search for, and the places. */
#ifndef KTRACE_DEBUG_WISH_H
#define KTRACE_DEBUG_WISH_H

#include "symbols/image/image.h"

struct debug_error;

/* The use of debuginfod servers, which need consent: nothing is fetched without it. */
struct debug_fetch {
	/* May the servers be asked?  False: err says why not.  NULL: they may not. */
	bool (*may)(void *arg, struct debug_error *err);
	/* Called a few times a second: bytes that have arrived, of how many; of 0: not known.  NULL: show nothing. */
	void (*show)(void *arg, uint64_t done, uint64_t of);
	void (*end)(void *arg);		/* it is over, in whatever way; may be NULL */
	void *arg;
};

struct debug_wish {
	const char *root;	/* prefix of all paths, for tests; "" or NULL: / */
	const char *release;	/* as uname -r */
	const char *module;	/* as in /proc/modules; NULL: the kernel itself */
	const struct image *program;	/* a program of user space, in place of kernel and modules; NULL: none */
	const char *program_path;	/* below root */
	bool only_symbols;	/* the file need not have debug information, and is opened without it */
	const char *file;	/* the file to use; NULL: search */
	const char *const *modules;	/* files of modules: the one with the build id is used, if any */
	size_t nr_modules;
	const char *directory;	/* directory of .ko files; NULL: the current one */
	bool is_casual;		/* do not contact a server: no user waits for the answer */
	void (*note)(void *arg, const char *text);	/* reports work that takes long; may be NULL */
	void *arg;
	struct debug_fetch fetch;
	struct build_id id;	/* the required build id; len 0: unknown, any is accepted */
};

#endif
