// SPDX-License-Identifier: GPL-2.0-or-later
/* threads.c - the threads of a recording.  See threads.h. */
#include "ctl/trace/export/threads.h"

#include <stdlib.h>

#include "ctl/base/memory.h"

static void begin(struct threads *threads, struct thread *thread, int32_t tid, int32_t tgid)
{
	*thread = (struct thread){ .tid = tid, .tgid = tgid, .track = ++threads->tracks };
}

struct thread *threads_get(struct threads *threads, int32_t tid)
{
	const uint32_t at = keymap_find(&threads->by_tid, (uint32_t)tid);

	if (at)
		return &threads->all[at - 1];
	threads->all = MEM_MORE(threads->all, threads->nr);
	begin(threads, &threads->all[threads->nr++], tid, 0);
	keymap_set(&threads->by_tid, (uint32_t)tid, threads->nr);
	return &threads->all[threads->nr - 1];
}

struct thread *threads_create(struct threads *threads, int32_t tid, int32_t tgid)
{
	struct thread *thread = threads_get(threads, tid);

	begin(threads, thread, tid, tgid);
	return thread;
}

void threads_free(struct threads *threads)
{
	free(threads->all);
	keymap_free(&threads->by_tid);
	*threads = (struct threads){ 0 };
}
