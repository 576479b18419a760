// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare.c - a thread without the namespaces that no task has in a kernel without message queues, network or time namespaces.
 * Nobody else may ask for them: the files in /proc/PID/ns of this thread would crash the kernel.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/nsproxy.h>
#include <linux/sched/task.h>

#include "truth.h"

static struct task_struct *thread;
static DECLARE_COMPLETION(is_bare);

static void set_namespaces(struct nsproxy *proxy)
{
	task_lock(current);
	current->nsproxy = proxy;
	task_unlock(current);
}

static int be_bare(void *unused)
{
	struct nsproxy *before = current->nsproxy, bare = *before;

	bare.ipc_ns = NULL;
	bare.net_ns = NULL;
	bare.time_ns = NULL;
	bare.time_ns_for_children = NULL;
	set_namespaces(&bare);
	complete(&is_bare);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	set_namespaces(before);
	return 0;
}

int ktruth_bare(void)
{
	struct task_struct *made;

	if (thread)
		return -EEXIST;
	made = kthread_run(be_bare, NULL, "ktruth_bare");
	if (IS_ERR(made))
		return PTR_ERR(made);
	thread = made;
	wait_for_completion(&is_bare);
	return 0;
}

void ktruth_bare_exit(void)
{
	if (thread)
		kthread_stop(thread);
}
