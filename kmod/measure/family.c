// SPDX-License-Identifier: GPL-2.0-only
/*
 * family.c - see family.h.
 *
 * task_newtask is called for whatever is created, sched_process_fork not for the workers
 * of io_uring and vhost.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "kmod/base/ktrace.h"
#include "kmod/text/event.h"
#include "kmod/measure/family.h"

/* Called by the creator.  Idle tasks, which come with a CPU, all have the id 0. */
static void on_newtask(void *data, struct task_struct *task)
{
	struct kt_family *family = data;

	if (!task->pid)
		return;
	if (kt_family_has_current(family))
		set_bit(task->pid, family->members);
	else
		clear_bit(task->pid, family->members);
}
NOKPROBE_SYMBOL(on_newtask);

static void on_exec(void *data, struct task_struct *task)
{
	struct kt_family *family = data;

	if (task->pid != READ_ONCE(family->awaited))
		return;
	set_bit(task->pid, family->members);
	WRITE_ONCE(family->awaited, 0);
}
NOKPROBE_SYMBOL(on_exec);

/* ----------------------------------------------------------- from first to last */

static int follow(struct kt_family *family)
{
	int err;

	family->newtask = kt_event_named("task_newtask");
	family->exec = kt_event_named("sched_process_exec");
	if (!family->newtask || !family->exec)
		return -EOPNOTSUPP;
	err = tracepoint_probe_register(family->newtask, on_newtask, family);
	if (err)
		return err;
	err = tracepoint_probe_register(family->exec, on_exec, family);
	if (err) {
		tracepoint_probe_unregister(family->newtask, on_newtask, family);
		tracepoint_synchronize_unregister();
	}
	return err;
}

int kt_family_create(struct kt_family **out)
{
	struct kt_family *family = kzalloc(sizeof(*family), GFP_KERNEL);
	int err = -ENOMEM;

	if (!family)
		return err;
	kref_init(&family->users);
	family->members = kvcalloc(BITS_TO_LONGS(PID_MAX_LIMIT), sizeof(long), GFP_KERNEL);
	if (!family->members)
		goto free_family;
	err = follow(family);
	if (err)
		goto free_members;
	*out = family;
	return 0;

free_members:
	kvfree(family->members);
free_family:
	kfree(family);
	return err;
}

static void family_free(struct kref *users)
{
	struct kt_family *family = container_of(users, struct kt_family, users);

	tracepoint_probe_unregister(family->exec, on_exec, family);
	tracepoint_probe_unregister(family->newtask, on_newtask, family);
	tracepoint_synchronize_unregister();
	kvfree(family->members);
	kfree(family);
}

struct kt_family *kt_family_get(struct kt_family *family)
{
	kref_get(&family->users);
	return family;
}

void kt_family_put(struct kt_family *family)
{
	if (family)
		kref_put(&family->users, family_free);
}

int kt_family_add(struct kt_family *family, pid_t number, bool at_exec)
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
		WRITE_ONCE(family->awaited, global);
	else
		set_bit(global, family->members);
	return 0;
}
