/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - the kernel's static tracepoints as sites.  ktrace patches nothing there: it registers a probe, and the
 * kernel calls it (kernel/tracepoint.c).  The address of such a site is the address of its struct tracepoint, or of its
 * iterator.
 */
#ifndef KTRACE_EVENT_H
#define KTRACE_EVENT_H

#include "core/ktrace_abi.h"

struct kt_site;
struct tracepoint;

/* The static tracepoint of that name in the kernel (not in a module); NULL: there is none.  Any task context. */
struct tracepoint *kt_event_named(const char *name);

/*
 * Is the static tracepoint at this address one whose first argument is the registers of the system call in which the task is
 * (sys_enter, sys_exit)?  Any task context.
 */
bool kt_event_passes_call(unsigned long addr);

/* Is there a static tracepoint at site->addr?  Fills in event, entry and module.  Under kt_table_lock. */
enum kt_refusal kt_event_prepare(struct kt_site *site);

/*
 * Register or unregister ktrace's probe.  Negative errno.  Sleepable, under kt_change_lock alone: the kernel takes the
 * text lock to patch its call.
 */
int kt_event_arm(struct kt_site *site);
void kt_event_disarm(struct kt_site *site);

/* Wait until no CPU runs a probe that was disarmed before this call.  Sleepable. */
void kt_event_sync(void);

#endif
