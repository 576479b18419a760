/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * way.h - static tracepoints that every breakpoint passes before ktrace has it.
 * Who listens to one of them would run at each breakpoint, and a breakpoint in what
 * he runs would come back to itself: they stay off while the module is loaded.
 */
#ifndef KTRACE_WAY_H
#define KTRACE_WAY_H

#include <linux/types.h>

struct tracepoint;

/*
 * Keep those of kt_arch.way off: from now on the kernel answers -EBUSY to who switches one on.
 * -EBUSY when one is on, which is logged; -ENOMEM.  Sleepable.
 */
int kt_way_init(void);
/* They are anybody's again; nobody is in our answer afterwards.  Sleepable. */
void kt_way_exit(void);

/* Is it one of them?  Any context. */
bool kt_way_has(const struct tracepoint *tp);

#endif
