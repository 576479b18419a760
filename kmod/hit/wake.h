/* SPDX-License-Identifier: GPL-2.0-only */
/* wake.h - hits wake the readers of the rings, who sleep on kt_wake_queue. */
#ifndef KTRACE_WAKE_H
#define KTRACE_WAKE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wait.h>

extern wait_queue_head_t kt_wake_queue;

#define KT_WAKE_NOBODY	U32_MAX

/* Wake readers once a CPU has this many unread packets.  KT_WAKE_NOBODY: nobody waits. */
extern u32 kt_wake_mark;

/*
 * Ask for a wake-up: the next hit on a CPU that has this many unread packets wakes all readers.  When several readers
 * ask, the smallest number counts.  Any context.
 */
void kt_wake_arm(u32 packets);

/* Wake all readers now, for a reason other than packets.  Any context. */
void kt_wake_all(void);

/* Wake the readers if this CPU has reached the mark.  In a hit. */
void kt_wake_marked(void);

/* Call this when a hit has been counted.  In a hit. */
static __always_inline void kt_wake_check(void)
{
	if (unlikely(READ_ONCE(kt_wake_mark) != KT_WAKE_NOBODY))
		kt_wake_marked();
}

void kt_wake_init(void);
/* Wait for a queued wake-up.  No hit can be in progress any more.  Sleepable. */
void kt_wake_exit(void);

#endif
