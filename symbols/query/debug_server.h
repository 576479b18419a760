/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_server.h - debuginfod: servers that offer debug information by build id. */
#ifndef KTRACE_DEBUG_SERVER_H
#define KTRACE_DEBUG_SERVER_H

#include "symbols/image/image.h"

/* Does DEBUGINFOD_URLS name a server? */
bool debug_server_named(void);

/*
 * Fetch the file; the client keeps it in its cache.  False: err is set; is_absence if the servers have no such
 * file.
 */
bool debug_server_ask(const struct build_id *id, char *path, size_t size, struct debug_error *err);

#endif
