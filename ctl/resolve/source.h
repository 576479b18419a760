/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - addresses that stand for places in the source, or for many.
 *
 *   [module:]file.c:LINE     where the statements of a line begin, inlined copies included
 *   [module:]function:LINE   the same, LINE counted from the function's declaration
 *   function%return          every way out of a function
 *   inline:[module:]name     every inlined copy of a function
 *   inline:name@file.c       those in the functions of that file
 *   function@file.c          the one of several functions of a name that is in that file
 *   event:name               one of the kernel's static tracepoints, or some by a pattern
 *   pattern                  functions by *, ? and [...]
 */
#ifndef KTRACE_SOURCE_H
#define KTRACE_SOURCE_H

#include "ctl/resolve/probe_point.h"

#define EVENT		"event:"

/* How symbols begin that stand for static tracepoints; what is behind that is the name. */
const char *source_event_symbols(const struct symtab *tab);

/* Is text of one of these forms? */
bool source_is(const struct target *target, const char *text);
/* Of those, one that means what stands there in the source, inlined or not? */
bool source_names_copies(const char *text);
/* The places; on failure what is in out is still to be freed. */
bool source_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);

/* The name of the function in "NAME%return"; to be freed, NULL where text is none such. */
char *source_returning(const char *text);

/*
 * A function that has no symbol: was every call of it inlined?  Then err says so.  It asks no server for debug
 * information.
 */
bool source_only_inlined(const struct target *target, const char *name, struct error *err);

#endif
