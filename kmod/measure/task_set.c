// SPDX-License-Identifier: GPL-2.0-only
/*
 * task_set.c - see task_set.h.
 *
 * The static tracepoint task_newtask sees each new task.  sched_process_fork does not see the workers of io_uring and
 * vhost.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/memory.h"
#include "kmod/text/event.h"
#include "kmod/measure/task_rule.h"
#include "kmod/measure/task_set.h"

/* Runs in the creator of the task.  Id 0 belongs to the idle tasks, which come with their CPUs. */
static void on_newtask(void *data, struct task_struct *task)
{
	struct kt_task_set *set = data;

	if (!task->pid)
		return;
	if (kt_task_set_has_current(set))
		set_bit(task->pid, set->members);
	else
		clear_bit(task->pid, set->members);
}
NOKPROBE_SYMBOL(on_newtask);

static void on_exec(void *data, struct task_struct *task)
{
	struct kt_task_set *set = data;

	if (task->pid != READ_ONCE(set->awaited))
		return;
	set_bit(task->pid, set->members);
	WRITE_ONCE(set->awaited, 0);
}
NOKPROBE_SYMBOL(on_exec);

int kt_task_argument(const char *event)
{
	static const struct {
		const char *event;
		int argument;
	} rows[] = {
		{ "sched_switch", 2 }, { "sched_waking", 0 }, { "sched_wakeup", 0 }, { "sched_wakeup_new", 0 },
		{ "sched_migrate_task", 0 }, { "signal_generate", 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].event, event))
			return rows[i].argument;
	return -1;
}

/* -------------------------------------------------------------- create and free */

static int follow(struct kt_task_set *set)
{
	struct tracepoint *newtask = kt_event_named("task_newtask"), *exec = kt_event_named("sched_process_exec");
	int err;

	if (!newtask || !exec)
		return -EOPNOTSUPP;
	err = tracepoint_probe_register(newtask, on_newtask, set);
	if (err)
		return err;
	err = tracepoint_probe_register(exec, on_exec, set);
	if (err) {
		tracepoint_probe_unregister(newtask, on_newtask, set);
		tracepoint_synchronize_unregister();
		return err;
	}
	set->newtask = newtask;
	set->exec = exec;
	return 0;
}

static void unfollow(struct kt_task_set *set)
{
	if (!set->newtask)
		return;
	tracepoint_probe_unregister(set->exec, on_exec, set);
	tracepoint_probe_unregister(set->newtask, on_newtask, set);
	tracepoint_synchronize_unregister();
}

static void set_free(struct kref *users)
{
	struct kt_task_set *set = container_of(users, struct kt_task_set, users);

	unfollow(set);
	kt_rules_free(set->rules, set->nr_rules);
	vfree(set->members);
	kfree(set);
}

static struct kt_task_set *set_alloc(void)
{
	struct kt_task_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;
	kref_init(&set->users);
	set->members = kt_memory_alloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long), 0);
	if (!set->members) {
		kfree(set);
		return NULL;
	}
	return set;
}

int kt_task_set_create(struct kt_task_set **out)
{
	struct kt_task_set *set = set_alloc();
	int err;

	if (!set)
		return -ENOMEM;
	err = follow(set);
	if (err)
		kt_task_set_put(set);
	else
		*out = set;
	return err;
}

struct kt_task_set *kt_task_set_get(struct kt_task_set *set)
{
	kref_get(&set->users);
	return set;
}

void kt_task_set_put(struct kt_task_set *set)
{
	if (set)
		kref_put(&set->users, set_free);
}

int kt_task_set_add(struct kt_task_set *set, pid_t number, bool at_exec)
{
	struct pid *pid;
	pid_t global;

	if (set->nr_rules)
		return -EBUSY;
	pid = find_get_pid(number);
	if (!pid)
		return -ESRCH;
	global = pid_nr(pid);
	put_pid(pid);
	if (!global)
		return -ESRCH;
	if (at_exec)
		WRITE_ONCE(set->awaited, global);
	else
		set_bit(global, set->members);
	return 0;
}

/* ----------------------------------------------------------- descendants of now */

/* Is a parent of the task, or one further up, in the set?  Under rcu_read_lock(). */
static bool descends(const struct kt_task_set *set, const struct task_struct *task)
{
	const struct task_struct *at = task->group_leader;

	for (; at->pid; at = rcu_dereference(at->real_parent)->group_leader)
		if (kt_task_set_has(set, at))
			return true;
	return false;
}

/* Take in the next task with an id of at least *id, if it is a descendant.  False: there are no more tasks. */
static bool adopt_next(struct kt_task_set *set, int *id, bool *adopted)
{
	struct task_struct *task;
	struct pid *pid;

	rcu_read_lock();
	pid = idr_get_next(&init_pid_ns.idr, id);
	task = pid ? pid_task(pid, PIDTYPE_PID) : NULL;
	if (task && !kt_task_set_has(set, task) && descends(set, task)) {
		set_bit(task->pid, set->members);
		*adopted = true;
	}
	rcu_read_unlock();
	return pid;
}

/*
 * Take in the present descendants.  A task that is created meanwhile gets the bit of its creator, but this may not have
 * its own bit yet; then the next round takes the task in.
 */
static int adopt(struct kt_task_set *set)
{
	bool adopted = true;
	int id;

	while (adopted) {
		adopted = false;
		for (id = 1; adopt_next(set, &id, &adopted); id++) {
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

int kt_task_set_of_rules(const struct kt_tasks *arg, struct kt_task_set **out)
{
	struct kt_task_set *set = set_alloc();
	int err;

	if (!set)
		return -ENOMEM;
	err = kt_rules_copy(arg, &set->rules);
	if (!err)
		set->nr_rules = arg->nr;
	if (!err && arg->flags & KT_TASKS_CHILDREN)
		err = follow(set) ?: adopt(set);
	if (err)
		kt_task_set_put(set);
	else
		*out = set;
	return err;
}
