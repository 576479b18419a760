/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * beside.h - find the other files over which the debug information of an image is spread: what dwz -m took out of
 * several files, .dwo files, a .dwp file.  Each is checked by its id.
 */
#ifndef KTRACE_BESIDE_H
#define KTRACE_BESIDE_H

#include "symbols/image/image.h"
#include "symbols/query/debug_wish.h"

/*
 * Set image->beside, if its debug information is spread.  path is that of the program, root the prefix of all paths.
 * What is missing is named in image->beside->lacks.  False: all of it is missing, and err names it.  fetch: how to ask servers;
 * NULL: do not.
 */
bool beside_find(struct image *image, const char *root, const char *path, const struct debug_fetch *fetch, struct debug_error *err);

#endif
