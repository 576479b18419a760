/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task_set.h - the tasks in which a tracepoint records: members of a process tree, and tasks that fit rules.
 *
 * A process tree is a process and all its descendants: threads and children, also after their parent is gone (daemons).
 * It has one bit for each process id.  Each new task gets the bit of its creator before it runs.  So nothing clears the
 * bit when a task exits: its last instructions still belong to the tree, and a new task with the same id gets its bit
 * anew.
 *
 * Rules compare properties of the task at the moment of the hit.  Nothing is remembered, so a change (setuid(2),
 * setpgid(2), a move to another cgroup, also by another task on another CPU) counts from the next hit on, and a hit in
 * the middle of a switch belongs to `current`, the task that is switched out.
 */
#ifndef KTRACE_TASK_SET_H
#define KTRACE_TASK_SET_H

#include <linux/bitops.h>
#include <linux/kref.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "core/ktrace_abi.h"

struct cgroup;
struct tracepoint;

struct kt_rule {
	u32 kind;		/* KT_TASK_* */
	union {
		u64 value;	/* ids are those of the initial namespaces */
		char comm[KT_COMM_BYTES];	/* filled up with zeros */
		struct cgroup *cgroup;		/* a reference */
	};
};

struct kt_task_set {
	unsigned long *members;		/* [PID_MAX_LIMIT] bits: enough for any value of pid_max */
	u32 nr_rules;
	struct kt_rule *rules;		/* those of one kind follow each other; they never change */
	struct kref users;		/* the client, and descriptors that use the set */
	pid_t awaited;			/* this task joins when it executes a program; 0: none */
	struct tracepoint *newtask, *exec;	/* static tracepoints of the kernel that call the set; NULL: it has no tree */
};

/*
 * Create an empty tree; the caller owns the reference.  -ENOMEM; -EOPNOTSUPP: this kernel lacks a static tracepoint
 * that the tree needs; other errors of tracepoint_probe_register().  Sleepable.
 */
int kt_task_set_create(struct kt_task_set **out);
/*
 * Create a set of the tasks that fit the rules.  With KT_TASKS_CHILDREN they also begin trees; their present
 * descendants are members.  More errors: those of KT_IOC_TASKS.  Sleepable.
 */
int kt_task_set_of_rules(const struct kt_tasks *arg, struct kt_task_set **out);
struct kt_task_set *kt_task_set_get(struct kt_task_set *set);
/* Drop a reference; no hit can use the set through its holder any more.  NULL is allowed.  Sleepable. */
void kt_task_set_put(struct kt_task_set *set);

/*
 * Add the task with this id in the caller's pid namespace to the tree: now, or with at_exec when it executes a program.
 * Only one task can wait for its exec at a time.  -ESRCH: there is no such task; -EBUSY: the set has rules.  Sleepable,
 * under client->lock.
 */
int kt_task_set_add(struct kt_task_set *set, pid_t pid, bool at_exec);

/* Does the task fit the rules: for each kind that has rules, one of them?  Under RCU, any context. */
bool kt_task_set_fits(const struct kt_task_set *set, const struct task_struct *task);

/* Under RCU, any context. */
static __always_inline bool kt_task_set_has(const struct kt_task_set *set, const struct task_struct *task)
{
	return test_bit(task->pid, set->members) || (set->nr_rules && kt_task_set_fits(set, task));
}

static __always_inline bool kt_task_set_has_current(const struct kt_task_set *set)
{
	return kt_task_set_has(set, current);
}

/*
 * The argument, from 0 on, of the kernel's static tracepoint with this name that is the task which the event is about:
 * the next task of a switch, the task that is woken.  -1: it has none.
 */
int kt_task_argument(const char *event);

#endif
