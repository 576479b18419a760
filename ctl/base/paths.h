/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - the user's own files, by the XDG base directory specification. */
#ifndef KTRACE_PATHS_H
#define KTRACE_PATHS_H

#include <stdbool.h>

/*
 * Returns $variable/ktrace/name, or $HOME/fallback/ktrace/name if the variable is not set or relative.  NULL:
 * there is no home directory.  The caller frees it.
 */
char *path_of(const char *variable, const char *fallback, const char *name);
/* The path from /, of a path from the working directory; it need not exist.  The caller frees it. */
char *path_absolute(const char *path);
/* Make the directories of path, all but its last part, with mode 0700. */
void path_make(const char *path);

/*
 * Is it safe to take commands from this file?  It must be a plain file that belongs to this user and that no
 * other user can write.  *why is the reason against it, NULL if there is no such file.
 */
bool path_is_trusted(const char *path, const char **why);

#endif
