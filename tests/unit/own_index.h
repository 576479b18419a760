/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_index.h - debug information of the running test, for tests whose planted functions are the traced program. */
#ifndef OWN_INDEX_H
#define OWN_INDEX_H

#include <stdbool.h>

/* Write an index of the debug information of one source file of the test.  The template ends with XXXXXX, and becomes the index's path. */
bool own_index(const char *source, char *template);

#endif
