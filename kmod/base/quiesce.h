/* SPDX-License-Identifier: GPL-2.0-only */
/* quiesce.h - wait until slots and trampolines that nothing leads to any more are left. */
#ifndef KTRACE_QUIESCE_H
#define KTRACE_QUIESCE_H

/*
 * Wait until no task runs, or is preempted, in a slot or trampoline that nothing leads to any more.  May take seconds:
 * it waits for RCU-tasks.  Sleepable, under none of the module's locks.
 */
void kt_quiesce(void);

#endif
