/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_cache.h - the files that keep indexes.
 *
 * The index of the kernel or a module is found by the build id alone, which the running kernel tells, and which
 * debug_find() compares.  The build id of a program is whatever its author wrote into it.  So the index of a program
 * has a digest of all that it is made of in its name; and one from a foreign root another name than one from here.
 */
#ifndef KTRACE_DEBUG_CACHE_H
#define KTRACE_DEBUG_CACHE_H

#include "symbols/base/kept.h"
#include "symbols/index/dbindex.h"

struct debug_key {
	struct build_id id;			/* len 0: nothing is kept */
	char digest[2 * DIGEST_SIZE + 1];	/* "": of the kernel or a module */
	bool is_foreign;
};

/* The key of an image. */
struct debug_key debug_key_of_kernel(const struct image *image);
struct debug_key debug_key_of_program(const struct image *image, bool is_foreign);
/* The path below a directory.  False: no index is kept. */
bool debug_cache_path(const char *dir, const struct debug_key *key, char *out, size_t size);
/* NULL: there is none that can be used. */
struct dbindex *debug_cache_open(const char *dir, const struct debug_key *key);
/* The same of an index that is kept only until the next boot: see kept.h. */
struct dbindex *debug_cache_kept(const char *dir, const char *name, const char key[KEPT_KEY]);
/* Make the directories above a file. */
void debug_cache_make_dirs(char *path);

#endif
