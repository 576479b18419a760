/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where.h - where in the kernel a thread waits. */
#ifndef KTRACE_WHERE_H
#define KTRACE_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/base/error.h"

struct session;

/*
 * Print the kernel's stack of a thread from /proc/PID/stack, which is true only while the thread does not run: so state
 * and context switches must be the same before and after.
 */
bool where_show(struct session *s, uint64_t pid, struct error *err);

#endif
