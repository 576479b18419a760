/* SPDX-License-Identifier: GPL-2.0-or-later */
/* below.h - files of the system, below a root directory that tests provide.  root: "" or NULL for the machine's own. */
#ifndef KTRACE_BELOW_H
#define KTRACE_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* root and path in one.  The caller frees it. */
char *path_below(const char *root, const char *path);
/* Open it for reading.  NULL: errno is set. */
FILE *file_below(const char *root, const char *path);
/* The first line, without its end.  False: it cannot be read; line is "" and errno is set. */
bool line_below(const char *root, const char *path, char *line, size_t size);

#endif
