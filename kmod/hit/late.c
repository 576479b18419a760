// SPDX-License-Identifier: GPL-2.0-only
/* late.c - see late.h. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/task_work.h>

#include "core/capture_run.h"
#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/base/quiesce.h"
#include "kmod/hit/hit_step.h"
#include "kmod/hit/late.h"
#include "kmod/hit/wake.h"
#include "kmod/records/desc.h"
#include "kmod/records/own_desc.h"

#define LATE_BITS	8
#define LATE_MOST	(1U << LATE_BITS)
#define LATE_TRIES	8		/* entries that one hit looks at */

/* One item that could not be read. */
struct late {
	struct callback_head work;
	bool taken;			/* cmpxchg(); the rest belongs to the hit, then to the task's return */
	bool reading;			/* the task is in read_again() */
	struct task_struct *task;	/* a reference */
	const struct mm_struct *mm;	/* compared only */
	const struct kt_insn *in;	/* compared, until its program is known to exist still */
	struct kt_insn copy;
	u64 addr, length, time;
};

static struct late entries[LATE_MOST];
static bool ever_taken;

static struct late *take_entry(void)
{
	const u32 first = hash_ptr(current, LATE_BITS);
	u32 i;

	for (i = 0; i < LATE_TRIES; i++) {
		struct late *late = &entries[(first + i) % LATE_MOST];

		if (!READ_ONCE(late->taken) && !cmpxchg(&late->taken, false, true))
			return late;
	}
	return NULL;
}
NOKPROBE_SYMBOL(take_entry);

static void give_entry(struct late *late)
{
	smp_store_release(&late->taken, false);
}
NOKPROBE_SYMBOL(give_entry);

/* The hit was recorded, not counted or measured, by a tracepoint in the kernel. */
static bool has_records(const struct kt_desc *desc)
{
	return desc->rings && !(desc->flags & (KT_DESC_MEASURED | KT_DESC_AGGREGATE)) && !desc->confined;
}

static void write_record(const struct kt_desc *desc, void *arg)
{
	struct kt_late_record *record = arg;

	if (!has_records(desc))
		return;
	record->desc = desc->id;
	kt_own_desc_record(desc->rings, KT_OWN_DESC_LATE, record);
	kt_wake_check(desc->rings);
}

/* With interrupts off a load brings in no page: what the kernel has not read itself stays unread. */
static bool read_item(const struct late *late, u8 *to)
{
	unsigned long flags;
	u32 bytes;

	local_irq_save(flags);
	bytes = kt_capture_again(&late->copy, late->addr, late->length, to);
	local_irq_restore(flags);
	return bytes;
}

static noinline void record_again(const struct late *late)
{
	struct kt_late_record record = { 0 };

	if (current->mm && late->mm == current->mm && read_item(late, record.bytes)) {
		record.item = late->copy.dst;
		record.time[0] = late->time;
		record.time[1] = late->time >> 32;
		record.tid = current->pid;
		kt_desc_of_insn(late->in, late->time, write_record, &record);
	}
}

/*
 * The task is about to return to its program, or ends.  Sleepable.  What this calls may be traced; what such a hit cannot read is not
 * read again (is_reading()), or there would be no end.
 */
static void read_again(struct callback_head *work)
{
	struct late *late = container_of(work, struct late, work);

	WRITE_ONCE(late->reading, true);
	barrier();
	record_again(late);
	barrier();
	WRITE_ONCE(late->reading, false);
	put_task_struct(late->task);
	give_entry(late);
}

static bool is_reading(void)
{
	const u32 first = hash_ptr(current, LATE_BITS);
	u32 i;

	for (i = 0; i < LATE_TRIES; i++) {
		const struct late *late = &entries[(first + i) % LATE_MOST];

		if (READ_ONCE(late->reading) && READ_ONCE(late->task) == current)
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(is_reading);

/* Is the hit in a system call, not in an interrupt?  A breakpoint adds KT_BREAKPOINT_CONTEXT. */
static bool in_call(void)
{
	const u32 context = preempt_count() & CONTEXT_BITS;

	return (!context || context == KT_BREAKPOINT_CONTEXT) && current->mm &&
	       (kt_syscall_now() >= 0 || kt_compat_call_now() >= 0);
}
NOKPROBE_SYMBOL(in_call);

/*
 * task_work_add() may be called in any context for the current task: it only changes a list by cmpxchg(), and sets a flag of the
 * task.
 */
void kt_read_failed(const struct kt_insn *in, u64 addr, u64 length)
{
	struct late *late;

	if (!irqs_disabled() || !kt_own_desc_id(KT_OWN_DESC_LATE) || !kt_is_user(addr) || !in_call() || is_reading())
		return;
	late = take_entry();
	if (!late)
		return;
	WRITE_ONCE(ever_taken, true);
	late->task = current;
	late->mm = current->mm;
	late->in = in;
	late->copy = *in;
	late->addr = addr;
	late->length = length;
	late->time = kt_clock_inside();
	get_task_struct(current);
	init_task_work(&late->work, read_again);
	if (kt_task_work_add(current, &late->work, TWA_RESUME)) {
		/* The task ends, and never returns to its program. */
		put_task_struct(current);
		give_entry(late);
	}
}
NOKPROBE_SYMBOL(kt_read_failed);

/*
 * The task may return meanwhile: then read_again() puts the reference, gives the entry back, and the task may end.  But its memory
 * is freed no earlier than an RCU grace period after its end.
 */
static void take_back(struct late *late)
{
	struct callback_head *work = NULL;
	struct late *found;

	rcu_read_lock();
	if (smp_load_acquire(&late->taken))
		work = kt_task_work_cancel_func(late->task, read_again);
	rcu_read_unlock();
	if (!work)
		return;
	found = container_of(work, struct late, work);	/* another one of the task, perhaps */
	put_task_struct(found->task);
	give_entry(found);
}

void kt_late_exit(void)
{
	u32 i;

	if (!ever_taken)
		return;
	for (i = 0; i < LATE_MOST; i++) {
		while (READ_ONCE(entries[i].taken)) {
			take_back(&entries[i]);
			if (READ_ONCE(entries[i].taken))
				msleep(1);
		}
	}
	kt_quiesce();	/* a task may be about to leave read_again() */
}
