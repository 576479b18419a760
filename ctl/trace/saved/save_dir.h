/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save_dir.h - the directory of a saved trace: its contents, and how it is put in place.
 *
 *	metadata		CTF metadata
 *	cpuN, cpuN.PART		packets of one CPU
 *	ktrace/trace.json	see trace_info.h; it marks the directory as a trace of ktrace
 *	ktrace/descriptors	see descriptors.h
 *	ktrace/symbols		see symbols_file.h, if records contain addresses
 *	ktrace/lock		while it is written: locked, with the process id of the writer
 */
#ifndef KTRACE_SAVE_DIR_H
#define KTRACE_SAVE_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/base/error.h"
#include "ctl/trace/ctf/descriptors.h"

struct trace_info;

#define SAVE_METADATA	"metadata"
#define SAVE_STATE	"state"
#define SAVE_INFO	"ktrace/trace.json"
#define SAVE_DESCRIPTORS	"ktrace/" DESCRIPTORS_FILE
#define SAVE_SYMBOLS	"ktrace/symbols"
#define SAVE_LOCK	"ktrace/lock"

/* The name without trailing slashes.  The caller frees it. */
char *save_dir_name(const char *dir);

/* Can a trace be saved there?  It never replaces a directory that is not a saved trace. */
bool save_dir_usable(const char *dir, struct error *err);

/* Is that name free?  An empty directory is removed. */
bool save_dir_free(const char *dir, struct error *err);

/*
 * Make a new, empty directory.  Returns a file that locks it while it is open; -1: err is set.  If a killed
 * ktrace left a trace there, it is renamed; *moved is its new name, which the caller frees, else NULL.
 */
int save_dir_create(const char *dir, char **moved, struct error *err);
/* Remove the directory and all files of a trace in it. */
void save_dir_remove(const char *dir);

/* Bytes of all files of a trace in the directory. */
uint64_t save_dir_size(const char *dir);

/* Write all of it.  False: errno is set, and a part may be written. */
bool save_dir_write(int fd, const void *bytes, size_t len);

/* Write a file in the directory, completely or not at all. */
bool save_dir_put(const char *dir, const char *name, void (*write)(const void *arg, FILE *out),
		  const void *arg, struct error *err);
/*
 * Write the description of a trace: SAVE_DESCRIPTORS if info has others than when it was written last, SAVE_INFO, and
 * SAVE_METADATA in the form that info says.
 */
bool save_dir_describe(const char *dir, struct trace_info *info, struct error *err);

/* Let part replace dir in one step. */
bool save_dir_replace(const char *dir, const char *part, struct error *err);

#endif
