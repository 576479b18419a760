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
 * Ask for a wake-up: a CPU that gets this many unread packets in these rings wakes all readers.  0: the next record does,
 * which only hits of the prompt's rings look for.
 * When several readers of the same rings ask, the smallest number counts.  Any context.
 */
void kt_wake_arm(struct kt_rings *rings, u32 packets);

/* Wake all readers now, for a reason other than packets.  Any context. */
void kt_wake_all(void);

/* The ring of this CPU has begun another packet: wake the readers if it has reached the mark.  In a hit. */
void kt_wake_moved(const struct kt_ring *ring);

/* A reader waits for the next record. */
void kt_wake_waiting(struct kt_rings *rings);

/* Call this when a hit of these rings has been counted.  In a hit. */
static __always_inline void kt_wake_check(struct kt_rings *rings)
{
	if (unlikely(READ_ONCE(rings->wake_next)))
		kt_wake_waiting(rings);
}

void kt_wake_init(void);
/* Wait for a queued wake-up.  No hit can be in progress any more.  Sleepable. */
void kt_wake_exit(void);

#endif
