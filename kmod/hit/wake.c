// SPDX-License-Identifier: GPL-2.0-only
/* wake.c - see wake.h.  A hit queues an irq_work, because that is safe in any context and waking a task is not. */
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/wake.h"

DECLARE_WAIT_QUEUE_HEAD(kt_wake_queue);

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&kt_wake_queue);
}

static struct irq_work wakeup;

void kt_wake_all(void)
{
	irq_work_queue(&wakeup);
}
NOKPROBE_SYMBOL(kt_wake_all);

/* Several CPUs may find the mark reached.  The one that resets it wakes the readers. */
void kt_wake_moved(const struct kt_ring *ring)
{
	struct kt_rings *rings = container_of(ring, struct kt_ring_cpu, ring)->rings;
	s64 unread;

	/* The number of the packet before the mark: a reader sets the mark before it reads the number. */
	smp_mb();
	/* Compare signed: the reader may move seen_seq concurrently. */
	unread = READ_ONCE(ring->ctl->seq) - READ_ONCE(ring->ctl->seen_seq);
	if (unread >= READ_ONCE(rings->wake_mark) && xchg(&rings->wake_mark, KT_WAKE_NOBODY) != KT_WAKE_NOBODY)
		irq_work_queue(&wakeup);
}
NOKPROBE_SYMBOL(kt_wake_moved);

void kt_wake_waiting(struct kt_rings *rings)
{
	if (xchg(&rings->wake_next, false))
		irq_work_queue(&wakeup);
}
NOKPROBE_SYMBOL(kt_wake_waiting);

void kt_wake_arm(struct kt_rings *rings, u32 packets)
{
	u32 was, now = READ_ONCE(rings->wake_mark);

	if (!packets) {
		smp_store_mb(rings->wake_next, true);	/* a full barrier, as below */
		return;
	}
	packets = min(packets, KT_WAKE_NOBODY - 1);
	/* cmpxchg() is a full barrier: the caller reads the rings after this, and must not read them before. */
	do {
		was = now;
		packets = min(packets, was);
		now = cmpxchg(&rings->wake_mark, was, packets);
	} while (now != was);
}

void kt_wake_init(void)
{
	init_irq_work(&wakeup, wake_readers);
}

void kt_wake_exit(void)
{
	irq_work_sync(&wakeup);
}
