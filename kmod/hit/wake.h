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

/* The next hit on a CPU with so many unread packets wakes all readers; of several readers the least counts.  Any context. */
void kt_wake_arm(u32 packets);

/* Wake all readers now: they have something else to look at than packets.  Any context. */
void kt_wake_all(void);

void kt_wake_marked(void);

/* A hit was accounted for: does somebody wait for it?  In a hit. */
static __always_inline void kt_wake_check(void)
{
	if (unlikely(READ_ONCE(kt_wake_mark) != KT_WAKE_NOBODY))
		kt_wake_marked();
}

void kt_wake_init(void);
/* No hit can be under way any more. */
void kt_wake_exit(void);

#endif
