/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * defer.h - deferred frees: what was taken out of the table and may still be in use.
 *
 * A hit on another CPU may look at it, a task may be preempted in its slot.  A worker waits for both, for all that
 * has gathered, and frees it; removing never waits itself.
 */
#ifndef KTRACE_DEFER_H
#define KTRACE_DEFER_H

#include <linux/types.h>

struct kt_consumer;
struct kt_desc;
struct kt_site;

/* A descriptor that no consumer points to any more: retire it when the last hit is over.  Any task context. */
void kt_defer_desc(struct kt_desc *desc);

/* A consumer that left its site, with its descriptor if it ever was live; a site, disarmed. */
void kt_defer_consumer(struct kt_consumer *consumer);
void kt_defer_site(struct kt_site *site);

/* Slots were given back at once: areas of which none is left are, too, in a moment. */
void kt_defer_trim(void);

/* Is there any? */
bool kt_defer_pending(void);
/*
 * Wait until all that is deferred now is free, at most until then (jiffies).  False: that is over, or the caller was
 * killed.  Sleepable, under no lock.
 */
bool kt_defer_wait(unsigned long until);

/* Wait until all of it is free.  Sleepable, under no lock. */
void kt_defer_flush(void);

#endif
