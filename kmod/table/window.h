/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * window.h - windows: while a CPU starts, or the machine sleeps or goes down, sites in some functions are disarmed.
 *
 * A starting CPU has no interrupt table at first, and neither has one that wakes up: a breakpoint kills it.  The
 * functions that it runs then are rows WINDOW in range_arch.h.  A window begins before the CPU starts and ends when it
 * is online; it begins when the devices are prepared for sleep and ends when that is over; the one for a reboot does
 * not end.  Windows that overlap are one window.
 *
 * In a window the text of each such site is the original, whatever its state says (kt_site.lifted).  Sites that are set
 * meanwhile are armed at the end.  Jumps become breakpoints, and the worker of jump.c makes them jumps again: that
 * has to wait until no task is between displaced instructions, and nothing waits here.
 *
 * Locks: callbacks of CPU hotplug hold the lock of CPU hotplug for writing, so they cannot take those of change.h,
 * under which others wait for it.  They do not need to: the text lock has the CPU lock inside, so no one else changes a
 * state, the text or the list of window.c; and consumers are read under RCU.
 */
#ifndef KTRACE_WINDOW_H
#define KTRACE_WINDOW_H

#include <linux/types.h>

struct kt_site;
struct kt_status;

/* The error of cpuhp_setup_state_nocalls(), register_reboot_notifier() or of a device.  Sleepable. */
int kt_window_init(void);
void kt_window_exit(void);	/* there are no sites any more; sleepable */

/*
 * Write the breakpoint of a site that is KT_SITE_OFF, and remember a windowed site; in a window, only that.  The caller
 * calls kt_arch.sync().  Under the text lock, as is the next one.
 */
void kt_window_arm(struct kt_site *site);
/* Restore the first byte of the original text, and forget the site.  It is KT_SITE_OFF then.  The same. */
void kt_window_disarm(struct kt_site *site);

/* Fill in the fields of windows for KT_IOC_STATUS. */
void kt_window_status(struct kt_status *status);

#endif
