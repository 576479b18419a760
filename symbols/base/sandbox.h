/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - work that other people's libraries do on files that may be wrong is done by a
 * process of its own: faults, endless loops and lack of memory end that process alone.
 */
#ifndef KTRACE_SANDBOX_H
#define KTRACE_SANDBOX_H

#include "symbols/base/debug_error.h"

enum sandbox_end {
	SANDBOX_DONE,
	SANDBOX_FAILED,		/* err says why */
	SANDBOX_INTERRUPTED,	/* by Ctrl-C, or SIGTERM */
	SANDBOX_NO_MEMORY,
	SANDBOX_NO_PROCESS,
	SANDBOX_TOO_LONG,	/* it used more than SANDBOX_SECONDS of CPU time */
	SANDBOX_CRASHED,	/* by a fault of its own, err says by which signal */
	SANDBOX_KILLED,		/* by somebody else: the administrator or the kernel, err says by which signal */
};

#define SANDBOX_SECONDS	1200	/* a damaged file may send a library in circles */

/* What it makes goes to fd.  False with err set. */
typedef bool sandbox_work(const void *arg, int fd, struct debug_error *err);

enum sandbox_end sandbox_run(sandbox_work *work, const void *arg, int fd, struct debug_error *err);

#endif
