/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markers.h - SDT markers of programs by name, and their arguments as fields.
 *
 *   PROGRAM:sdt:PROVIDER:NAME  PROGRAM:sdt:PATTERN  PROGRAM:sdt
 */
#ifndef KTRACE_MARKERS_H
#define KTRACE_MARKERS_H

#include "symbols/query/program.h"

#define MARKER		":sdt"	/* ends the name of the program */

/* Does text name markers of a program? */
bool marker_is(const char *text);
/* Take it apart; a pattern that is missing is "*".  The caller frees both. */
void marker_split(const char *text, char **program, char **pattern);
/* Does the marker match: "PROVIDER:NAME", or one of both? */
bool marker_matches(const struct program_marker *marker, const char *pattern);
/* Are both sites of the same marker? */
bool marker_is_same(const struct program_marker *a, const struct program_marker *b);

/* The type of an argument as the language spells it, "s32".  NULL: the language does not know its value. */
const char *marker_type(const struct program_argument *arg);
/* The expression for its value, "*(s32 *)($sp + 16)".  NULL: as marker_type().  The caller frees it. */
char *marker_expression(const struct program_argument *arg);
/* All that are known, in the form of an event row's fields: "arg1 = ...; arg3 = ...".  The caller frees it. */
char *marker_fields(const struct program_marker *marker);

#endif
