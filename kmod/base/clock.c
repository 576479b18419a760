// SPDX-License-Identifier: GPL-2.0-only
/* clock.c - the choice of the clock, the length of its ticks, and anchors to the time of day.  See clock.h. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "core/ktrace_abi.h"
#include "core/ratio.h"
#include "kmod/base/clock.h"
#include "kmod/compat/compat.h"

#define NR_ANCHORS	128
#define FIRST_PERIOD	2	/* seconds between anchors; doubled whenever all are used */
#define SETTLED_MS	20	/* 2^25 ticks at 2 GHz: from then on the ratio is exactly the kernel's, see ratio.h */

DEFINE_STATIC_KEY_FALSE(kt_clock_raw);

static DEFINE_PER_CPU(u64, last_mono);
static DEFINE_MUTEX(anchor_lock);
static struct kt_anchor anchors[NR_ANCHORS];
static u32 nr_anchors;
static unsigned int period = FIRST_PERIOD;
static struct kt_snapshot first;		/* the first one of the current clock source */
static u64 measured_ns;				/* from `first` to the last measurement */
static struct kt_ratio ratio = { 1, 1 };

/*
 * Read the kernel's clock once, before the loop.  A tracepoint in ktime_get_mono_fast_ns() reads this clock, too: with
 * the call in the loop, each turn would find *last changed.
 */
u64 notrace kt_clock_mono(void)
{
	u64 *last = this_cpu_ptr(&last_mono);
	u64 read = ktime_get_mono_fast_ns(), was, now;

	do {
		was = READ_ONCE(*last);
		now = max(read, was + 1);
	} while (cmpxchg_local(last, was, now) != was);
	return now;
}

/*
 * Take a snapshot of the kernel's clock source.  False: its counter is not the raw one, because its value is not
 * between two reads of the raw counter.
 */
static bool snapshot(struct kt_snapshot *snap)
{
	const u64 before = kt_raw_ticks();

	kt_snapshot(snap);
	return before <= snap->cycles && snap->cycles <= kt_raw_ticks();
}

/* Update the ratio.  Start anew with a new clock source: so the kernel corrects the rate of a counter. */
static void measure(const struct kt_snapshot *snap)
{
	if (snap->source != first.source)
		first = *snap;
	measured_ns = ktime_to_ns(ktime_sub(snap->raw, first.raw));
	if (snap->cycles > first.cycles)
		ratio = kt_ratio(measured_ns, snap->cycles - first.cycles);
}

/* The current ticks and time of day.  Updates the ratio, too.  Under anchor_lock. */
static struct kt_anchor anchor_now(void)
{
	struct kt_snapshot snap;

	lockdep_assert_held(&anchor_lock);
	if (!static_key_enabled(&kt_clock_raw))
		return (struct kt_anchor){ ktime_get_mono_fast_ns(), ktime_get_real_ns() };
	if (!snapshot(&snap))
		return (struct kt_anchor){ kt_raw_ticks(), ktime_get_real_ns() };
	measure(&snap);
	return (struct kt_anchor){ snap.cycles, ktime_to_ns(snap.real) };
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
	if (kt_raw_ticks_good() && snapshot(&first))
		static_branch_enable(&kt_clock_raw);
	anchor_work(&anchoring.work);
}

void kt_clock_exit(void)
{
	cancel_delayed_work_sync(&anchoring);
}

static bool settled(void)
{
	return !static_key_enabled(&kt_clock_raw) || measured_ns >= SETTLED_MS * NSEC_PER_MSEC;
}

/* Fill in the current state, and the newest anchors, at most `room`.  False: the ratio is not exact yet. */
static bool describe_now(struct kt_clock *arg, struct kt_anchor *copy, u32 room)
{
	bool exact;

	mutex_lock(&anchor_lock);
	arg->now = anchor_now().ticks;
	arg->ns_num = ratio.num;
	arg->ns_den = ratio.den;
	arg->nr = min(room, nr_anchors);
	memcpy(copy, anchors + nr_anchors - arg->nr, arg->nr * sizeof(*copy));
	exact = settled();
	mutex_unlock(&anchor_lock);
	return exact;
}

int kt_clock_describe(struct kt_clock *arg)
{
	const u32 room = min_t(u32, arg->nr, NR_ANCHORS);
	struct kt_anchor *copy = kcalloc(NR_ANCHORS, sizeof(*copy), GFP_KERNEL);
	int err = 0;

	if (!copy)
		return -ENOMEM;
	strscpy(arg->name, static_key_enabled(&kt_clock_raw) ? KT_RAW_CLOCK : "mono", sizeof(arg->name));
	if (!describe_now(arg, copy, room)) {
		msleep(SETTLED_MS);
		describe_now(arg, copy, room);
	}
	if (copy_to_user(u64_to_user_ptr(arg->anchors), copy, arg->nr * sizeof(*copy)))
		err = -EFAULT;
	kfree(copy);
	return err;
}
