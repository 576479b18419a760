/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - addresses that name static tracepoints of the kernel.
 *
 *   event:NAME  event:SYSTEM:NAME  SYSTEM:NAME
 *
 * NAME and SYSTEM may be patterns; the third form is one only if no module has the name of the system.
 */
#ifndef KTRACE_EVENT_H
#define KTRACE_EVENT_H

#include "ctl/ask/resolve/probe_point.h"

#define EVENT		"event:"

/* The prefix of symbols that stand for static tracepoints; the event's name follows. */
const char *event_symbols(const struct symtab *tab);

/* Does text name static tracepoints? */
bool event_is(const struct symtab *tab, const char *text);
/* The tracepoints that text names.  False: there are none; err suggests others. */
bool event_resolve(const struct target *target, const char *text, struct probe_points *out, struct error *err);

/*
 * The fields that ARGS records at a probe point, in the form of a row: those of the event's row, or of the system
 * call.  NULL: the parameters.  The caller frees it.
 */
char *event_fields(const struct probe_point *point);

#endif
