/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_server.h - debuginfod: servers that offer debug information by build id. */
#ifndef KTRACE_DEBUG_SERVER_H
#define KTRACE_DEBUG_SERVER_H

#include "symbols/image/image.h"
#include "symbols/query/debug_wish.h"

/* Does DEBUGINFOD_URLS name a server? */
bool debug_server_named(void);
/* And may it be asked?  This may ask the user.  fetch NULL: it may not.  False: err, which may be NULL, can say why not. */
bool debug_server_may(const struct debug_fetch *fetch, struct debug_error *err);

/*
 * Fetch the file, without a question: fetch->may() is the caller's.  The client keeps the file in its cache.  False: err is
 * set; is_absence if the servers have no such file.
 */
bool debug_server_ask(const struct build_id *id, const struct debug_fetch *fetch, char *path, size_t size, struct debug_error *err);

#endif
