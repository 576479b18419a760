/* SPDX-License-Identifier: GPL-2.0-only */
/* quiesce.h - wait until no CPU or task executes slots and trampolines that are about to be freed. */
#ifndef KTRACE_QUIESCE_H
#define KTRACE_QUIESCE_H

/*
 * Wait until no task runs, or is preempted, in a slot or trampoline that no text leads to any more.  May take seconds,
 * because it waits for RCU-tasks.  Sleepable, under none of the module's locks.
 */
void kt_quiesce(void);

#endif
