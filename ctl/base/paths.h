/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - the user's own files, after the XDG base directory specification. */
#ifndef KTRACE_PATHS_H
#define KTRACE_PATHS_H

#include <stdbool.h>

/*
 * $variable/ktrace/name, or $HOME/fallback/ktrace/name where the variable is
 * not set or relative.  NULL where there is no home; to be freed.
 */
char *path_of(const char *variable, const char *fallback, const char *name);
/* Make the directories in front of the last part of path. */
void path_make(const char *path);

/*
 * May commands be taken from it?  Only from a plain file that belongs to this
 * user and that nobody else can write.  *why says what speaks against it;
 * NULL where there is no such file.
 */
bool path_is_trusted(const char *path, const char **why);

#endif
