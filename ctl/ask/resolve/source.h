/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - addresses that name places in the source, or several probe points at once.
 *
 *   [module:]file.c:LINE     where the statements of a line begin, inlined copies included
 *   [module:]function:LINE   the same, with LINE relative to the function's declaration
 *   function%return          all exits of a function
 *   inline:[module:]name     all inlined copies of a function
 *   inline:name@file.c       the copies in functions of that file
 *   function@file.c          the function of that name in that file, where several have the name
 *   event:name, system:name  static tracepoints of the kernel, see event.h
 *   pattern                  functions, by *, ? and [...]
 */
#ifndef KTRACE_SOURCE_H
#define KTRACE_SOURCE_H

#include "ctl/ask/resolve/probe_point.h"

#define INLINE		"inline:"
#define RETURN		"%return"

/* Does text have one of these forms? */
bool source_is(const struct target *target, const char *text);
/* Is this symbol, whose name is that of a function and a suffix, a variant of it?  In Go f.func1 is another function, inside of f. */
bool source_is_variant(const struct target *target, const struct sym *sym);
/* Does text name a place in the source, so that inlined copies of it count? */
bool source_names_copies(const char *text);
/* Resolve text.  On failure the caller still frees *out. */
bool source_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);

/* The function's name in "NAME%return".  NULL: text has another form.  The caller frees it. */
char *source_returning(const char *text);

/*
 * A function has no symbol: if every call of it was inlined, say so in err and return true.  It does not
 * contact a debug information server.
 */
bool source_only_inlined(const struct target *target, const char *name, struct error *err);

#endif
