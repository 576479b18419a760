/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own.h - ktrace's own processes: those that have opened the device, and those that a client has named because they are
 * at the other end of its terminal (KT_IOC_OWN).  Tracepoints with KT_DESC_OTHERS leave their hits out.
 *
 * A hit asks a small table first, by the id of its process.  Only if the table says "maybe" does it look at the list.  The
 * list compares struct pid, so an id that is used again by another process does not count.
 */
#ifndef KTRACE_OWN_H
#define KTRACE_OWN_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

struct kt_own;

/* One count for each value of the lowest byte of a process id. */
#define KT_OWN_COUNTS	256

/* How many own processes have an id with this lowest byte. */
extern u16 kt_own_ids[KT_OWN_COUNTS];

/*
 * False: `current` is no own process.  In a hit, any context.  It does not matter when the hit sees a change of the count, and
 * the compiler cannot split a load of 16 bits; so a plain load does, which becomes part of the comparison.
 */
static __always_inline bool kt_own_maybe(void)
{
	return unlikely(kt_own_ids[(u32)current->tgid % KT_OWN_COUNTS]);
}

/* Is `current` a thread of an own process?  Under RCU, any context. */
bool kt_own_is_current(void);

/*
 * Count the current process, or the one with this id in the caller's pid namespace, as an own one, until kt_own_remove() has
 * been called as often.  Error pointers: -ENOMEM; -ESRCH: there is no such process.  Sleepable.
 */
struct kt_own *kt_own_add_current(void);
struct kt_own *kt_own_add(pid_t tgid);
void kt_own_remove(struct kt_own *own);

void kt_own_exit(void);		/* wait until all that was removed is freed; sleepable */

#endif
