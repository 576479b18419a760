/* SPDX-License-Identifier: GPL-2.0-only */
/* wake.h - hits wake the readers of the rings, who sleep on kt_wake_queue. */
#ifndef KTRACE_WAKE_H
#define KTRACE_WAKE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "kmod/records/buffer.h"

extern wait_queue_head_t kt_wake_queue;

/*
 * Ask for a wake-up: the next hit that records into these rings on a CPU that has this many unread packets there wakes
 * all readers.  When several readers of the same rings ask, the smallest number counts.  Any context.
 */
void kt_wake_arm(struct kt_rings *rings, u32 packets);

/* Wake all readers now, for a reason other than packets.  Any context. */
void kt_wake_all(void);

/* Wake the readers if the ring of this CPU has reached the mark.  In a hit. */
void kt_wake_marked(struct kt_rings *rings);

/* Call this when a hit of these rings has been counted.  In a hit. */
static __always_inline void kt_wake_check(struct kt_rings *rings)
{
	if (unlikely(READ_ONCE(rings->wake_mark) != KT_WAKE_NOBODY))
		kt_wake_marked(rings);
}

void kt_wake_init(void);
/* Wait for a queued wake-up.  No hit can be in progress any more.  Sleepable. */
void kt_wake_exit(void);

#endif
