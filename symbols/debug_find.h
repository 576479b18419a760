/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_find.h - where the debug information of a kernel or module lies, and
 * that it is of this very build.
 *
 * Looked for in this order: the file that was named; the distributions'
 * places; the places by build id; what .gnu_debuglink of an installed module
 * names; a debuginfod server, where DEBUGINFOD_URLS names one.
 */
#ifndef KTRACE_DEBUG_FIND_H
#define KTRACE_DEBUG_FIND_H

#include "symbols/image.h"

struct debug_wish {
	const char *root;	/* in front of all paths, for tests; "" or NULL for / */
	const char *release;	/* as uname -r */
	const char *module;	/* as /proc/modules has it; NULL: the kernel itself */
	const char *file;	/* the one to take; NULL: look for it */
	bool is_casual;		/* no server is asked: nobody waits for the answer */
	void (*note)(void *arg, const char *text);	/* what takes long; may be NULL */
	void *arg;
	struct build_id id;	/* that it must have; len 0: unknown, anything goes */
};

/* The file, open, with DWARF in it and the build id wished for.  NULL with err set. */
struct image *debug_find(const struct debug_wish *wish, struct debug_error *err);

/* The build id of the running kernel (module NULL) or of a loaded module. */
bool debug_live_id(const char *root, const char *module, struct build_id *out);

/* How to install it on this distribution: "apt install linux-image-RELEASE-dbg", for a message. */
const char *debug_install_hint(const char *root, const char *release, char *buf, size_t size);

#endif
