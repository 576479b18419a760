/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_follow.h - the common part of following: on the screen (cmd_print.c) and into a directory (cmd_save.c). */
#ifndef KTRACE_CMD_FOLLOW_H
#define KTRACE_CMD_FOLLOW_H

#include "ctl/session/session.h"

/* The receiver of arriving records. */
struct follower {
	/* Use the snapshot, which is not empty, and clear it. */
	bool (*take)(struct session *s, void *arg, struct snapshot *snap, struct error *err);
	void *arg;
	bool files;		/* it prefers many records at a time; on Ctrl-C it takes all records until then */
};

/* Follow until Ctrl-C, or until now_ms() reaches deadline (-1: never). */
bool follow_until(struct session *s, const struct follower *follower, int64_t deadline,
		  struct error *err);

/* Follow into a directory. */
bool follow_save(struct session *s, const char *dir, int64_t deadline, struct error *err);

#endif
