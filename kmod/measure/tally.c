// SPDX-License-Identifier: GPL-2.0-only
/* tally.c - read the counts of a measurement: KT_IOC_TALLY.  See measurement.h. */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/measurement_int.h"

/* Process ids are reused: the thread is gone if the task with its id began at another time. */
static bool gone(u32 number, u64 thread)
{
	const struct task_struct *task;
	bool gone;

	rcu_read_lock();
	task = pid_task(find_pid_ns(number, &init_pid_ns), PIDTYPE_PID);
	gone = !task || task->start_time != thread;
	rcu_read_unlock();
	return gone;
}

/* KT_MEASURE_PROCESS: the thread that began the call is gone, or its id belongs to another process. */
static bool gone_from_process(u32 number, u64 process)
{
	const struct task_struct *task;
	bool gone;

	rcu_read_lock();
	task = pid_task(find_pid_ns(number, &init_pid_ns), PIDTYPE_PID);
	gone = !task || task->group_leader->start_time != process;
	rcu_read_unlock();
	return gone;
}

static void tally_counts(struct kt_measurement *measurement, struct kt_tally *arg)
{
	bool (*const is_gone)(u32 pid, u64 thread) = measurement->process ? gone_from_process : gone;
	unsigned int cpu;

	if (kt_intervals_mark(&measurement->intervals, is_gone)) {
		/* Hits have interrupts off, so after this no hit is in progress that may be closing a marked call. */
		synchronize_rcu();
		measurement->reaped += kt_intervals_reap(&measurement->intervals, is_gone);
	}
	arg->open = kt_intervals_open(&measurement->intervals) + !!READ_ONCE(measurement->latest);
	arg->abandoned = measurement->reaped;
	arg->entered = arg->overflow = arg->unmatched = 0;
	arg->filtered = arg->over_quota = arg->filtered_by_task = arg->turned_away = 0;
	arg->braked = measurement->dropped;
	arg->spanned = measurement->spanned;
	arg->unmeasured = 0;
	for_each_possible_cpu(cpu) {
		const struct kt_measurement_cpu *from = per_cpu_ptr(measurement->cpu, cpu);

		arg->entered += READ_ONCE(from->entered);
		arg->overflow += READ_ONCE(from->overflow);
		arg->abandoned += READ_ONCE(from->abandoned);
		arg->unmatched += READ_ONCE(from->unmatched);
		arg->filtered += READ_ONCE(from->filtered);
		arg->over_quota += READ_ONCE(from->over_quota);
		arg->filtered_by_task += READ_ONCE(from->filtered_by_task);
		arg->turned_away += READ_ONCE(from->braked);
		arg->unmeasured += READ_ONCE(from->unmeasured);
	}
}

static void tally_group(const struct kt_measurement *measurement, struct kt_tally *arg, u32 i, u64 *buckets)
{
	unsigned int cpu;

	kt_samples_clear(&arg->samples);
	for_each_possible_cpu(cpu) {
		struct kt_samples *from = kt_measurement_samples(measurement, per_cpu_ptr(measurement->cpu, cpu), i);

		kt_samples_merge(&arg->samples, from);
		if (buckets)
			kt_buckets_merge(buckets, kt_samples_buckets(from));
	}
}

/* The index of arg->group in the samples of a CPU.  -ENOENT: there is no such group. */
static int group_number(const struct kt_measurement *measurement, struct kt_tally *arg)
{
	if (arg->group == KT_TALLY_ALL)
		return KT_SAMPLES_ALL;
	if (arg->group == KT_TALLY_OTHERS)
		return KT_SAMPLES_OTHERS;
	if (arg->group >= measurement->nr_groups)
		return -ENOENT;
	if (!measurement->lines) {
		if (smp_load_acquire(&measurement->groups[arg->group].state) != KT_GROUP_READY)
			return -ENOENT;
		memcpy(arg->key, measurement->groups[arg->group].key, sizeof(arg->key));
	}
	return KT_SAMPLES_GROUPS + arg->group;
}

static int tally(struct kt_measurement *measurement, struct kt_tally *arg, u64 *buckets)
{
	int i;

	memset(arg->key, 0, sizeof(arg->key));
	arg->nr_groups = measurement->nr_groups;
	i = group_number(measurement, arg);
	if (i < 0)
		return i;
	if (buckets && !kt_measurement_has_buckets(measurement, i))
		return -EINVAL;
	tally_counts(measurement, arg);
	tally_group(measurement, arg, i, buckets);
	arg->changes = READ_ONCE(measurement->changes);
	arg->began = measurement->began;
	arg->ended = READ_ONCE(measurement->ended);
	return 0;
}

int kt_measurement_tally(struct kt_tally *arg, const struct kt_client *client)
{
	const size_t bytes = KT_HIST_BUCKETS * sizeof(u64);
	struct kt_measurement *measurement = kt_measurement_get(arg->id, client);
	u64 *buckets = NULL;
	int err = -ENOENT;

	if (!measurement)
		return err;
	if (arg->buckets) {
		buckets = kvzalloc(bytes, GFP_KERNEL);
		if (!buckets) {
			err = -ENOMEM;
			goto put;
		}
	}
	mutex_lock(&kt_measurement_lock);
	err = tally(measurement, arg, buckets);
	mutex_unlock(&kt_measurement_lock);
	if (!err && buckets && copy_to_user(u64_to_user_ptr(arg->buckets), buckets, bytes))
		err = -EFAULT;
	kvfree(buckets);
put:
	kt_measurement_put(measurement);
	return err;
}
