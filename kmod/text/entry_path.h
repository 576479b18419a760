/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entry_path.h - static tracepoints on the breakpoint entry path: between a breakpoint and ktrace's handler.
 *
 * A probe at such a static tracepoint would run at each breakpoint.  A breakpoint in the probe would then reach the
 * same static tracepoint again, without end.  So these static tracepoints stay off while the module is loaded.
 */
#ifndef KTRACE_ENTRY_PATH_H
#define KTRACE_ENTRY_PATH_H

#include <linux/types.h>

struct tracepoint;

/*
 * Keep the static tracepoints of kt_arch.entry_path off: from now on, switching one on fails with -EBUSY.
 * -EBUSY: one is on already (the kernel's log says which); -ENOMEM.  Sleepable.
 */
int kt_entry_path_init(void);
/* Allow others to switch them on again.  On return no CPU runs code of entry_path.c for them.  Sleepable. */
void kt_entry_path_exit(void);

/* Is tp kept off?  Any context. */
bool kt_entry_path_has(const struct tracepoint *tp);

#endif
