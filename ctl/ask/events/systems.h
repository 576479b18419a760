/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systems.h - the systems of static tracepoints: the folders of tracefs, such as sched, irq, syscalls.  Where tracefs
 * cannot be read, those of the rows.
 */
#ifndef KTRACE_SYSTEMS_H
#define KTRACE_SYSTEMS_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a system of this name? */
bool systems_has(const char *system);
/* Does an event belong to the system, which may be a pattern of fnmatch(3)? */
bool systems_match(const char *system, const char *event);
/* The system of an event.  NULL: unknown.  The caller frees it. */
char *systems_of(const char *event);
/* Call each for every event whose system is known. */
void systems_each(void (*each)(const char *system, const char *event, void *arg), void *arg);

/* The text of events/SYSTEM/EVENT/format in tracefs.  NULL: it cannot be read.  It is read once, and valid until systems_use(). */
const char *systems_format(const char *system, const char *event);

/* Read this folder in place of tracefs; NULL: tracefs.  The text stays the caller's. */
void systems_use(const char *tracefs);

#endif
