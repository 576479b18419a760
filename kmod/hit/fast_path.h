/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast_path.h - the fast path of a hit in a measurement whose tracepoints have the usual roles and run no program.
 *
 * desc.c chooses the path (enum kt_hit_path), hit.c has these functions inline.  They call functions only for rare
 * work, and none of the kernel, so a hit on the fast path meets no traced instruction.  The one exception is
 * irq_work_queue(), once, when the quota is met.  A function that returns false has changed nothing: the hit then takes
 * the slow path, kt_measurement_hit().
 *
 * measurement is desc->measurement.  It is a parameter because the compiler cannot know that it does not change.
 *
 * Context of all of them: in a hit, not inside another hit, and only if reading the clock calls no function.
 * now: ticks when the hit began; sp: the stack pointer at the instruction.
 */
#ifndef KTRACE_FAST_PATH_H
#define KTRACE_FAST_PATH_H

#include <linux/sched.h>

#include "kmod/base/clock.h"
#include "kmod/hit/consumer.h"
#include "kmod/measure/measurement.h"
#include "kmod/measure/task_set.h"
#include "kmod/records/buffer.h"
#include "kmod/records/desc.h"
#include "percpu_arch.h"

#define KT_FAST_SHIFT	6	/* log2 of the bytes of an open interval that saves no values */

/* ------------------------------------------------------ shared with the slow path */

/*
 * Does the hit come from a process that the tracepoint does not follow?  Only the begin of a call needs to ask: its end
 * finds an open interval of this thread if and only if the begin was followed.
 */
static __always_inline bool kt_fast_filtered_by_task(const struct kt_desc *desc)
{
	return unlikely(desc->flags & KT_DESC_TASKS) && !kt_task_set_has_current(desc->tasks);
}

/* Subtract `off` from `from`.  If `off` is larger, reduce it to `from`, and set *clamped. */
static __always_inline u64 kt_fast_less(u64 from, u64 *off, bool *clamped)
{
	*clamped = from < *off;
	if (unlikely(*clamped))
		*off = from;
	return from - *off;
}

/* ------------------------------------------------------------------------ parts */

static __always_inline void kt_fast_counted(struct kt_desc *desc)
{
	kt_add_local(&kt_cpu_read(kt_cpus.prompt.ring.ctl)->measured, 1);
	kt_cpu_inc(desc->counts->missed);
}

/* Take the ticks until now, and `more`, from the time of the enclosing call. */
static __always_inline void kt_fast_charge(struct kt_interval *outer, u64 key, u64 thread, u64 more)
{
	if (unlikely(outer) && kt_interval_encloses(outer, key, thread, THREAD_SIZE))
		outer->off += kt_clock_raw_read() + more;
}

static __always_inline void kt_fast_fill(struct kt_measurement *measurement, struct kt_desc *desc, struct kt_interval *interval,
					 u64 key, enum kt_method method, u64 now)
{
	struct kt_measurement_cpu *mine = this_cpu_ptr(measurement->cpu);
	struct kt_interval *outer = mine->inner;
	const u64 thread = current->start_time;

	mine->inner = interval;
	interval->outer = outer;
	interval->pid = current->pid;
	interval->off = 0;
	interval->method = method;
	interval->unwanted = 0;
	kt_interval_publish(interval, thread);
	kt_add_local(&mine->entered, 1);
	kt_fast_counted(desc);
	kt_fast_charge(outer, key, thread, measurement->nested[0][method] - now);
	interval->start = kt_clock_raw_read();
}

static __always_inline void kt_fast_empty(struct kt_measurement *measurement, struct kt_desc *desc, struct kt_interval *interval,
					  u64 key, u64 thread, enum kt_method method, u64 now)
{
	struct kt_measurement_cpu *mine = this_cpu_ptr(measurement->cpu);
	struct kt_samples *all = (struct kt_samples *)mine->samples;
	struct kt_interval *outer = interval->outer;
	const u64 inside = interval->off;
	u64 off = inside + measurement->cost[interval->method][method], value;
	bool clamped;

	value = kt_fast_less(now - interval->start, &off, &clamped);
	mine->inner = outer;
	kt_interval_free(interval);
	mine->value = value;
	kt_samples_add(all, value, off);
	kt_add_local(&kt_samples_buckets(all)[kt_hist_index(value)], 1);
	if (unlikely(clamped))
		kt_add_local(&all->clamped, 1);
	kt_fast_counted(desc);
	kt_fast_charge(outer, key, thread, measurement->nested[1][method] - now + inside);
}

/* ------------------------------------------------------------------------ paths */

/*
 * Is the measurement running?  Ask this first.  The acquire pairs with the release in set_running() (measurement.c).
 */
static __always_inline bool kt_fast_running(const struct kt_measurement *measurement)
{
	return likely(smp_load_acquire(&measurement->running));
}

/* A call begins.  Only if no open interval lies behind its home in the table (reach is 1) and its home is free. */
static __always_inline bool kt_fast_open(struct kt_measurement *measurement, struct kt_desc *desc, u64 sp,
					 enum kt_method method, u64 now)
{
	const struct kt_intervals *intervals = &measurement->intervals;
	const u64 key = sp + desc->key_bias;
	struct kt_interval *interval = kt_interval_home_of(intervals, key, KT_FAST_SHIFT);

	if (unlikely(READ_ONCE(intervals->reach) != 1 || READ_ONCE(interval->key) || kt_cmpxchg(&interval->key, 0ULL, key)))
		return false;
	kt_fast_fill(measurement, desc, interval, key, method, now);
	return true;
}

/* A call begins.  Search the table for a free slot.  False: its key is in the table already, or there is no room. */
static __always_inline bool kt_fast_open_far(struct kt_measurement *measurement, struct kt_desc *desc, u64 sp,
					     enum kt_method method, u64 now)
{
	struct kt_intervals *intervals = &measurement->intervals;
	const u64 key = sp + desc->key_bias;
	struct kt_interval *interval = kt_interval_find(intervals, key, KT_FAST_SHIFT) ? NULL : kt_interval_claim(intervals, key);

	if (unlikely(!interval))
		return false;
	kt_fast_fill(measurement, desc, interval, key, method, now);
	return true;
}

/*
 * A call ends.  Only if this thread opened the interval and the filter did not reject it.  thread: current->start_time;
 * quota: the measurement has one.
 */
static __always_inline bool kt_fast_close(struct kt_measurement *measurement, struct kt_desc *desc, u64 sp, u64 thread,
					  enum kt_method method, u64 now, bool quota)
{
	const u64 key = sp + desc->key_bias;
	struct kt_interval *interval = kt_interval_find(&measurement->intervals, key, KT_FAST_SHIFT);

	if (unlikely(!interval || interval->thread != thread || interval->unwanted))
		return false;
	if (quota && unlikely(!kt_measurement_quota_take(measurement, now)))
		return false;
	kt_fast_empty(measurement, desc, interval, key, thread, method, now);
	return true;
}

#endif
