/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user_trace.h - make a saved trace of the files of processes (ktrace-user(3)). */
#ifndef KTRACE_USER_TRACE_H
#define KTRACE_USER_TRACE_H

#include <stdbool.h>

#include "ctl/base/error.h"

/* Is it a directory with such files? */
bool user_trace_is(const char *dir);

/* Gets a sentence about a file, or a ring of it, that is left out. */
typedef void user_trace_note(void *arg, const char *text);

/*
 * Write the events of all processes in `dir` to the directory `to`, which is there and empty, merged by time.  What cannot be
 * read is left out from there on, and note() is told; NULL: nobody is.  False: nothing can be read, or `to` not be written;
 * err is set, and `to` may have a part.
 */
bool user_trace_make(const char *dir, const char *to, user_trace_note *note, void *arg, struct error *err);

#endif
