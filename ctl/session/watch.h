/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - a call of the module that sets or deletes many tracepoints takes seconds: a terminal shows how far it is.
 */
#ifndef KTRACE_WATCH_H
#define KTRACE_WATCH_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#include "ctl/base/progress.h"
#include "ctl/session/session.h"

struct watch {
	struct device *dev;
	struct progress_line line;
	const char *what;	/* "set", "deleted" */
	sem_t over;
	pthread_t thread;
	bool running;
};

/* Around such a call for nr tracepoints; few need none. */
void watch_begin(struct watch *watch, struct session *s, size_t nr, const char *what);
void watch_end(struct watch *watch);

#endif
