/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - the threads of a recording: to which process each belongs, and on which track its events are. */
#ifndef KTRACE_THREADS_H
#define KTRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/trace/analysis/keymap.h"

struct thread {
	int32_t tid;
	int32_t tgid;		/* its process; 0: not known */
	uint64_t track;		/* id of its track */
	bool has_track;		/* the track was described to Perfetto */
	bool is_new;		/* it was created in the recording, and sched_process_fork has not told of it yet */
	uint32_t call;		/* number of the name of the system call that it is in; 0: none that is known */
};

/* An empty one is { 0 }. */
struct threads {
	struct thread *all;
	size_t nr;
	struct keymap by_tid;	/* one more than the index in `all` */
	uint64_t tracks;	/* how many ids of tracks were given */
};

/* The thread with that id; a new one belongs to no known process.  Valid until the next call. */
struct thread *threads_get(struct threads *threads, int32_t tid);
/* A thread was created: another one that had this id before is gone. */
struct thread *threads_create(struct threads *threads, int32_t tid, int32_t tgid);
void threads_free(struct threads *threads);

#endif
