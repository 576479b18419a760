/* SPDX-License-Identifier: GPL-2.0-only */
/* quiesce.h - wait until slots and trampolines that nothing leads to any more are left. */
#ifndef KTRACE_QUIESCE_H
#define KTRACE_QUIESCE_H

/* No task is running or preempted there afterwards, in whatever context.  Sleepable. */
void kt_quiesce(void);

#endif
