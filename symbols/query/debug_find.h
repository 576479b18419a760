/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_find.h - find the debug information of a kernel, a module or a program, and check that it belongs to this
 * build.
 *
 * The order of the search: the file that the user named; the distributions' places; the places by build id; the
 * file that .gnu_debuglink of an installed module names; .ko files in the current directory; a debuginfod
 * server, if DEBUGINFOD_URLS names one.
 */
#ifndef KTRACE_DEBUG_FIND_H
#define KTRACE_DEBUG_FIND_H

#include "symbols/query/debug_wish.h"

/* An open file with DWARF (or symbols) and the wanted build id.  NULL: err is set. */
struct image *debug_find(const struct debug_wish *wish, struct debug_error *err);

/* The build id of the running kernel (module NULL) or of a loaded module. */
bool debug_live_id(const char *root, const char *module, struct build_id *out);

/*
 * The way to get it, for a message: "sudo apt install linux-image-RELEASE-dbg" on this distribution; for a module
 * that is not the distribution's, its own file.  module NULL: the kernel.  Returns buf.
 */
const char *debug_install_hint(const char *root, const char *release, const char *module, char *buf, size_t size);

#endif
