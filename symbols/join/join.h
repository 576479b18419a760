/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join.h - one plain .debug_info from debug information in several files, or in forms that build/entry.h does not read:
 * type units (.debug_types, and those of DWARF 5), the file that dwz -m makes (.gnu_debugaltlink, .debug_sup), and
 * split units (.dwo files, or a .dwp file with all of them).
 *
 * Each unit is written anew: references between units become offsets, a type unit becomes a partial unit, and a
 * skeleton becomes the unit whose entries are in its split unit.  Where a file is missing, references into it lead to a
 * type with the name "?".  All bytes may be damaged.
 */
#ifndef KTRACE_JOIN_H
#define KTRACE_JOIN_H

#include "symbols/image/image.h"

/* Has the image debug information that must be joined? */
bool join_is_needed(const struct image *image);

/*
 * The joined image, which uses sections of `image`; free it by join_free().  NULL: err is set.  It reads the files of
 * image->beside.
 */
struct image *join_images(const struct image *image, struct debug_error *err);
void join_free(struct image *joined);

/* Call `each` for the skeletons of an image, in order, until it returns false. */
struct skeleton {
	uint64_t unit;			/* offset in .debug_info */
	uint64_t id;
	const char *name, *dir;		/* of its file, and where it was compiled; dir may be NULL */
};
void join_skeletons(const struct image *image, bool (*each)(const struct skeleton *skeleton, void *arg), void *arg);

/* Has a .dwo or .dwp file the split unit? */
bool join_has_split(const struct image *file, uint64_t id);

#define JOIN_UNKNOWN	"?"	/* the name of a type in a file that is missing */

#endif
