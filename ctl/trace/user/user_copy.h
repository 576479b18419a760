/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_copy.h - copy the rings of a running process into a file that user_file_open() reads.
 *
 * The process may write meanwhile, and may mean ill.  Whatever concerns other processes of a trace is not taken from its
 * memory: its id, the clock, the machine.
 */
#ifndef KTRACE_USER_COPY_H
#define KTRACE_USER_COPY_H

#include "ctl/trace/user/user_file.h"

/* How far a ring was when its events began to belong to the trace. */
struct user_since {
	uint64_t packet, count, discarded;
};

struct user_base {
	struct user_since *rings;	/* [user_file_rings()]; NULL: all events belong to the trace */
	uint64_t lost;			/* events that are in no ring */
};

struct user_copy {
	const struct user_file *file;	/* of user_file_open_memory(), */
	int fd;				/* and its descriptor */
	const struct user_base *base;
	int pid;
	struct ktu_anchor anchors[2];	/* two moments, as the caller has taken them */
};

struct ktu_anchor user_anchor(void);

/* False: the process changes its rings too fast, err is set.  The caller frees base->rings. */
bool user_base_read(const struct user_file *file, int fd, struct user_base *base, struct error *err);
/*
 * Write "DIR/PROGRAM.PID.rings", or "PROGRAM.PID-2.rings" if that is there, and read it once: *events and *lost are what it
 * has.  False: err is set, and there is no file.
 */
bool user_copy_write(const struct user_copy *copy, const char *dir, uint64_t *events, uint64_t *lost, struct error *err);

#endif
