/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart.h - work that other people's libraries do on files that may be wrong is done by a
 * process of its own: faults, endless loops and lack of memory end that process alone.
 */
#ifndef KTRACE_APART_H
#define KTRACE_APART_H

#include "symbols/base/debug_error.h"

enum apart {
	APART_DONE,
	APART_FAILED,		/* err says why */
	APART_INTERRUPTED,	/* by Ctrl-C, or SIGTERM */
	APART_NO_MEMORY,
	APART_NO_PROCESS,
	APART_TOO_LONG,		/* it used more than APART_SECONDS of CPU time */
	APART_CRASHED,		/* by a fault of its own, err says by which signal */
	APART_KILLED,		/* by somebody else: the administrator or the kernel, err says by which signal */
};

#define APART_SECONDS	1200	/* a damaged file may send a library in circles */

/* What it makes goes to fd.  False with err set. */
typedef bool apart_work(const void *arg, int fd, struct debug_error *err);

enum apart apart_run(apart_work *work, const void *arg, int fd, struct debug_error *err);

#endif
