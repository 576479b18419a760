// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of known length, and functions that measure their own time: with sleeps, or with another thread in
 * between.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/timex.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>

#include "truth.h"
#include "truth_arch.h"

static struct task_struct *intruder;
static DECLARE_WAIT_QUEUE_HEAD(waits);
static atomic_t wanted;
static struct hrtimer alarm;

/* Preempts the running task for some 20,000 instructions. */
static int intrude(void *unused)
{
	while (!kthread_should_stop()) {
		wait_event_interruptible(waits, atomic_read(&wanted) || kthread_should_stop());
		if (atomic_xchg(&wanted, 0))
			ktruth_spin(10000);
	}
	return 0;
}

static enum hrtimer_restart rings(struct hrtimer *unused)
{
	atomic_set(&wanted, 1);
	wake_up(&waits);
	return HRTIMER_NORESTART;
}

/* The time that a function measured itself. */
struct measured {
	atomic64_t calls, ticks;
};

static struct measured preempted, slept;

static void add(struct measured *to, u64 since)
{
	atomic64_add(get_cycles() - since, &to->ticks);
	atomic64_inc(&to->calls);
}

/* The timer wakes the intruder while this function runs. */
TRUTH long ktruth_preempted(long n)
{
	u64 from = get_cycles();

	hrtimer_start(&alarm, ns_to_ktime(n), HRTIMER_MODE_REL_PINNED);
	ktruth_spin(n);
	add(&preempted, from);
	return n;
}

TRUTH long ktruth_slept(long microseconds)
{
	u64 from = get_cycles();

	usleep_range(microseconds, microseconds + 10);
	add(&slept, from);
	return microseconds;
}

/* The first line counts for the caller's line: the copy is entered there. */
static __always_inline void inlined_lines(void)
{
	TRUTH_TAKES(30);
	TRUTH_TAKES(40);
}

/*
 * Lines of exactly 2 n + 1 instructions, and two lines with calls that take long: the second line is the call,
 * 20 n + 2 instructions and the addition.
 */
TRUTH long ktruth_lines(long n)
{
	static long times;
	long sum;

	sum = ktruth_spin(n);
	sum += ktruth_spin(10 * n);
	TRUTH_TAKES(5);
	TRUTH_TAKES(50);
	TRUTH_TAKES(500);
	TRUTH_TAKES(5000);
	TRUTH_TAKES(50000);
	if (times++ & 1) {
		TRUTH_TAKES(12);
		TRUTH_TAKES(1);
	}
	inlined_lines();
	TRUTH_TAKES(2);
	return sum;
}

static __always_inline void inlined_twice(void)
{
	TRUTH_TAKES(8);
	TRUTH_TAKES(9);
}

/* A loop in one line. */
#define ROUNDS(n)		\
	do {			\
		TRUTH_TAKES(7);	\
	} while (--(n))

/* Lines with several places each; control comes to each line in a known number. */
TRUTH long ktruth_ways(long n)
{
	static long calls;
	long i, odd = calls++ & 1;

	for (i = 0; i < n; i++)
		TRUTH_TAKES(3);
	OPTIMIZER_HIDE_VAR(odd);
	if (odd && n > 2)
		TRUTH_TAKES(4);
	OPTIMIZER_HIDE_VAR(odd);
	if (odd || n > 3)
		TRUTH_TAKES(6);
	OPTIMIZER_HIDE_VAR(n);
	if (n < 0)
		TRUTH_TAKES(20);
	ROUNDS(i);
	inlined_twice();
	TRUTH_TAKES(10);
	inlined_twice();
	OPTIMIZER_HIDE_VAR(odd);
	if (odd)
		goto out;
	TRUTH_TAKES(11);
out:
	TRUTH_TAKES(13);
	return n;
}

static long call_nest(long n)
{
	return ktruth_nest(4, n);
}

/* Where indirect branches are checked, they may not lead to assembler code without a landing pad. */
static long call_spin(long n)
{
	return ktruth_spin(n);
}

static long call_run(long n)
{
	return ktruth_run(n);
}

static long call_halves(long n)
{
	return ktruth_halves(n);
}

static const struct duration {
	const char *name;
	long (*call)(long argument);
	struct measured *measured;	/* NULL: the length is known */
} durations[] = {
	{ "spin", call_spin },
	{ "run", call_run },
	{ "nest", call_nest },
	{ "lines", ktruth_lines },
	{ "ways", ktruth_ways },
	{ "preempted", ktruth_preempted, &preempted },
	{ "slept", ktruth_slept, &slept },
	{ "halves", call_halves },
	{ "tail", ktruth_tail },
	{ "tail_chain", ktruth_tail_chain },
	{ "tail_pointer", ktruth_tail_pointer },
	{ "tail_maybe", ktruth_tail_maybe },
	{ "tail_kernel", ktruth_tail_kernel },
	{ "tail_ping", ktruth_tail_ping },
	{ "tail_gone", ktruth_in_thread },
};

/* Alone: an interrupt would count for the call, or for a line of it. */
static void call_once(const struct duration *duration, long argument, bool alone)
{
	unsigned long flags;

	if (!alone) {
		duration->call(argument);
		return;
	}
	local_irq_save(flags);
	duration->call(argument);
	local_irq_restore(flags);
}

static int repeat(const struct duration *duration, long argument, unsigned long count, bool alone)
{
	if (alone && duration->measured)
		return -EINVAL; /* these functions wait for an interrupt */
	while (count--) {
		call_once(duration, argument, alone);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

int ktruth_time(const char *name, long argument, unsigned long count, bool alone)
{
	size_t i;

	if (argument < 1)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(durations); i++)
		if (!strcmp(durations[i].name, name))
			return repeat(&durations[i], argument, count, alone);
	return -ENOENT;
}

void ktruth_show_durations(struct seq_file *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(durations); i++)
		if (durations[i].measured)
			seq_printf(out, "time %s calls %lld ticks %lld\n", durations[i].name,
				   atomic64_read(&durations[i].measured->calls),
				   atomic64_read(&durations[i].measured->ticks));
}

int ktruth_durations_init(void)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&alarm, rings, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
#else
	hrtimer_init(&alarm, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	alarm.function = rings;
#endif
	intruder = kthread_run(intrude, NULL, "ktruth");
	if (IS_ERR(intruder))
		return PTR_ERR(intruder);
	sched_set_fifo(intruder);
	return 0;
}

void ktruth_durations_exit(void)
{
	hrtimer_cancel(&alarm);
	kthread_stop(intruder);
}
