/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_away.h - where hits are turned away: what the brake (brake.h) has in the hit path.
 *
 * KT_NEST_BRAKED in the word that each hit tests anyway says that they are, on its CPU.  The brake's timer sets it, or
 * a hit when dear ones have taken so much that the next tick is not waited for.
 */
#ifndef KTRACE_TURN_AWAY_H
#define KTRACE_TURN_AWAY_H

#include <linux/percpu.h>

#include "kmod/records/buffer.h"

static __always_inline bool kt_brake_is_on(const struct kt_cpu *cpu)
{
	return READ_ONCE(cpu->nest) & KT_NEST_BRAKED;
}

/* On its own CPU, no hit of which is in progress.  It may not come about: try again. */
void kt_brake_turn_on(void);
/* The same where it is on, not in a hit: it waits.  True: now no CPU does any more. */
bool kt_brake_turn_off(void);

/* How many CPUs do; how often one began to. */
u32 kt_brake_nr_on(void);
u64 kt_brake_nr_ever(void);
/* Another number after hits were turned away somewhere, 0 while they are. */
u64 kt_brake_moment(void);

/* So many dear hits came since the last tick that the next one is not waited for. */
void kt_brake_early(void);

/* A hit is charged no more than that: what takes longer is a virtual machine that was not running. */
extern u64 kt_brake_longest;

/* A dear hit took so long.  At its end, interrupts off. */
static __always_inline void kt_brake_charge(u64 ticks)
{
	this_cpu_add(kt_cpus.spent, min(ticks, kt_brake_longest));
	if (unlikely(this_cpu_read(kt_cpus.spent) > this_cpu_read(kt_cpus.spent_most)))
		kt_brake_early();
}

#endif
