// SPDX-License-Identifier: GPL-2.0-only
/* clock.c - which clock, and what its ticks mean.  See clock.h. */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "compat/compat.h"
#include "ktrace_abi.h"

#define NR_ANCHORS	128
#define FIRST_PERIOD	2	/* seconds between anchors; doubled whenever all are used */

DEFINE_STATIC_KEY_FALSE(kt_clock_raw);

static DEFINE_PER_CPU(u64, last_mono);
static DEFINE_MUTEX(anchor_lock);
static struct kt_anchor anchors[NR_ANCHORS];
static u32 nr_anchors;
static unsigned int period = FIRST_PERIOD;
static struct kt_snapshot first;

u64 notrace kt_clock_mono(void)
{
	u64 *last = this_cpu_ptr(&last_mono);
	u64 was, now;

	do {
		was = READ_ONCE(*last);
		now = max(ktime_get_mono_fast_ns(), was + 1);
	} while (cmpxchg_local(last, was, now) != was);
	return now;
}

/* The snapshot's counter lies between two readings of ours: it is the same counter. */
static bool kernel_uses_raw_ticks(void)
{
	struct kt_snapshot snap;
	u64 before, after;

	if (!kt_raw_ticks_good())
		return false;
	before = kt_raw_ticks();
	kt_snapshot(&snap);
	after = kt_raw_ticks();
	return before <= snap.cycles && snap.cycles <= after;
}

static struct kt_anchor anchor_now(void)
{
	struct kt_snapshot snap;
	struct kt_anchor anchor;

	if (static_key_enabled(&kt_clock_raw)) {
		kt_snapshot(&snap);
		anchor.ticks = snap.cycles;
		anchor.real_ns = ktime_to_ns(snap.real);
		return anchor;
	}
	anchor.real_ns = ktime_get_real_ns();
	anchor.ticks = ktime_get_mono_fast_ns();
	return anchor;
}

static void drop_every_other(void)
{
	u32 i;

	for (i = 0; 2 * i < nr_anchors; i++)
		anchors[i] = anchors[2 * i];
	nr_anchors = i;
	period *= 2;
}

static void anchor_work(struct work_struct *work)
{
	mutex_lock(&anchor_lock);
	if (nr_anchors == NR_ANCHORS)
		drop_every_other();
	anchors[nr_anchors++] = anchor_now();
	mutex_unlock(&anchor_lock);
	schedule_delayed_work(to_delayed_work(work), period * HZ);
}

static DECLARE_DEFERRABLE_WORK(anchoring, anchor_work);

void kt_clock_init(void)
{
	kt_snapshot(&first);
	if (kernel_uses_raw_ticks())
		static_branch_enable(&kt_clock_raw);
	anchor_work(&anchoring.work);
}

void kt_clock_exit(void)
{
	cancel_delayed_work_sync(&anchoring);
}

/* Ticks to CLOCK_MONOTONIC_RAW: one fixed ratio, the longer the interval the finer. */
static void describe_ratio(struct kt_clock *arg)
{
	struct kt_snapshot snap;

	arg->ns_num = arg->ns_den = 1;
	if (!static_key_enabled(&kt_clock_raw))
		return;
	kt_snapshot(&snap);
	arg->ns_num = ktime_to_ns(ktime_sub(snap.raw, first.raw));
	arg->ns_den = snap.cycles - first.cycles;
}

int kt_clock_describe(struct kt_clock *arg)
{
	bool raw = static_key_enabled(&kt_clock_raw);
	int err = 0;

	describe_ratio(arg);
	arg->now = anchor_now().ticks;
	strscpy(arg->name, raw ? KT_RAW_CLOCK : "mono", sizeof(arg->name));

	mutex_lock(&anchor_lock);
	arg->nr = min(arg->nr, nr_anchors);
	/* The newest ones when there is not room for all. */
	if (copy_to_user(u64_to_user_ptr(arg->anchors), anchors + nr_anchors - arg->nr,
			 arg->nr * sizeof(anchors[0])))
		err = -EFAULT;
	mutex_unlock(&anchor_lock);
	return err;
}
