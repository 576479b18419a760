/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * critical.h - what a thread waited for, through wake-ups, interrupts and other threads.
 *
 * The time while a thread is blocked counts for who has woken it.  If that is an interrupt, it counts for the
 * interrupt: a device, a timer.  If it is a thread, then what that thread did meanwhile counts; and if that was
 * blocked, too, who has woken it, and so on.  This is the critical path of Trace Compass (F. Giraldeau, M. Dagenais:
 * Wait analysis of distributed systems using kernel tracing, 2016).
 *
 * The path leads backwards in time, but a recording is read forwards.  So every change of a state of every thread
 * is written to a file without a name, 40 bytes each, with the position of the change before; then the path is
 * followed from the end.  Memory grows with the number of threads only.
 */
#ifndef KTRACE_CRITICAL_H
#define KTRACE_CRITICAL_H

#include "ctl/base/error.h"
#include "ctl/trace/analysis/flow.h"

/* A part of the path: of one thread or interrupt, doing one thing. */
struct critical_part {
	struct agent who;	/* AGENT_TASK or AGENT_WORK */
	enum doing doing;	/* of a thread; DOING_EITHER: it runs */
	struct spans time;
};

struct critical;

/* NULL: the file cannot be made; err is set. */
struct critical *critical_create(const struct analysis *a, struct error *err);
void critical_free(struct critical *critical);
/* For feed_saved(): behind each event.  critical is a struct critical. */
void critical_event(void *critical, const struct analysis_event *e);

/*
 * Behind the last event: find the critical path of a task, from its birth to its end or the window's ends.  The
 * parts stay valid until critical_free(); their times add up to its lifetime.
 */
bool critical_find(struct critical *critical, const struct task *task, const struct critical_part **parts, size_t *nr,
		   struct error *err);

#endif
