/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_find.h - where the debug information of a kernel or module lies, and
 * that it is of this very build.
 *
 * Looked for in this order: the file that was named; the distributions'
 * places; the places by build id; what .gnu_debuglink of an installed module
 * names; .ko files in the current directory; a debuginfod server, where DEBUGINFOD_URLS names one.
 */
#ifndef KTRACE_DEBUG_FIND_H
#define KTRACE_DEBUG_FIND_H

#include "symbols/query/debug_wish.h"

/* The file, open, with DWARF in it and the build id wished for.  NULL with err set. */
struct image *debug_find(const struct debug_wish *wish, struct debug_error *err);

/* The build id of the running kernel (module NULL) or of a loaded module. */
bool debug_live_id(const char *root, const char *module, struct build_id *out);

/*
 * How to have it, for a message: "apt install linux-image-RELEASE-dbg" on this distribution; of a module
 * (NULL: the kernel itself) that is not the distribution's, its file.
 */
const char *debug_install_hint(const char *root, const char *release, const char *module, char *buf, size_t size);

#endif
