/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index_job.h - make the index that is kept for later, in a process that goes on when ktrace ends.
 *
 * The file PATH.job belongs to the process that makes PATH: it holds a lock on it (flock(2)), and writes there how far it
 * is and how it ended.  So each index is made by one process at a time, all others can wait for that one, and if it is
 * killed, the next one begins anew.
 */
#ifndef KTRACE_INDEX_JOB_H
#define KTRACE_INDEX_JOB_H

#include "symbols/build/dbindex_build.h"

enum index_job_end {
	JOB_MADE,
	JOB_FAILED,
	JOB_LEFT,		/* the caller stopped to wait, and the job goes on */
	JOB_IMPOSSIBLE,		/* the index cannot be written there */
};

struct index_job {
	const struct image *image;
	const char *path;
	unsigned int threads;		/* 0: one for each CPU */
	bool is_ahead;			/* nobody waits for it: other processes go first */
	struct dbindex_watch watch;	/* of whoever waits; show may be NULL */
	bool (*stops)(void *arg);	/* asked while waiting: leave?  NULL: never.  arg: that of watch */
	void (*began)(void *arg, int pid);	/* called for each process that works in the background; may be NULL */
};

/* Begin, unless the index is being made.  False: no file can be written there. */
bool index_job_begin(const struct index_job *job);
/* The same, and wait for the end.  err is set unless it is made; it may be NULL. */
enum index_job_end index_job_run(const struct index_job *job, struct debug_error *err);
/* Does another process make the index now? */
bool index_job_is_running(const char *path);

/*
 * Make the index in this process, where Ctrl-C ends the work, unless it is being made: then wait for that, as
 * index_job_run() does.
 */
enum index_job_end index_job_here(const struct index_job *job, struct debug_error *err);

#endif
