/* SPDX-License-Identifier: GPL-2.0-only */
/* rest.h - let other tasks run, in long loops. */
#ifndef KTRACE_REST_H
#define KTRACE_REST_H

#include <linux/sched.h>

/* cond_resched() for loops with short steps: most of them need no call, which ktrace itself may trace.  Sleepable. */
static inline void kt_rest(void)
{
	if (need_resched())
		cond_resched();
}

#endif
