// SPDX-License-Identifier: GPL-2.0-only
/* quiesce.c - see quiesce.h. */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/quiesce.h"

static void nothing(struct work_struct *work)
{
}

static DEFINE_PER_CPU(struct work_struct, pass);
static DEFINE_MUTEX(pass_lock);

static cpumask_t passed;	/* this and `pass` under pass_lock */

/*
 * Run a work item on each CPU.  schedule_on_each_cpu() does the same, but needs memory and holds cpus_read_lock() while
 * it waits: then CPU hotplug would wait for this function, and patchers of text would wait for CPU hotplug.  If a CPU
 * goes offline meanwhile, another CPU runs its work item (kernel/workqueue.c, workqueue_offline_cpu()), after a thread
 * has run on the CPU that went.
 */
static void pass_each_cpu(void)
{
	unsigned int cpu;

	mutex_lock(&pass_lock);
	cpus_read_lock();
	cpumask_copy(&passed, cpu_online_mask);
	for_each_cpu(cpu, &passed) {
		INIT_WORK(per_cpu_ptr(&pass, cpu), nothing);
		schedule_work_on(cpu, per_cpu_ptr(&pass, cpu));
	}
	cpus_read_unlock();
	for_each_cpu(cpu, &passed)
		flush_work(per_cpu_ptr(&pass, cpu));
	mutex_unlock(&pass_lock);
}

/*
 * A task can be preempted in a slot, and returns to it later, but it cannot sleep there.  RCU-tasks waits until each
 * task has slept or left the kernel.  (In kernels without preemption RCU-tasks is RCU.)  RCU-tasks does not wait for
 * idle tasks, but they are not preempted: a CPU that executes a slot right now, in whatever context, has left it when
 * a work item has run on that CPU.
 */
void kt_quiesce(void)
{
	synchronize_rcu_tasks();
	pass_each_cpu();
}
