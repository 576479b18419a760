/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * brake_rule.h - when the hits of a CPU take too much of it, and which tracepoints are to blame.
 *
 * Plain functions of numbers; brake.c asks them at each tick.  Also compiled in user space (unit tests).
 */
#ifndef KTRACE_BRAKE_RULE_H
#define KTRACE_BRAKE_RULE_H

#include "core/env.h"

#define KT_BRAKE_STRIKES	10U	/* ticks over the budget, one behind the other, until hits are turned away */
#define KT_BRAKE_CALM		3U	/* ticks well below it, until they count again */

/* What a hit costs, in ticks of the clock: see brake_cost.c. */
struct kt_brake_cost {
	u64 hit;		/* every hit */
	u64 trap;		/* besides, each breakpoint */
	u64 fault;		/* each load that failed */
};

/* What happened on a CPU since the last look. */
struct kt_brake_load {
	u64 ticks;		/* that long ago */
	u64 hits;		/* all of them, also those turned away: */
	u64 braked;
	u64 traps, faults;
	u64 spent;		/* ticks that dear hits took by the clock */
	u64 excused;		/* ticks that are nobody's load: calibration */
	bool early;		/* hits are turned away already: a dear one did not wait for this look */
};

struct kt_brake_state {
	bool on;		/* hits are turned away */
	u32 strikes, calm;	/* ticks so far */
	u64 each;		/* ticks that a hit took on the average, when they were turned away last */
};

/* Ticks that the hits took; of those turned away, what they would have taken. */
u64 kt_brake_spent(const struct kt_brake_state *state, const struct kt_brake_cost *cost,
		   const struct kt_brake_load *load);

/* Are hits to be turned away from now on?  percent: what tracepoints may take of the CPU, 0: no limit. */
bool kt_brake_rule(struct kt_brake_state *state, const struct kt_brake_cost *cost, const struct kt_brake_load *load,
		   u32 percent);

/*
 * The dearest tracepoints go first.  They are sorted by the power of two below what they take: add each, then ask for
 * the cut.  Those of that class and of dearer ones are to go, so that the others take no more than `most` together.
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

/* KT_BRAKE_CLASSES: none has to go. */
u32 kt_brake_cut(const struct kt_brake_classes *classes, u64 most);

#endif
