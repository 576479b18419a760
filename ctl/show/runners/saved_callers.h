/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved_callers.h - names of the callers of system calls in a recording (`record --caller`).
 *
 * An address has a name where it is known which file the process had there: the state of the system tells the mappings of the
 * processes that lived when the recording began, and an exec that of a program which is linked at a fixed address.  Children
 * have those of their parent.  What may have changed since then, or was lost, has no name.
 */
#ifndef KTRACE_SAVED_CALLERS_H
#define KTRACE_SAVED_CALLERS_H

#include "ctl/trace/ctf/trace_info.h"
#include "ctl/trace/reader/reader.h"

struct saved_callers;

/* NULL: the trace has no callers, or its events do not tell the mappings.  info must outlive the result. */
struct saved_callers *saved_callers_create(const struct trace_info *info);
/* NULL is allowed here and below. */
void saved_callers_free(struct saved_callers *callers);

/* The trace begins again, or events are missing from here on. */
void saved_callers_forget(struct saved_callers *callers);
/*
 * The next record, in the order of time; pid: the process that ran, negative: not known.  Returns the name of its caller, which stays
 * valid; NULL: it has none.
 */
const char *saved_callers_next(struct saved_callers *callers, const struct record *record, int32_t pid);

#endif
