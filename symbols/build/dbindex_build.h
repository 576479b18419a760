/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dbindex_build.h - build an index. */
#ifndef KTRACE_DBINDEX_BUILD_H
#define KTRACE_DBINDEX_BUILD_H

#include "symbols/image/image.h"

/* The part to index: the unit at an offset, or the units of source files. */
struct dbindex_choice {
	bool by_offset;
	uint64_t offset;
	const char *const *files;	/* ends of their names, such as fs/read_write.c */
	size_t nr_files;
};

/* Shows how much of the work is done, a few times a second, and at its end all of it: 1 of 1. */
struct dbindex_watch {
	void (*show)(void *arg, uint64_t done, uint64_t of);
	void *arg;
	int32_t *worker;	/* in shared memory: the process that does the work puts its id there; may be NULL */
};

/*
 * Index an image, or a chosen part of it, into an open, empty file.  A process of its own does the work, with
 * that many threads (0: one for each CPU), so that a damaged file or lack of memory does not harm the caller.
 * watch, or its show, may be NULL.
 */
bool dbindex_build(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
		   int fd, const struct dbindex_watch *watch, struct debug_error *err);

/* The same in the calling process, which a damaged file or lack of memory may end. */
bool dbindex_build_here(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			int fd, struct debug_error *err);

/* The same into path: written under another name, and renamed when it is complete. */
bool dbindex_build_file(const struct image *image, const struct dbindex_choice *choice, unsigned int threads,
			const char *path, const struct dbindex_watch *watch, struct debug_error *err);


#endif
