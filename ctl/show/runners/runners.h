/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runners.h - which task runs on each CPU of a recording, event by event.
 *
 * What it tells is true, or not known.  Only events change what is known:
 *
 * tid	A switch tells it.  execve() by a thread that is not the first of its process changes the tid.  So the tid of such
 *	a thread is known only while the events tell that it is not in execve(), or that the first thread lives.
 * pid	The state of the system tells it, and events of fork and exec.
 * comm	A switch tells it.  It lasts if all renames are recorded, or all system calls.  Of these, execve() and prctl() can
 *	change it.
 *
 * Where records of one CPU are missing, the tasks on other CPUs stay known until they leave their CPU, but not their
 * names: another thread may have changed them.  Others are known if so few records are missing that no tid was given
 * a second time.
 */
#ifndef KTRACE_RUNNERS_H
#define KTRACE_RUNNERS_H

#include <stdbool.h>

#include "ctl/trace/analysis/analysis.h"
#include "ctl/trace/print/runner.h"

struct runners;

/*
 * `a` has the kinds of all events of the recording, by analysis_type(), and the names: it must outlive the result.  It
 * needs no events.  a->confined and a->complete are those of the recording.  The kernel counts tids to a limit, which is not
 * below least_tids, before it begins again.  has_gaps: events may be missing anywhere, without a notice.  Free it with runners_free().
 */
struct runners *runners_create(struct analysis *a, int32_t least_tids, bool has_gaps);
void runners_free(struct runners *r);

/* The next event, in the order of time.  *out is the task that ran on its CPU when it was recorded. */
void runners_event(struct runners *r, const struct analysis_event *e, struct runner *out);

/* So many records of this CPU are missing from some time on, which is not before now.  It may be told again. */
void runners_gap_begin(struct runners *r, uint32_t cpu, uint64_t lost);
/* From now on there are records of it again.  The gap may have no begin of its own. */
void runners_gap_end(struct runners *r, uint32_t cpu, uint64_t lost);

#endif
