/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - the kernel's own static tracepoints as sites: nothing is patched
 * by us, the kernel calls us (kernel/tracepoint.c).  The address of such a site is that
 * of its struct tracepoint, or of its iterator.
 */
#ifndef KTRACE_EVENT_H
#define KTRACE_EVENT_H

#include "core/ktrace_abi.h"

struct kt_site;
struct tracepoint;

/* The kernel's own of that name; NULL when it has none.  Any task context. */
struct tracepoint *kt_event_named(const char *name);

/* Is there a static tracepoint at site->addr?  Fills in event, entry and module.  Under the table's lock. */
enum kt_refusal kt_event_prepare(struct kt_site *site);

/*
 * Have the kernel call us, or no longer.  Negative errno.  Sleepable, under kt_change_lock alone: the kernel patches
 * its call.
 */
int kt_event_arm(struct kt_site *site);
void kt_event_disarm(struct kt_site *site);

/* Wait until nobody is in a call that was disarmed before.  Sleepable. */
void kt_event_sync(void);

#endif
