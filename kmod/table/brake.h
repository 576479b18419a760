/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * brake.h - tracepoints may take only so much of each CPU.
 *
 * On every online CPU a timer estimates every 10 ms what the hits took: their number times a calibrated cost, besides
 * what those that are known to be dear took by the clock.  Where that is over the budget (brake_rule.h) KT_NEST_BRAKED
 * is set in the word that each hit tests anyway (turn_away.h), and hits leave at once, counted as braked.  A thread then finds out
 * which tracepoints are the dearest and disarms them (brake_disarm.h); the hits count again when what is left, and
 * what was turned away, would be well below the budget.
 *
 * The timers run only while something is armed.
 */
#ifndef KTRACE_BRAKE_H
#define KTRACE_BRAKE_H

#include "core/brake_rule.h"
#include "core/ktrace_abi.h"

int kt_brake_init(void);	/* -ENOMEM, and what the kernel says to a thread or a state of CPU hotplug */
void kt_brake_exit(void);	/* nothing is armed any more */

/*
 * Something is about to be armed / perhaps nothing is armed any more: the timers start, or stop.  Sleepable, under
 * kt_change_lock alone.
 */
void kt_brake_start(void);
void kt_brake_follow(void);

/* The part of KT_IOC_STATUS. */
void kt_brake_status(struct kt_status *status);

/* Another number after it came, was let go or disarmed something: whoever waits is woken then. */
u64 kt_brake_events(void);

/* What tracepoints may take of a CPU, and what a hit costs: known after kt_brake_init(). */
extern unsigned int kt_brake_percent;
extern struct kt_brake_cost kt_brake_cost;

/* What a hit took there on the average, when hits were turned away; 0: they are not.  Another number, better known now. */
u64 kt_brake_each(unsigned int cpu);
void kt_brake_set_each(unsigned int cpu, u64 each);

#endif
