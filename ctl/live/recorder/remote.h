/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote.h - ask a recorder, which is another process, for a snapshot of its flight recording.
 *
 * The rings can be mapped only by the process that made them: the recorder writes the snapshot itself.  It listens at a
 * socket in the abstract namespace, which has the name of the recording and leaves nothing behind when the recorder is
 * killed.  The recorder answers to root and to its own user only.
 */
#ifndef KTRACE_REMOTE_H
#define KTRACE_REMOTE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "ctl/base/error.h"
#include "ctl/trace/saved/flight.h"

/* One packet to the recorder. */
struct remote_ask {
	uint32_t version;
	uint32_t reserved;
	char dir[PATH_MAX];		/* absolute; "": the recorder chooses one */
};

/* One packet back. */
struct remote_answer {
	uint32_t version;
	uint32_t failed;		/* 1: error is valid, else the others */
	char dir[PATH_MAX];		/* absolute */
	struct flight_saved saved;
	struct error error;
};

/* Of the recorder: listen.  A file descriptor; -1: err is set. */
int remote_listen(const char *name, struct error *err);
/* Take the next request, if there is one.  The result is a connection for remote_answer(); -1: none. */
int remote_take(int listener, struct remote_ask *ask);
/* Answer and close the connection.  Nothing happens if the other side is gone. */
void remote_answer(int connection, const struct remote_answer *answer);

/*
 * Of the other side: ask the recorder with this process id, and wait for its answer; a signal that interrupt.h catches
 * ends the wait.  False: there is no answer.
 */
bool remote_call(const char *name, pid_t pid, const char *dir, struct remote_answer *answer, struct error *err);

#endif
