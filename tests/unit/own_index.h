/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_index.h - debug information of the running test, for tests whose planted functions are the traced program. */
#ifndef OWN_INDEX_H
#define OWN_INDEX_H

#include <stdbool.h>

/* Make an index of what this source file of the test contains.  The template ends with XXXXXX and becomes the path. */
bool own_index(const char *source, char *template);

#endif
