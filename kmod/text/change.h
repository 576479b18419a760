/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - the two locks of the table of sites.
 *
 * kt_change_lock serialises changes.  A change is a call that sets or deletes, a module that is unloaded, a file
 * that is closed, or a worker; it holds the lock from its beginning to its end.  Only changes take this lock.
 *
 * kt_table_lock protects the lists of sites and consumers.  A change takes it for a turn of at most KT_TURN sites,
 * and the text lock with it where it reads or patches text.  Between two turns others get the locks: readers that
 * list tracepoints or read text, the kernel's own patching (jump labels, ftrace, kprobes), CPU hotplug, and the
 * loading of modules.  A change modifies the lists under both locks, so a reader needs only one of them.
 *
 * Lock order: kt_change_lock, kt_table_lock, the text lock.  Do not wait for RCU-tasks under any of them.
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

/* Take kt_change_lock.  -EINTR: the caller was killed while it waited; the lock is not held then. */
int kt_change_begin(void);
void kt_change_begin_now(void);		/* cannot be killed */
void kt_change_end(void);

/* Progress of the change for KT_IOC_STATUS: how many of how many sites are done. */
void kt_change_expect(u32 of);
void kt_change_done(u32 n);
void kt_change_progress(u32 *done, u32 *of);

struct kt_turn {
	bool text;
	u32 n;
};

/* Take the table lock, and with `text` the text lock, for the next turn.  Under kt_change_lock. */
struct kt_turn kt_turn_begin(bool text);
/* One more site is done.  After the last site of a turn, release the locks and take them again. */
void kt_turn_next(struct kt_turn *turn);
void kt_turn_end(const struct kt_turn *turn);

/*
 * A walk along a list of the table.  The walker may release kt_table_lock between two steps: entries that are added
 * or removed meanwhile do not disturb it.  `at` is the next entry.  Call these functions under kt_table_lock.
 */
struct kt_walk {
	struct list_head walks;
	struct list_head *at;
};

void kt_walk_begin(struct kt_walk *walk, struct list_head *list);
void kt_walk_end(struct kt_walk *walk);
/* Remove an entry from its list, and move each walk that stands at it to the next entry. */
void kt_walk_leave(struct list_head *entry);

#endif
