/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry_path.h - kernel events that the kernel meets on the way from a breakpoint to ktrace's handler.
 *
 * A listener at such an event would run at each breakpoint.  A breakpoint in the listener would then reach the same
 * event again, without end.  So these events stay off while the module is loaded.
 */
#ifndef KTRACE_ENTRY_PATH_H
#define KTRACE_ENTRY_PATH_H

#include <linux/types.h>

struct tracepoint;

/*
 * Keep the events of kt_arch.entry_path off: from now on, switching one on fails with -EBUSY.
 * -EBUSY: one is on already (the kernel's log says which); -ENOMEM.  Sleepable.
 */
int kt_entry_path_init(void);
/* Let others switch them on again.  Afterwards no CPU runs our listener.  Sleepable. */
void kt_entry_path_exit(void);

/* Is it one of them?  Any context. */
bool kt_entry_path_has(const struct tracepoint *tp);

#endif
