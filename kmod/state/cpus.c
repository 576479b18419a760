// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpus.c - KT_STATE_END: one forced scheduling event on every online CPU.
 *
 * Nobody can read what runs on other CPUs at one instant.  So give each CPU some work: its worker thread must be
 * switched to, and a trace has this event.  The worker reports its own id and the time.  From then on the trace tells
 * who runs on that CPU, and a task that was never switched to or woken up has the state that was read before.
 *
 * A task with real-time priority can keep the worker away.  After a second, ask the CPU by an interrupt who runs there.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/clock.h"
#include "kmod/state/dump.h"

struct round;

struct mark {
	struct work_struct work;
	struct round *round;
	struct kt_state_cpu entry;	/* head.time is 0 until it is filled in */
};

struct round {
	struct completion over;
	atomic_t left;			/* CPUs that have not answered */
	u32 n;
	struct mark marks[];
};

/* On the CPU that is asked, unable to migrate. */
static void answer(struct mark *mark)
{
	mark->entry.head.pid = task_pid_nr(current);
	mark->entry.head.time = kt_clock_now();
}

static void mark_work(struct work_struct *work)
{
	struct mark *mark = container_of(work, struct mark, work);
	struct round *round = mark->round;

	answer(mark);
	if (atomic_dec_and_test(&round->left))
		complete(&round->over);
}

/* In an interrupt. */
static void mark_interrupt(void *arg)
{
	struct mark *mark = arg;

	answer(mark);
	mark->entry.flags = KT_CPU_BUSY;
}

/* The next online CPUs from *cpu on, at most `room` of them; *cpu moves on.  Under cpus_read_lock(). */
static void choose(struct round *round, u32 room, u64 *cpu)
{
	for (*cpu = min_t(u64, *cpu, nr_cpu_ids); *cpu < nr_cpu_ids && round->n < room; (*cpu)++) {
		struct mark *mark = &round->marks[round->n];

		if (!cpu_online(*cpu))
			continue;
		mark->round = round;
		mark->entry.cpu = *cpu;
		INIT_WORK(&mark->work, mark_work);
		round->n++;
	}
}

/* Under cpus_read_lock().  -EINTR: the caller was killed. */
static int run(struct round *round)
{
	long left = 1;
	u32 i;

	atomic_set(&round->left, round->n);
	init_completion(&round->over);
	for (i = 0; i < round->n; i++)
		queue_work_on(round->marks[i].entry.cpu, system_highpri_wq, &round->marks[i].work);
	if (round->n)
		left = wait_for_completion_killable_timeout(&round->over, HZ);
	for (i = 0; i < round->n; i++)
		cancel_work_sync(&round->marks[i].work);
	return left < 0 ? -EINTR : 0;
}

/* Under cpus_read_lock(). */
static void ask_busy(struct round *round)
{
	u32 i;

	for (i = 0; i < round->n; i++)
		if (!round->marks[i].entry.head.time)
			smp_call_function_single(round->marks[i].entry.cpu, mark_interrupt, &round->marks[i], 1);
}

int kt_state_end(struct kt_dump *dump)
{
	const u32 room = min_t(u32, dump->room / sizeof(struct kt_state_cpu), nr_cpu_ids);
	struct round *round = kvcalloc(1, struct_size(round, marks, room), GFP_KERNEL);
	int err;
	u32 i;

	if (!round)
		return -ENOMEM;
	cpus_read_lock();
	choose(round, room, &dump->walk.at);
	err = run(round);
	if (!err)
		ask_busy(round);
	cpus_read_unlock();
	for (i = 0; i < round->n && !err; i++)
		kt_dump_add(dump, &round->marks[i].entry, sizeof(round->marks[i].entry), NULL);
	kvfree(round);
	return err ?: dump->walk.at < nr_cpu_ids ? -EAGAIN : 0;
}
