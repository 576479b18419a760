/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * defer.h - deferred frees of objects that were taken out of the table and may still be in use.
 *
 * A hit on another CPU may still read such an object, or a task may be preempted in its slot.  A worker waits for both,
 * once for all objects that have gathered, and then frees them.  So a removal itself never waits.
 */
#ifndef KTRACE_DEFER_H
#define KTRACE_DEFER_H

#include <linux/list.h>
#include <linux/types.h>

struct kt_consumer;
struct kt_desc;
struct kt_site;

/* Retire a descriptor after its last hit.  No consumer points to it any more.  Any task context. */
void kt_defer_desc(struct kt_desc *desc);

/* Free a consumer that left its site, and retire its descriptor if it has one.  Under a lock of change.h. */
void kt_defer_consumer(struct kt_consumer *consumer);
/* Free a disarmed site and its slots.  Any task context. */
void kt_defer_site(struct kt_site *site);

/* A trampoline that another one has replaced in its site. */
struct kt_old_jump {
	struct list_head list;
	void *trampoline;
};

/* Free both.  No text leads to the trampoline any more.  Any task context. */
void kt_defer_jump(struct kt_old_jump *old);

/* Slots were freed at once, without the worker: let it free the areas that are empty now.  Any context except NMI. */
void kt_defer_trim(void);

/* Is an object waiting to be freed?  Any task context. */
bool kt_defer_pending(void);
/*
 * Wait until all objects that are deferred now are free, at most until the time `until` (jiffies).  False: the time is
 * over, or the caller was killed.  Sleepable, under no lock.
 */
bool kt_defer_wait(unsigned long until);

/* Wait until all objects are free.  Sleepable, under no lock. */
void kt_defer_flush(void);

#endif
