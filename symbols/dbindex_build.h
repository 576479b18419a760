/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbindex_build.h - making an index. */
#ifndef KTRACE_DBINDEX_BUILD_H
#define KTRACE_DBINDEX_BUILD_H

#include "symbols/image.h"

/*
 * Index an image into an open, empty file: all of it, or only the units that
 * begin at those offsets (in order).  It is done by a process of its own with
 * that many threads (0: one for each processor), so that neither a damaged
 * file nor lack of memory harms the caller.
 */
bool dbindex_build(const struct image *image, const uint64_t *units, size_t nr_units, unsigned int threads,
		   int fd, struct debug_error *err);

/*
 * The same for all of it, into path: under another name, renamed when it is
 * complete.
 */
bool dbindex_build_file(const struct image *image, unsigned int threads, const char *path,
			struct debug_error *err);

#endif
