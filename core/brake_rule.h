/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * brake_rule.h - decide when the hits of a CPU take too much of its time, and which tracepoints are the most expensive.
 *
 * The functions only compute with numbers; brake.c calls them at each tick.  Also compiled in user space (unit
 * tests).
 */
#ifndef KTRACE_BRAKE_RULE_H
#define KTRACE_BRAKE_RULE_H

#include "core/env.h"

#define KT_BRAKE_STRIKES	10U	/* consecutive ticks over the budget until hits are turned away */
#define KT_BRAKE_CALM		3U	/* consecutive ticks well below it until hits count again */

/* The cost of a hit, in clock ticks: see brake_cost.c. */
struct kt_brake_cost {
	u64 hit;		/* every hit */
	u64 trap;		/* extra, for each breakpoint */
	u64 fault;		/* extra, for each load that failed */
};

/* The events on a CPU since the last look. */
struct kt_brake_load {
	u64 ticks;		/* clock ticks since then */
	u64 hits;		/* all hits, also those turned away */
	u64 braked;
	u64 traps, faults;
	u64 spent;		/* clock ticks measured for expensive hits (KT_DESC_DEAR) */
	u64 excused;		/* clock ticks not charged to any tracepoint: calibration */
	bool early;		/* hits are turned away already: an expensive hit did not wait for this look */
};

struct kt_brake_state {
	bool on;		/* hits are turned away */
	u32 strikes, calm;	/* consecutive ticks so far */
	u64 each;		/* average clock ticks of a hit, when hits were last turned away */
	u64 faults;		/* the part of `each` that failed loads took */
};

/* Clock ticks that the hits took, including what those turned away would have taken. */
u64 kt_brake_spent(const struct kt_brake_state *state, const struct kt_brake_cost *cost,
		   const struct kt_brake_load *load);

/* Should hits be turned away from now on?  percent: limit of the CPU time for tracepoints; 0: no limit. */
bool kt_brake_rule(struct kt_brake_state *state, const struct kt_brake_cost *cost, const struct kt_brake_load *load,
		   u32 percent);

/*
 * Choose the most expensive tracepoints.  Each belongs to a class: the power of two of the clock ticks that it
 * takes.  Add each tracepoint, then ask for the cut.  Disarm those of the cut class and above: the others then
 * take no more than `most` together.
 */
#define KT_BRAKE_CLASSES	65U

struct kt_brake_classes {
	u64 sum[KT_BRAKE_CLASSES];
};

static inline u32 kt_brake_class(u64 ticks)
{
	u32 class = 0;

	for (; ticks; ticks >>= 1)
		class++;
	return class;
}

static inline void kt_brake_class_add(struct kt_brake_classes *classes, u64 ticks)
{
	classes->sum[kt_brake_class(ticks)] += ticks;
}

/* KT_BRAKE_CLASSES: no tracepoint has to be disarmed. */
u32 kt_brake_cut(const struct kt_brake_classes *classes, u64 most);

#endif
