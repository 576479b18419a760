// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - KT_STATE_TASKS: every thread.  All of an entry but the mount namespace is read in one RCU section, in which
 * the task was found under its id.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/ipc_namespace.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/time_namespace.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/base/ksym.h"
#include "kmod/compat/compat.h"
#include "kmod/state/dump.h"

/* By the letter of the state; a letter that is not here is KT_STATUS_UNNAMED. */
static const struct {
	char state;
	u8 status;
} statuses[] = {
	{ 'S', KT_STATUS_WAIT }, { 'D', KT_STATUS_WAIT }, { 'I', KT_STATUS_WAIT },
	{ 'Z', KT_STATUS_ZOMBIE }, { 'X', KT_STATUS_DEAD },
};

/* Every class of the scheduler adds to this sum when a task leaves the CPU. */
static bool has_run(const struct task_struct *task)
{
	return kt_task_on_cpu(task) || READ_ONCE(task->se.sum_exec_runtime);
}

static u8 status_of(const struct task_struct *task, char state)
{
	size_t i;

	if (state == 'R')
		return has_run(task) ? KT_STATUS_WAIT_CPU : KT_STATUS_WAIT_FORK;
	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].state == state)
			return statuses[i].status;
	return KT_STATUS_UNNAMED;
}

static u32 flags_of(const struct task_struct *task)
{
	const unsigned int flags = READ_ONCE(task->flags);

	return (flags & PF_KTHREAD ? KT_TASK_KERNEL : 0) | (flags & PF_EXITING ? KT_TASK_EXITING : 0) |
	       (kt_task_on_cpu(task) ? KT_TASK_ON_CPU : 0) | (task->in_iowait ? KT_TASK_IOWAIT : 0);
}

/* Under rcu_read_lock(). */
static u64 cgroup_of(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(task));
#else
	return 0;
#endif
}

/* A kernel without network, message queues or the like has no namespace of that kind, not even an initial one. */
#define NS_NUMBER(namespace)	((namespace) ? (namespace)->ns.inum : 0)

static void read_proxy(u32 *ns, const struct nsproxy *proxy)
{
	ns[KT_NS_NET] = NS_NUMBER(proxy->net_ns);
	ns[KT_NS_UTS] = NS_NUMBER(proxy->uts_ns);
	ns[KT_NS_IPC] = NS_NUMBER(proxy->ipc_ns);
	ns[KT_NS_TIME] = NS_NUMBER(proxy->time_ns);
#ifdef CONFIG_CGROUPS
	ns[KT_NS_CGROUP] = NS_NUMBER(proxy->cgroup_ns);
#endif
}

/* All but the mount namespace.  Under rcu_read_lock(); task_lock() protects task->nsproxy. */
static void read_namespaces(u32 *ns, struct task_struct *task)
{
	const struct pid_namespace *pid_ns = task_active_pid_ns(task);

	ns[KT_NS_USER] = __task_cred(task)->user_ns->ns.inum;
	ns[KT_NS_PID] = NS_NUMBER(pid_ns);
	task_lock(task);
	if (task->nsproxy)
		read_proxy(ns, task->nsproxy);
	task_unlock(task);
}

/*
 * The kernel's headers do not tell what a mount namespace consists of: ask the functions behind /proc/PID/ns/mnt.  The
 * second may sleep.
 */
static u32 mount_namespace(struct task_struct *task)
{
	struct ns_common *ns;
	u32 inum;

	if (!kt_have(mntns_get) || !kt_have(mntns_put))
		return 0;
	ns = kt_mntns_get(task);
	if (!ns)
		return 0;
	inum = ns->inum;
	kt_mntns_put(ns);
	return inum;
}

/* Under rcu_read_lock(). */
static void read_ids(struct kt_state_task *out, struct task_struct *task)
{
	const struct cred *cred = __task_cred(task);

	out->tgid = task_tgid_nr(task);
	out->ppid = task_ppid_nr(task);
	out->pgrp = task_pgrp_nr_ns(task, &init_pid_ns);
	out->session = task_session_nr_ns(task, &init_pid_ns);
	out->uid = __kuid_val(cred->uid);
	out->gid = __kgid_val(cred->gid);
	out->cgroup = cgroup_of(task);
	read_namespaces(out->ns, task);
}

/* Under rcu_read_lock(). */
static void read_task(struct kt_state_task *out, struct task_struct *task, int pid)
{
	/* The time first: the trace has all that happens later. */
	*out = (struct kt_state_task){ .head = { .pid = pid, .time = kt_clock_now() } };
	out->state = task_state_to_char(task);
	out->status = status_of(task, out->state);
	out->flags = flags_of(task);
	out->cpu = task_cpu(task);
	out->policy = task->policy;
	out->prio = task->prio;
	out->start = task->start_boottime;
	out->files = (unsigned long)READ_ONCE(task->files);
	out->memory = (unsigned long)READ_ONCE(task->mm);
	strscpy(out->name, task->comm, sizeof(out->name));
	read_ids(out, task);
}

/* The next task, with a reference.  NULL: none of the next ids has one. */
static struct task_struct *read_next(struct kt_walk *walk, struct kt_state_task *out)
{
	struct task_struct *task;

	rcu_read_lock();
	task = kt_walk_next(walk);
	if (task) {
		read_task(out, task, walk->pid);
		get_task_struct(task);
	}
	rcu_read_unlock();
	return task;
}

int kt_state_tasks(struct kt_dump *dump)
{
	struct kt_state_task entry;
	struct task_struct *task;

	while (kt_dump_fits(dump, sizeof(entry))) {
		task = read_next(&dump->walk, &entry);
		if (task) {
			entry.ns[KT_NS_MNT] = mount_namespace(task);
			put_task_struct(task);
			kt_dump_add(dump, &entry, sizeof(entry), NULL);
			dump->walk.pid++;
		} else if (kt_walk_over(&dump->walk)) {
			return 0;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return -EAGAIN;
}
