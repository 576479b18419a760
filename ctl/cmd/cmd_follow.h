/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_follow.h - shared by what follows: on the screen (cmd_print.c) and into a directory (cmd_save.c). */
#ifndef KTRACE_CMD_FOLLOW_H
#define KTRACE_CMD_FOLLOW_H

#include "ctl/session/session.h"

/* Who is given the records as they arrive. */
struct follower {
	/* Use the snapshot, which is not empty, and clear it. */
	bool (*take)(struct session *s, void *arg, struct snapshot *snap, struct error *err);
	void *arg;
	bool files;		/* prefers many at a time to each at once, and on Ctrl-C all until then */
};

/* Until Ctrl-C, or now_ms() is deadline (-1: never). */
bool follow_until(struct session *s, const struct follower *follower, int64_t deadline,
		  struct error *err);

/* Into a directory. */
bool follow_save(struct session *s, const char *dir, int64_t deadline, struct error *err);

#endif
