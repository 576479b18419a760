// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk.c - the walk over all tasks, and the buffer.  See dump.h.
 *
 * Why the walk misses nobody: it visits the ids of the initial pid namespace in rising order, and every task has such
 * an id from its fork until its parent has waited for it.  So a task that lives from the first to the last step is
 * there when the walk comes to its id, however long the walk takes and whatever other tasks do.  Only one thing
 * changes an id: a thread that executes a program takes over the id of its process, and its own id ends.  Then the
 * process has a task under its id all the time, too.
 *
 * Why it misses no object (a table of open files, or an address space) although it skips tasks that share one: it skips
 * a task only if it has met the same object before, in the same process.  A task gets another object only when this is
 * made, by unshare(2) or by executing a program.  So the object has not changed since it was met.
 *
 * A step holds RCU for the look-up of one task, which passes at most STEPS ids without a task.
 */
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/dcache.h>
#include <linux/err.h>

#include "kmod/base/ktrace.h"
#include "kmod/state/dump.h"

#define STEPS	256	/* ids without a task (of process groups and sessions) passed in one step */
#define VISITS	1024	/* steps of one call */

/* ------------------------------------------------------------- the buffer */

void kt_dump_add(struct kt_dump *dump, const void *fields, size_t size, const char *name)
{
	const size_t name_len = name ? strlen(name) + 1 : 0;
	u8 *to = dump->buf + dump->len;
	struct kt_state_head *head = (struct kt_state_head *)to;

	memcpy(to, fields, size);
	memcpy(to + size, name ?: "", name_len);
	head->len = ALIGN(size + name_len, 8);
	dump->len += head->len;
	dump->nr++;
}

const char *kt_dump_path(struct kt_dump *dump, const struct path *path)
{
	const char *text = d_path(path, dump->path, sizeof(dump->path));

	return IS_ERR(text) ? "" : text;
}

/* --------------------------------------------------------------- the walk */

bool kt_walk_over(const struct kt_walk *walk)
{
	return walk->pid > PID_MAX_LIMIT;
}

/* idr_get_next() is what the kernel's find_ge_pid() calls, which not every kernel exports. */
struct task_struct *kt_walk_next(struct kt_walk *walk)
{
	struct task_struct *task = NULL;
	struct pid *pid;
	int id, i;

	for (i = 0; i < STEPS && !task && !kt_walk_over(walk); i++) {
		id = walk->pid;
		pid = idr_get_next(&init_pid_ns.idr, &id);
		task = pid ? pid_task(pid, PIDTYPE_PID) : NULL;
		walk->pid = !pid ? KT_WALK_DONE : task ? id : id + 1;
	}
	return task;
}

/*
 * Does the walk continue or begin to read this task's object?  No, if it has none, or has met it before: as the last
 * object, or at the first thread of the process.  Under rcu_read_lock().
 */
static bool enter(struct kt_walk *walk, const struct task_struct *task, u64 (*id)(const struct task_struct *task))
{
	const struct task_struct *leader = task->group_leader;
	const u64 object = id(task), tgid = task_tgid_nr((struct task_struct *)task);

	if (!object)
		return false;
	if (walk->object == object && walk->tgid == tgid)
		return walk->at != KT_WALK_DONE;
	if (leader != task && id(leader) == object && task_pid_nr((struct task_struct *)leader) < walk->pid)
		return false;
	*walk = (struct kt_walk){ .pid = walk->pid, .tgid = tgid, .object = object };
	return true;
}

/* The next task whose object is to be read, with a reference.  NULL: the walk has moved on, or is over. */
static struct task_struct *next_with_object(struct kt_walk *walk, u64 (*id)(const struct task_struct *task))
{
	struct task_struct *task;

	rcu_read_lock();
	task = kt_walk_next(walk);
	if (task && enter(walk, task, id)) {
		get_task_struct(task);
	} else if (task) {
		walk->pid++;
		task = NULL;
	}
	rcu_read_unlock();
	return task;
}

/* One batch after the other, until the object is complete. */
static int read_object(struct kt_dump *dump, struct task_struct *task,
		       int (*read_batch)(struct kt_dump *dump, struct task_struct *task))
{
	int err = 0;

	while (!err && dump->walk.at != KT_WALK_DONE) {
		err = fatal_signal_pending(current) ? -EINTR : read_batch(dump, task);
		cond_resched();
	}
	return err;
}

int kt_walk_objects(struct kt_dump *dump, u64 (*id)(const struct task_struct *task),
		    int (*read_batch)(struct kt_dump *dump, struct task_struct *task))
{
	struct kt_walk *walk = &dump->walk;
	struct task_struct *task;
	int i, err;

	for (i = 0; i < VISITS && !kt_walk_over(walk); i++) {
		task = next_with_object(walk, id);
		if (task) {
			err = read_object(dump, task, read_batch);
			put_task_struct(task);
			if (err)
				return err;
			walk->pid++;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return kt_walk_over(walk) ? 0 : -EAGAIN;
}
