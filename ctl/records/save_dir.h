/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save_dir.h - the directory of a saved trace: what is in it, and how it comes to its place.
 *
 *	metadata		CTF metadata
 *	cpuN, cpuN.PART		packets of one CPU
 *	ktrace/trace.json	see trace_info.h; by it a directory is known as ours
 *	ktrace/symbols		as /proc/kallsyms, where records hold addresses
 *	ktrace/lock		while it is written: locked, with the process id of the writer
 */
#ifndef KTRACE_SAVE_DIR_H
#define KTRACE_SAVE_DIR_H

#include <stdbool.h>
#include <stdio.h>

#include "ctl/base/error.h"

#define SAVE_METADATA	"metadata"
#define SAVE_INFO	"ktrace/trace.json"
#define SAVE_SYMBOLS	"ktrace/symbols"
#define SAVE_LOCK	"ktrace/lock"

/* Without slashes at its end; the caller's to free(). */
char *save_dir_name(const char *dir);

/* Can a trace go there?  Not in place of what is not ours. */
bool save_dir_usable(const char *dir, struct error *err);

/*
 * A new, empty one, locked as long as the file that is returned is open; -1 with err set.  One that a killed ktrace
 * left there is moved away where it holds a trace: *moved is its new name, the caller's to free(); NULL without.
 */
int save_dir_create(const char *dir, char **moved, struct error *err);
/* With all in it that is ours. */
void save_dir_remove(const char *dir);

/* A file in it, written whole or not at all. */
bool save_dir_put(const char *dir, const char *name, void (*write)(const void *arg, FILE *out),
		  const void *arg, struct error *err);
bool save_dir_copy(const char *dir, const char *name, const char *from, struct error *err);

/* part takes the place of dir, at once. */
bool save_dir_replace(const char *dir, const char *part, struct error *err);

#endif
