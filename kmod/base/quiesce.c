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

static cpumask_t passed;	/* under pass_lock, as the work is */

/*
 * As schedule_on_each_cpu(), but that needs memory, and waits with CPU hotplug held off: a CPU that is to go
 * would wait for all that waits here, and whoever patches text for that CPU.  The work of a CPU that goes
 * meanwhile is done elsewhere (kernel/workqueue.c, workqueue_offline_cpu()), when a thread of it has run there.
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
 * A task can be preempted in a slot (it returns to it) but cannot sleep there:
 * RCU-tasks waits until each task has slept or left the kernel.  (Kernels that do not preempt have it as another
 * name of RCU.)  Idle tasks are not preempted; a CPU that is in a slot right now, in whatever context, has
 * left it when a work item has run on it.
 */
void kt_quiesce(void)
{
	synchronize_rcu_tasks();
	pass_each_cpu();
}
