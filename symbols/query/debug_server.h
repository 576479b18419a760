/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_server.h - debuginfod: servers that have debug information by build id. */
#ifndef KTRACE_DEBUG_SERVER_H
#define KTRACE_DEBUG_SERVER_H

#include "symbols/image/image.h"

/* Does DEBUGINFOD_URLS name any? */
bool debug_server_named(void);

/*
 * The file that was fetched, which its client keeps.  False with err set; is_absence where
 * the servers answered that they have none.
 */
bool debug_server_ask(const struct build_id *id, char *path, size_t size, struct debug_error *err);

#endif
