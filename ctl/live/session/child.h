/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - the command to measure: started, held until the tracepoints are set, released, waited for.
 *
 * It shares our input, output and process group.  Signals from the terminal go to both processes; signals that
 * another process sends only to ktrace are passed on.
 */
#ifndef KTRACE_CHILD_H
#define KTRACE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "ctl/base/error.h"

struct child {
	pid_t pid;		/* 0: none */
	int fd;			/* a pidfd, readable when the command has ended; -1: none */
	int start;		/* when it closes without a byte, the command gives up */
	int answer;		/* pipe with the errno of exec */
	bool reaped;
	int status;		/* as from waitpid(), when reaped */
};

/* Start the command and hold it.  argv ends with NULL. */
bool child_start(struct child *child, char *const *argv, struct error *err);
/*
 * Let it execute; signals are passed on from now on.  If exec fails, the child is reaped and err has the
 * shell's status: 127, there is no such command; 126, it cannot be executed.
 */
bool child_release(struct child *child, const char *name, struct error *err);
/* Has it ended?  With `wait`, wait for its end; a signal ends the wait, too. */
bool child_ended(struct child *child, bool wait);
/* How many Ctrl-C or requests to end have arrived since its release? */
unsigned int child_signals(void);
/* Restore the signal handlers. */
void child_calm(void);
/* End the command if it is still held; otherwise let it go on. */
void child_drop(struct child *child);

/* The shell's form of a status: 128 + N if signal N ended it. */
int child_shell_status(int status);
/*
 * End as the command did: by the same signal without another core dump, or with its status.  If the signal does
 * not end this process, the status is 128 + N.  Does not return.
 */
void child_end_alike(int status) __attribute__((noreturn));

#endif
