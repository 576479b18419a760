/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn_away.h - the part of the brake (brake.h) that is in the hit path: a CPU can turn its hits away.
 *
 * A CPU turns hits away while KT_NEST_BRAKED is set in its kt_cpu.nest, a word that each hit tests anyway.  The brake's
 * timer sets the flag.  A hit sets it before the next timer tick, when dear hits have already taken too much time.
 */
#ifndef KTRACE_TURN_AWAY_H
#define KTRACE_TURN_AWAY_H

#include "kmod/records/buffer.h"
#include "percpu_arch.h"

static __always_inline bool kt_brake_is_on(const struct kt_cpu *cpu)
{
	return READ_ONCE(cpu->nest) & KT_NEST_BRAKED;
}

/*
 * Turn hits away on this CPU.  Interrupts are off and no hit is in progress on it.  If the measurements are being
 * changed right now (kt_measurements_pause()), this does nothing: the caller tries again later.
 */
void kt_brake_turn_on(void);
/* Stop it again on this CPU; not in a hit, because it waits for a lock.  True: no CPU turns hits away any more. */
bool kt_brake_turn_off(void);

/* How many CPUs turn hits away now; how often a CPU has begun to. */
u32 kt_brake_nr_on(void);
u64 kt_brake_nr_ever(void);
/* 0 while a CPU turns hits away, else a number that is another one after each time that a CPU did so. */
u64 kt_brake_moment(void);

/* The dear hits since the last timer tick took too much time: turn hits away now.  In a hit. */
void kt_brake_early(void);

/* The most ticks that one hit is charged.  A hit seems to take longer when its virtual machine does not run. */
extern u64 kt_brake_longest;

/* Charge the ticks of a dear hit to its CPU.  At the end of the hit, with interrupts off. */
static __always_inline void kt_brake_charge(u64 ticks)
{
	kt_cpu_add(kt_cpus.spent, min(ticks, kt_brake_longest));
	if (unlikely(kt_cpu_read(kt_cpus.spent) > kt_cpu_read(kt_cpus.spent_most)))
		kt_brake_early();
}

#endif
