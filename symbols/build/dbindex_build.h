/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbindex_build.h - making an index. */
#ifndef KTRACE_DBINDEX_BUILD_H
#define KTRACE_DBINDEX_BUILD_H

#include "symbols/image/image.h"

/* What is to be indexed: the unit that begins at an offset, or those of source files. */
struct dbindex_choice {
	bool by_offset;
	uint64_t offset;
	const char *const *files;	/* ends of their names, such as fs/read_write.c */
	size_t nr_files;
};

/*
 * Index an image into an open, empty file: all of it, or a choice.  It is done by a
 * process of its own with that many threads (0: one for each CPU), so that
 * neither a damaged file nor lack of memory harms the caller.
 */
bool dbindex_build(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
		   int fd, struct debug_error *err);

/* The same by the calling process, which a damaged file or lack of memory may end. */
bool dbindex_build_here(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			int fd, struct debug_error *err);

/* The same into path: under another name, renamed when it is complete. */
bool dbindex_build_file(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			const char *path, struct debug_error *err);


#endif
