/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - a command that is measured: started, held until the tracepoints are set, let go, waited for.
 *
 * Its input, output and process group are ours.  What a terminal sends goes to both of us by itself;
 * signals that somebody sends to this process alone are passed on to it.
 */
#ifndef KTRACE_CHILD_H
#define KTRACE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "ctl/base/error.h"

struct child {
	pid_t pid;		/* 0: none */
	int fd;			/* readable when it has ended (a pidfd); -1: none */
	int start;		/* closed: it gives up */
	int answer;		/* what exec said */
	bool reaped;
	int status;		/* as waitpid() has it, when reaped */
};

/* argv ends with NULL.  It does nothing yet. */
bool child_start(struct child *child, char *const *argv, struct error *err);
/*
 * It executes the command, and signals are passed on from now on.  Where that cannot be executed it is reaped, and
 * err has the shell's status for that: 127, there is no such command; 126, it cannot be executed.
 */
bool child_release(struct child *child, const char *name, struct error *err);
/* Has it ended?  Waits for it where `wait` says so; a signal ends that, too. */
bool child_ended(struct child *child, bool wait);
/* How often was Ctrl-C typed, or were we asked to end, since it was let go? */
unsigned int child_signals(void);
/* Signals are as they were before. */
void child_calm(void);
/* Ends it where it was never let go; otherwise lets it be. */
void child_drop(struct child *child);

/* What a shell makes of a status: 128 + N where signal N ended it. */
int child_shell_status(int status);
/*
 * End as it did: by the same signal, without another core dump, or with its status; where the signal does not end
 * this process, with 128 + N.  Does not return.
 */
void child_end_alike(int status) __attribute__((noreturn));

#endif
