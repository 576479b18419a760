/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.h - follow the records as they arrive: the common part of all commands that do so. */
#ifndef KTRACE_FOLLOW_H
#define KTRACE_FOLLOW_H

#include "ctl/live/session/session.h"

/* The receiver of arriving records. */
struct follower {
	/* Use the snapshot, which is not empty, and clear it. */
	bool (*take)(struct session *s, void *arg, struct snapshot *snap, struct error *err);
	void *arg;
	/* Called each second, and once more at the end; NULL: nothing is. */
	bool (*each_second)(struct session *s, void *arg, struct error *err);
	bool until_frozen;	/* end when recording has stopped (FREEZE) */
	bool files;		/* it prefers many records at a time; on Ctrl-C it takes all records until then */
};

/* Follow until Ctrl-C, until now_ms() reaches deadline (-1: never), or as the follower wants. */
bool follow_until(struct session *s, const struct follower *follower, int64_t deadline,
		  struct error *err);

#endif
