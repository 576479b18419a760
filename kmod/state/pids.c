// SPDX-License-Identifier: GPL-2.0-only
/*
 * pids.c - KT_STATE_PIDS: the numbers of every thread in its pid namespace and in all namespaces around it.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/state/dump.h"

/* create_pid_namespace() in kernel/pid_namespace.c makes none deeper than MAX_PID_NS_LEVEL. */
#define MOST_LEVELS	(MAX_PID_NS_LEVEL + 1)

/* Under rcu_read_lock(), which protects the task and its namespaces. */
static void add_level(struct kt_dump *dump, struct task_struct *task, struct pid_namespace *ns)
{
	const struct kt_state_pids entry = {
		.head = { .pid = dump->walk.pid, .time = kt_clock_now() },
		.vtid = task_pid_nr_ns(task, ns),
		.vpid = task_tgid_nr_ns(task, ns),
		.vppid = task_tgid_nr_ns(rcu_dereference(task->real_parent), ns),
		.level = ns->level,
		.ns = ns->ns.inum,
	};

	kt_dump_add(dump, &entry, sizeof(entry), NULL);
}

/* The levels of the next task, the innermost first.  False: none of the next ids has a task. */
static bool add_next(struct kt_dump *dump)
{
	struct task_struct *task;
	struct pid_namespace *ns;

	rcu_read_lock();
	task = kt_walk_next(&dump->walk);
	/* A task that has ended has no namespace any more. */
	for (ns = task ? task_active_pid_ns(task) : NULL; ns; ns = ns->parent)
		add_level(dump, task, ns);
	rcu_read_unlock();
	return task;
}

int kt_state_pids(struct kt_dump *dump)
{
	while (kt_dump_fits(dump, MOST_LEVELS * sizeof(struct kt_state_pids))) {
		if (add_next(dump))
			dump->walk.pid++;
		else if (kt_walk_over(&dump->walk))
			return 0;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return -EAGAIN;
}
