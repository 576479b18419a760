/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privacy.h - take private data out of a text: names of this host and its users, paths, addresses of memory and networks, keys.
 *
 * A report holds only what its parts choose.  This is the second fence: it works on every line, whatever the line holds.
 */
#ifndef KTRACE_PRIVACY_H
#define KTRACE_PRIVACY_H

#include <stddef.h>

/* The names that only this machine has. */
struct privacy {
	struct private_name {
		char *name;
		const char *instead;
	} *names;
	size_t nr_names;
};

/* Find the names: of the host, of its users (but not of root and the system's own), of who runs ktrace. root: see struct session. */
void privacy_open(struct privacy *privacy, const char *root);
void privacy_close(struct privacy *privacy);

/* A line without them; the caller frees it. */
char *privacy_clean(const struct privacy *privacy, const char *line);

#endif
