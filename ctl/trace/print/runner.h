/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runner.h - the task that ran on the CPU of a record when it was taken. */
#ifndef KTRACE_RUNNER_H
#define KTRACE_RUNNER_H

#include <stdint.h>

#define RUNNER_UNKNOWN	(-1)

struct runner {
	int32_t pid, tid;	/* RUNNER_UNKNOWN: not known.  Both are 0 of the idle task */
	const char *comm;	/* NULL: not known.  It may have any bytes */
	const char *caller;	/* the name of the record's field of CALLER; NULL: it has none */
};

#endif
