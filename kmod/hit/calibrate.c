// SPDX-License-Identifier: GPL-2.0-only
/* calibrate.c - see calibrate.h. */
#include <linux/irqflags.h>
#include <linux/linkage.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "kmod/base/ktrace.h"
#include "core/ktrace_abi.h"
#include "kmod/base/clock.h"
#include "kmod/hit/calibrate.h"
#include "kmod/hit/turn_away.h"
#include "kmod/measure/measurement.h"
#include "kmod/records/buffer.h"
#include "kmod/text/scratch.h"
#include "scratch_arch.h"

/* One calibration.  Each call is timed with interrupts off. */
struct timing {
	struct kt_measurement *measurement;	/* or NULL */
	bool called;			/* time kt_scratch_called(), not kt_scratch() */
	u64 *times, *charges, *samples;	/* [n] */
	u32 n;
	u64 charged, sample;		/* of the last call */
};

static u64 time_nothing(struct timing *t)
{
	const u64 from = kt_clock_read();

	barrier();
	return kt_clock_read() - from;
}

static u64 time_body(struct timing *t)
{
	const u64 from = kt_clock_read();

	asm volatile(KT_SCRATCH_BODY : : : KT_SCRATCH_CHANGES, "memory");
	return kt_clock_read() - from;
}

static u64 time_call(struct timing *t)
{
	const u64 from = kt_clock_read();

	if (t->called)
		kt_scratch_called(from);
	else
		kt_scratch(from);
	barrier();
	return kt_clock_read() - from;
}

/*
 * Take the hits of a calibration out of a counter: they are not the user's.  They are two at most; other hits that came
 * between stay counted.
 */
static void forget_hits(u64 *counter, u64 before)
{
	kt_add_local(counter, -min_t(u64, *counter - before, 2));
}

/* `outer` plays an open call around the timed one.  The stack grows downwards, so its key encloses that call. */
static u64 time_enclosed(struct timing *t)
{
	struct kt_measurement_cpu *mine = this_cpu_ptr(t->measurement->cpu);
	struct kt_interval outer = { .key = (unsigned long)&outer, .thread = current->start_time };
	struct kt_ring_ctl *ctl = this_cpu_ptr(&kt_cpus)->prompt.ring.ctl;
	const u64 measured = ctl->measured, braked = ctl->braked;
	u64 time;

	mine->inner = &outer;
	time = time_call(t);
	mine->inner = NULL;
	forget_hits(&ctl->measured, measured);
	forget_hits(&ctl->braked, braked);
	t->charged = outer.off;
	t->sample = mine->value;
	return time;
}

static int compare(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median(u64 *times, u32 n)
{
	sort(times, n, sizeof(*times), compare, NULL);
	return times[n / 2];
}

static u64 time_all(struct timing *t, u64 (*time)(struct timing *t))
{
	unsigned long flags;
	u64 from;
	u32 i;

	for (i = 0; i < t->n; i++) {
		local_irq_save(flags);
		from = kt_clock_read();
		t->times[i] = time(t);
		this_cpu_add(kt_cpus.excused, kt_clock_read() - from);
		t->charges[i] = t->charged;
		t->samples[i] = t->sample;
		local_irq_restore(flags);
		cond_resched();
	}
	return median(t->times, t->n);
}

/* A very short piece of code may seem to take less time than nothing. */
static u64 beyond(u64 nothing, u64 time)
{
	return time > nothing ? time - nothing : 0;
}

static void calibrate(struct timing *t, struct kt_calibrate *arg)
{
	const u64 nothing = time_all(t, time_nothing);

	arg->inside = beyond(nothing, time_all(t, time_body));
	arg->whole = beyond(nothing, time_all(t, t->measurement ? time_enclosed : time_call));
	arg->charged = median(t->charges, t->n);
	arg->sample = median(t->samples, t->n);
	arg->low = t->samples[t->n / 100];
	arg->high = t->samples[t->n - 1 - t->n / 100];
}

int kt_calibrate(struct kt_calibrate *arg, const struct kt_client *client)
{
	struct timing t = { .n = arg->calls, .called = arg->flags & KT_CALIBRATE_RETURN };
	const u64 brakes = kt_brake_moment();
	int err = -ENOMEM;

	if (!arg->calls || arg->calls > KT_MAX_CALLS)
		return -EINVAL;
	if (arg->flags & ~(KT_CALIBRATE_ALONE | KT_CALIBRATE_RETURN))
		return -EOPNOTSUPP;
	if (arg->flags & KT_CALIBRATE_ALONE && kt_measurement_others(client))
		return -EBUSY;
	if (arg->id) {
		t.measurement = kt_measurement_get(arg->id, client);
		if (!t.measurement)
			return -ENOENT;
	}
	t.times = kvmalloc_array(3 * arg->calls, sizeof(*t.times), GFP_KERNEL);
	if (t.times) {
		t.charges = t.times + arg->calls;
		t.samples = t.charges + arg->calls;
		calibrate(&t, arg);
		/* While the brake turns hits away they cost almost nothing: such times are useless. */
		err = brakes && brakes == kt_brake_moment() ? 0 : -EAGAIN;
	}
	kvfree(t.times);
	kt_measurement_put(t.measurement);
	return err;
}
