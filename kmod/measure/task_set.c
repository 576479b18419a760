// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_tree.c - see process_tree.h.
 *
 * The static tracepoint task_newtask sees each new task.  sched_process_fork does not see the workers of io_uring and
 * vhost.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "kmod/base/ktrace.h"
#include "kmod/text/event.h"
#include "kmod/measure/process_tree.h"

/* Runs in the creator of the task.  Id 0 belongs to the idle tasks, which come with their CPUs. */
static void on_newtask(void *data, struct task_struct *task)
{
	struct kt_process_tree *tree = data;

	if (!task->pid)
		return;
	if (kt_process_tree_has_current(tree))
		set_bit(task->pid, tree->members);
	else
		clear_bit(task->pid, tree->members);
}
NOKPROBE_SYMBOL(on_newtask);

static void on_exec(void *data, struct task_struct *task)
{
	struct kt_process_tree *tree = data;

	if (task->pid != READ_ONCE(tree->awaited))
		return;
	set_bit(task->pid, tree->members);
	WRITE_ONCE(tree->awaited, 0);
}
NOKPROBE_SYMBOL(on_exec);

/* -------------------------------------------------------------- create and free */

static int follow(struct kt_process_tree *tree)
{
	int err;

	tree->newtask = kt_event_named("task_newtask");
	tree->exec = kt_event_named("sched_process_exec");
	if (!tree->newtask || !tree->exec)
		return -EOPNOTSUPP;
	err = tracepoint_probe_register(tree->newtask, on_newtask, tree);
	if (err)
		return err;
	err = tracepoint_probe_register(tree->exec, on_exec, tree);
	if (err) {
		tracepoint_probe_unregister(tree->newtask, on_newtask, tree);
		tracepoint_synchronize_unregister();
	}
	return err;
}

int kt_process_tree_create(struct kt_process_tree **out)
{
	struct kt_process_tree *tree = kzalloc(sizeof(*tree), GFP_KERNEL);
	int err = -ENOMEM;

	if (!tree)
		return err;
	kref_init(&tree->users);
	tree->members = kvcalloc(BITS_TO_LONGS(PID_MAX_LIMIT), sizeof(long), GFP_KERNEL);
	if (!tree->members)
		goto free_tree;
	err = follow(tree);
	if (err)
		goto free_members;
	*out = tree;
	return 0;

free_members:
	kvfree(tree->members);
free_tree:
	kfree(tree);
	return err;
}

static void tree_free(struct kref *users)
{
	struct kt_process_tree *tree = container_of(users, struct kt_process_tree, users);

	tracepoint_probe_unregister(tree->exec, on_exec, tree);
	tracepoint_probe_unregister(tree->newtask, on_newtask, tree);
	tracepoint_synchronize_unregister();
	kvfree(tree->members);
	kfree(tree);
}

struct kt_process_tree *kt_process_tree_get(struct kt_process_tree *tree)
{
	kref_get(&tree->users);
	return tree;
}

void kt_process_tree_put(struct kt_process_tree *tree)
{
	if (tree)
		kref_put(&tree->users, tree_free);
}

int kt_process_tree_add(struct kt_process_tree *tree, pid_t number, bool at_exec)
{
	struct pid *pid = find_get_pid(number);
	pid_t global;

	if (!pid)
		return -ESRCH;
	global = pid_nr(pid);
	put_pid(pid);
	if (!global)
		return -ESRCH;
	if (at_exec)
		WRITE_ONCE(tree->awaited, global);
	else
		set_bit(global, tree->members);
	return 0;
}
