/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_wish.h - which debug information is looked for, and where it may lie. */
#ifndef KTRACE_DEBUG_WISH_H
#define KTRACE_DEBUG_WISH_H

#include "symbols/image/image.h"

struct debug_wish {
	const char *root;	/* in front of all paths, for tests; "" or NULL for / */
	const char *release;	/* as uname -r */
	const char *module;	/* as /proc/modules has it; NULL: the kernel itself */
	const char *file;	/* the one to take; NULL: look for it */
	const char *const *modules;	/* files of modules: the one with the build id, if any, is taken */
	size_t nr_modules;
	const char *directory;	/* where .ko files of one's own may lie; NULL: the current one */
	bool is_casual;		/* no server is asked: nobody waits for the answer */
	void (*note)(void *arg, const char *text);	/* what takes long; may be NULL */
	void *arg;
	struct build_id id;	/* that it must have; len 0: unknown, anything goes */
};

#endif
