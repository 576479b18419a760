/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_calls.h - a table of system calls: which of them open, copy or close a descriptor, and what it is then. */
#ifndef KTRACE_FILE_CALLS_H
#define KTRACE_FILE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define CLOEXEC		02000000	/* O_CLOEXEC, SOCK_CLOEXEC, EFD_CLOEXEC and so on */

enum follow {
	FOLLOW_NOTHING,
	FOLLOW_OPEN,		/* its result is a descriptor of the named file */
	FOLLOW_NEW,		/* its result is a descriptor of something without a name */
	FOLLOW_AGAIN,		/* the same, unless it was given a descriptor: then the result is that one */
	FOLLOW_CHANNEL,		/* it makes two descriptors: a pipe, or a pair of sockets */
	FOLLOW_DUP, FOLLOW_DUP2, FOLLOW_CLOSE, FOLLOW_RANGE, FOLLOW_FCNTL, FOLLOW_IOCTL, FOLLOW_UNSHARE, FOLLOW_EXEC,
};

enum moves { MOVES_NOTHING, MOVES_IN, MOVES_OUT };

/* Does exec close the new descriptor? */
enum closes { CLOSES_NEVER, CLOSES_ALWAYS, CLOSES_BY_FLAGS, CLOSES_BY_TYPE };

struct call_kind {
	const char *name;
	enum follow follow;
	enum closes closes;
	uint32_t bit;		/* with CLOSES_BY_*: exec closes it if this bit of the argument is set */
	const char *what;	/* name of the file, where it has no other */
	enum moves moves;	/* its result is a number of bytes */
};

/* NULL: nothing that is followed. */
const struct call_kind *file_call_kind(const char *name);

#endif
