/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - who may change the table, and for how long others wait.
 *
 * Two locks.  kt_change_lock is held from the beginning to the end of a change (a call that sets or deletes, a
 * module that goes, a file that is closed, a worker), so changes come one behind the other and each finds the
 * others done or not begun.  Only those who change something wait for it.
 *
 * kt_table_lock is held besides for a turn of at most KT_TURN sites, and the text lock with it where text is read
 * or patched: who lists tracepoints or reads text takes only these, and the kernel's own patching (jump labels,
 * ftrace, kprobes), CPU hotplug and loading of modules get in between two turns.  Sites, consumers and their
 * lists are changed under both locks: either of them is enough to look at them.
 *
 * Order: kt_change_lock, kt_table_lock, the text lock.  Nobody waits for RCU-tasks under any of them.
 */
#ifndef KTRACE_CHANGE_H
#define KTRACE_CHANGE_H

#include <linux/bug.h>
#include <linux/debug_locks.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/types.h>

/* Sites for each hold of the table's and the text lock. */
#define KT_TURN		128

extern struct mutex kt_change_lock;
extern struct mutex kt_table_lock;

/* Either of them is enough to look at the table.  Without lockdep in the kernel this is nothing. */
static inline void kt_assert_change_or_table(void)
{
#ifdef CONFIG_LOCKDEP	/* Linux 5.10 does not declare lockdep_is_held() without it */
	WARN_ON_ONCE(debug_locks && !lockdep_is_held(&kt_change_lock) && !lockdep_is_held(&kt_table_lock));
#endif
}

/* -EINTR: the caller was killed while others changed something; nothing is locked. */
int kt_change_begin(void);
void kt_change_begin_now(void);		/* cannot be killed */
void kt_change_end(void);

/* What KT_IOC_STATUS tells meanwhile: so many of so many sites are done. */
void kt_change_expect(u32 of);
void kt_change_done(u32 n);
void kt_change_progress(u32 *done, u32 *of);

struct kt_turn {
	bool text;
	u32 n;
};

/* Both locks, or without `text` only the table's, for the next few sites.  Under kt_change_lock. */
struct kt_turn kt_turn_begin(bool text);
/* One more site is done: after the last one of a turn others get at the locks. */
void kt_turn_next(struct kt_turn *turn);
void kt_turn_end(const struct kt_turn *turn);

/*
 * A walk along a list of the table that goes on where it was, though the lock is left and entries come and go
 * meanwhile.  All of it under kt_table_lock; `at` is what comes next.
 */
struct kt_walk {
	struct list_head walks;
	struct list_head *at;
};

void kt_walk_begin(struct kt_walk *walk, struct list_head *list);
void kt_walk_end(struct kt_walk *walk);
/* Taken off its list, by whatever walks are there. */
void kt_walk_leave(struct list_head *entry);

#endif
