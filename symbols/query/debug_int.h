/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_int.h - internals of debug.h. */
#ifndef KTRACE_DEBUG_INT_H
#define KTRACE_DEBUG_INT_H

#include "symbols/query/debug.h"
#include "symbols/query/debug_cache.h"

#define PATH_SIZE	1024

/* The load address of a section, or of a whole kernel. */
struct load {
	uint64_t linked, size, live;
};

struct debug_unit {
	struct debug_unit *next;
	struct debug *debug;
	char *module;
	struct debug_key key;
	bool is_index;			/* the user gave an index in place of the image */
	bool is_btf;			/* BTF in place of image and index */
	bool is_program;		/* of user space */
	bool is_casual;			/* servers were not tried when it was opened */
	bool has_failed;
	struct debug_error why;		/* why it failed, or why there is only BTF */

	char *path;
	struct image *image;
	struct dbindex *whole;
	struct dbindex **parts;		/* of single units */
	size_t nr_parts, parts_room;
	uint64_t base;
	struct load *loads;
	size_t nr_loads, loads_room;
	bool is_awaited;		/* the complete index is made in the background; look for it from time to time */
	bool was_begun;			/* for the questions to come */
};

struct debug {
	struct debug_options options;
	struct debug_unit *units;
	bool hurries;			/* see debug_hurry() */
};

/* debug.c */
void debug_note(const struct debug_unit *unit, const char *text);

#endif
