/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * brake.h - the brake limits how much of each CPU the tracepoints may take.
 *
 * On each online CPU a timer estimates every 10 ms what the hits took: their number times a calibrated cost, plus the
 * time of dear hits by the clock.  If this is over the budget (brake_rule.h), the CPU turns its hits away
 * (turn_away.h): they leave at once, and are counted as braked.  A thread then finds the dearest tracepoints and
 * disarms them (brake_disarm.h).  The CPU takes hits again when the remaining tracepoints, with the hits that it
 * turned away, would stay well below the budget.
 *
 * The timers run only while something is armed.
 */
#ifndef KTRACE_BRAKE_H
#define KTRACE_BRAKE_H

#include "core/brake_rule.h"
#include "core/ktrace_abi.h"

/* -ENOMEM, or the error of kthread_run() or cpuhp_setup_state_nocalls().  Sleepable. */
int kt_brake_init(void);
void kt_brake_exit(void);	/* nothing is armed any more; sleepable */

/*
 * Before something is armed: start the timers.  After something was disarmed: stop them if nothing is armed any more.
 * Sleepable, under kt_change_lock alone.
 */
void kt_brake_start(void);
void kt_brake_follow(void);

/* Fill in the brake's fields for KT_IOC_STATUS. */
void kt_brake_status(struct kt_status *status);

/* How often the brake came on, disarmed tracepoints, or was let go.  Each time it also wakes all readers. */
u64 kt_brake_events(void);

/* The percentage of a CPU that tracepoints may take.  The cost of a hit: known after kt_brake_init(). */
extern unsigned int kt_brake_percent;
extern struct kt_brake_cost kt_brake_cost;

/*
 * The average ticks that failed loads took in a hit on this CPU, when it began to turn hits away.  0: it does not turn hits
 * away.
 */
u64 kt_brake_faults(unsigned int cpu);
/*
 * Replace the averages of this CPU by better ones, at its next timer tick: the ticks of a hit, and the part of them that
 * failed loads took.
 */
void kt_brake_set_each(unsigned int cpu, u64 each, u64 faults);

#endif
