/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_tree.h - a process and all its descendants: threads and children, also after their parent is gone
 * (daemons).
 *
 * The tree has one bit for each process id.  Each new task gets the bit of its creator before it runs.  So nothing
 * clears the bit when a task exits: its last instructions still belong to the tree, and a new task with the same id
 * gets its bit anew.
 */
#ifndef KTRACE_PROCESS_TREE_H
#define KTRACE_PROCESS_TREE_H

#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/threads.h>

struct tracepoint;

struct kt_process_tree {
	unsigned long *members;		/* [PID_MAX_LIMIT] bits: enough for any value of pid_max */
	struct kref users;		/* the client, and descriptors that use the tree */
	pid_t awaited;			/* this task joins when it executes a program; 0: none */
	struct tracepoint *newtask, *exec;	/* static tracepoints of the kernel that call the tree */
};

/*
 * Create an empty tree; the caller owns the reference.  -ENOMEM; -EOPNOTSUPP: this kernel lacks a static tracepoint
 * that the tree needs; other errors of tracepoint_probe_register().  Sleepable.
 */
int kt_process_tree_create(struct kt_process_tree **out);
struct kt_process_tree *kt_process_tree_get(struct kt_process_tree *tree);
/* Drop a reference; no hit can use the tree through its holder any more.  NULL is allowed.  Sleepable. */
void kt_process_tree_put(struct kt_process_tree *tree);

/*
 * Add the task with this id in the caller's pid namespace: now, or with at_exec when it executes a program.  Only one
 * task can wait for its exec at a time.  -ESRCH: there is no such task.  Sleepable, under client->lock.
 */
int kt_process_tree_add(struct kt_process_tree *tree, pid_t pid, bool at_exec);

/* Is the current task a member?  Any context. */
static __always_inline bool kt_process_tree_has_current(const struct kt_process_tree *tree)
{
	return test_bit(current->pid, tree->members);
}

#endif
