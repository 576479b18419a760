/* SPDX-License-Identifier: GPL-2.0-only */
/* brake_disarm.h - which tracepoints are the dearest; off with them.  The brake's thread does it. */
#ifndef KTRACE_BRAKE_DISARM_H
#define KTRACE_BRAKE_DISARM_H

#include "core/ktrace_abi.h"

/* Count from now on. */
void kt_brake_note(void);

/*
 * Where what was counted since kt_brake_note() takes, or would take, more than the budget of some CPU: disarm the dearest
 * there, so that the others take half of it.  A site goes with all of its consumers.  It stays in the table.  False: none.
 */
bool kt_brake_disarm(void);

/* Does anything hit?  Counts those that do not because of the brake, too.  Under kt_change_lock. */
bool kt_brake_is_anything_armed(void);
/* How many tracepoints these are. */
u32 kt_brake_nr_off(void);

#endif
