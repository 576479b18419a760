/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_wish.h - the debug information to search for, and the places. */
#ifndef KTRACE_DEBUG_WISH_H
#define KTRACE_DEBUG_WISH_H

#include "symbols/image/image.h"

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
	struct build_id id;	/* the required build id; len 0: unknown, any is accepted */
};

#endif
