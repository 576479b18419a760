/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_tree.h - a process and all that descend from it: threads, children,
 * those that were daemonised or whose parent is gone.
 *
 * A bit for each process id.  Every new task gets the bit of the one that creates it before it
 * runs, so that an id that is used again needs no clearing when the first task with it ends, and nothing
 * is lost of what a task does on its way out.
 */
#ifndef KTRACE_PROCESS_TREE_H
#define KTRACE_PROCESS_TREE_H

#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/threads.h>

struct tracepoint;

struct kt_process_tree {
	unsigned long *members;		/* [PID_MAX_LIMIT] bits: whatever pid_max becomes */
	struct kref users;		/* the client, and descriptors that look at it */
	pid_t awaited;			/* becomes a member when it executes a program, 0: nobody */
	struct tracepoint *newtask, *exec;	/* of the kernel, where we are called */
};

/* Nobody's yet.  -ENOMEM, -EOPNOTSUPP: this kernel has not the static tracepoints that it takes.  Sleepable. */
int kt_process_tree_create(struct kt_process_tree **out);
struct kt_process_tree *kt_process_tree_get(struct kt_process_tree *tree);
/* The last one frees it, when nobody looks at it any more.  NULL is allowed.  Sleepable. */
void kt_process_tree_put(struct kt_process_tree *tree);

/*
 * The process with that id, as the caller sees ids, is one of it: now, or from when it
 * executes a program.  -ESRCH.
 */
int kt_process_tree_add(struct kt_process_tree *tree, pid_t pid, bool at_exec);

/* Is the current task one of it?  Any context. */
static __always_inline bool kt_process_tree_has_current(const struct kt_process_tree *tree)
{
	return test_bit(current->pid, tree->members);
}

#endif
