/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - show progress while the module sets or deletes many tracepoints, which takes seconds. */
#ifndef KTRACE_WATCH_H
#define KTRACE_WATCH_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include "ctl/base/progress.h"
#include "ctl/live/session/session.h"

struct watch {
	struct device *dev;
	struct progress_line line;
	const char *what;	/* "set", "deleted" */
	sem_t over;
	pthread_t thread;
	bool running;
};

/* Call these before and after setting or deleting nr tracepoints; with few nothing is shown. */
void watch_begin(struct watch *watch, struct session *s, size_t nr, const char *what);
void watch_end(struct watch *watch);

#endif
