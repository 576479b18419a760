/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_read.h - read the memory of the running kernel, and of one process, without tracing.
 *
 * The kernel's memory comes from /proc/kcore, which never faults.  But it gives zeros where nothing is mapped, in the areas
 * of vmalloc and of modules: there a page of zeros counts as unreadable.
 */
#ifndef KTRACE_MEMORY_READ_H
#define KTRACE_MEMORY_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctl/base/error.h"

struct memory;

/* root: prefix of the paths, for tests; else "".  NULL: err is set. */
struct memory *memory_open(const char *root, struct error *err);
void memory_close(struct memory *memory);
/* Read user addresses from this process; 0: from none. */
void memory_of_process(struct memory *memory, pid_t pid);

/* False: not all of it is readable. */
bool memory_read(const struct memory *memory, uint64_t addr, void *to, size_t size);

#endif
