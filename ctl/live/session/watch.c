// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - see watch.h. */
#include "ctl/live/session/watch.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define EVERY_NS	(250 * 1000 * 1000)
#define FEW		100	/* fewer tracepoints are set before a user looks */

/* False: the call has returned. */
static bool wait_a_while(struct watch *watch)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += EVERY_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (sem_timedwait(&watch->over, &until))
		if (errno == ETIMEDOUT)
			return true;
	return false;
}

static void *watch_run(void *arg)
{
	struct watch *watch = arg;
	struct kt_status status;
	struct error err;

	while (wait_a_while(watch))
		if (device_status(watch->dev, &status, NULL, &err))
			progress_change(&watch->line, watch->what, status.change_done, status.change_of);
	return NULL;
}

/* Block signals in the thread: they belong to the thread that reads commands. */
static bool start(struct watch *watch)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&watch->thread, NULL, watch_run, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void watch_begin(struct watch *watch, struct session *s, size_t nr, const char *what)
{
	*watch = (struct watch){
		.dev = &s->dev, .line = progress_open(s->messages, s->quiet, false), .what = what,
	};
	if (watch->line.form == PROGRESS_NONE || nr <= FEW || s->dev.call)
		return;
	sem_init(&watch->over, 0, 0);
	watch->running = start(watch);
}

void watch_end(struct watch *watch)
{
	if (!watch->running)
		return;
	sem_post(&watch->over);
	pthread_join(watch->thread, NULL);
	sem_destroy(&watch->over);
	progress_close(&watch->line);
}
