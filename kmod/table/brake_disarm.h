/* SPDX-License-Identifier: GPL-2.0-only */
/* brake_disarm.h - find the dearest tracepoints and disarm them.  The brake's thread calls this. */
#ifndef KTRACE_BRAKE_DISARM_H
#define KTRACE_BRAKE_DISARM_H

#include "core/ktrace_abi.h"

/* Note the counts of all tracepoints now, for kt_brake_disarm().  Sleepable; takes kt_change_lock. */
void kt_brake_note(void);

/*
 * On each CPU where the hits since kt_brake_note() take more than the budget, or would without the brake: disarm the
 * dearest sites, so that the others take at most half of the budget.  A site is disarmed for all its consumers, and
 * stays in the table.  False: it disarmed none.  Sleepable; takes kt_change_lock.
 */
bool kt_brake_disarm(void);

/* Is any site armed?  Also counts the tracepoints for kt_brake_nr_off().  Sleepable, under kt_change_lock. */
bool kt_brake_is_anything_armed(void);
/* How many tracepoints the brake keeps disarmed, at the last count.  Any context. */
u32 kt_brake_nr_off(void);

#endif
