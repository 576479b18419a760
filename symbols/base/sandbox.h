/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - a sandbox: a process for work of other people's libraries on files that may be damaged.  Faults,
 * endless loops and lack of memory end only that process.
 */
#ifndef KTRACE_SANDBOX_H
#define KTRACE_SANDBOX_H

#include "symbols/base/debug_error.h"

enum sandbox_end {
	SANDBOX_DONE,
	SANDBOX_FAILED,		/* err has the reason */
	SANDBOX_INTERRUPTED,	/* by Ctrl-C or SIGTERM */
	SANDBOX_NO_MEMORY,
	SANDBOX_NO_PROCESS,
	SANDBOX_TOO_LONG,	/* it used more than SANDBOX_SECONDS of CPU time */
	SANDBOX_CRASHED,	/* by its own fault; err names the signal */
	SANDBOX_KILLED,		/* by another process or the kernel; err names the signal */
};

#define SANDBOX_SECONDS	1200	/* limit of CPU time: a damaged file may send a library in circles */

/* Do the work and write its result to fd.  False: err is set. */
typedef bool sandbox_work(const void *arg, int fd, struct debug_error *err);

/* look: called a few times a second while the work goes on, to show how far it is; may be NULL. */
enum sandbox_end sandbox_run(sandbox_work *work, const void *arg, int fd, void (*look)(const void *arg),
			     struct debug_error *err);

#endif
