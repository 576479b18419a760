/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field_find.h - fields of an event by the names that a row has for them, and by tracefs's. */
#ifndef KTRACE_FIELD_FIND_H
#define KTRACE_FIELD_FIND_H

#include "ctl/ask/events/events.h"

/*
 * The field of a row's text with that name: as it is recorded, or as tracefs calls it.  False: there is none.  The
 * caller frees out->expressions; out->name points into fields.
 */
bool field_find(const char *fields, const char *name, struct event_field *out);

/* What tracefs calls a field of that recorded name.  NULL: the same. */
const char *field_of_tracefs(const char *name);

/*
 * The expression for what tracefs has under the name of a field that is recorded by the given one.  NULL: it has the
 * same value.  The caller frees it.
 */
char *field_in_tracefs(const char *expression);

#endif
