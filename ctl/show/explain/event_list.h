/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_list.h - what `events` prints: the events of the kernel, the SDT markers of programs, the events of processes. */
#ifndef KTRACE_EVENT_LIST_H
#define KTRACE_EVENT_LIST_H

#include "ctl/ask/resolve/probe_point.h"
#include "ctl/live/session/session.h"

/* The kernel's events that match a pattern (NULL: all); verbose: with their fields.  False: err is set. */
bool event_list(struct session *s, const char *pattern, bool verbose, struct error *err);
/* One static tracepoint with its fields. */
void event_explain(struct session *s, const struct probe_point *point);

/*
 * The markers that match "PROGRAM:sdt:PATTERN"; with a process also "PATTERN" or NULL: of all programs that it has mapped.
 * pid 0: none.  No device is needed.  False: err is set.
 */
bool marker_list(struct session *s, const char *text, int pid, bool verbose, struct error *err);

/* The events "user:PATTERN" of processes with libktrace; pid 0: of all that have registered.  False: err is set. */
bool user_list(struct session *s, const char *pattern, int pid, bool verbose, struct error *err);
/* Without a message where that is not known. */
bool user_has_registered(int pid);

#endif
