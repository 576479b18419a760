/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the state of the system before a recording starts.
 *
 * A controller pulls it in small parts; no record is written, and no tracepoint is needed.  Nothing is kept between two
 * calls: the cursor, which the controller holds, is all.
 *
 * The controller reads from /proc and /sys what they tell as truly: command lines, modules, interrupts, disks, interfaces
 * (ctl/base/state/system.h).  Tasks, open files and mappings are read here, because /proc lacks this:
 *
 * - Time.  What belongs to a task is in 11 files and links of /proc, of an open file in two.  Each is read at another moment, so
 *   there is no time from which a reader can apply events.  Here each object has one, of the records' clock.
 * - Who shares a table of open files or an address space.  /proc shows a table again for each task; kcmp(2), which compares two
 *   tasks, is not in every kernel, and needs both alive.  So a close by one of them would not be known to concern the others.
 * - No stall.  A read of /proc/PID/maps may wait for mmap_lock as long as another task keeps it.  Here it takes a second at most.
 * - Which task runs on a CPU now, and the scheduling event on each CPU that ends the dump: nothing in /proc forces one.
 * - Cost.  A task takes about 100 times the instructions in /proc, an open file 40 times, a mapping 4 times.
 */
#ifndef KTRACE_STATE_H
#define KTRACE_STATE_H

#include "core/ktrace_abi.h"

/* KT_IOC_STATE.  -EOPNOTSUPP, -EINVAL, -ENOMEM, -EFAULT; -EINTR: the caller was killed.  Sleepable. */
int kt_state_get(struct kt_state *arg);

#endif
