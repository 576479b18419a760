/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measurement.h - a measurement in progress: open calls, and on each CPU what was counted.  See struct
 * kt_measure in ktrace_abi.h.
 *
 * Its client and every descriptor with a role in it have a reference; it is freed when no hit can look at it.
 */
#ifndef KTRACE_MEASUREMENT_H
#define KTRACE_MEASUREMENT_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "core/group.h"
#include "core/interval.h"
#include "core/ktrace_abi.h"
#include "core/samples.h"

struct kt_cpu;
struct kt_desc;
struct kt_client;
struct pt_regs;

/* What a hit does: all that there is, or the usual short of it. */
enum kt_hit_path { KT_PATH_SLOW, KT_PATH_FAST_BEGIN, KT_PATH_FAST_END };

/* Numbers of struct kt_samples in a CPU's: all together, those of no group, then the groups. */
enum { KT_SAMPLES_ALL, KT_SAMPLES_OTHERS, KT_SAMPLES_GROUPS };

struct kt_measurement_cpu {
	struct kt_interval *inner;	/* the call that was opened last here, or what its place became */
	u8 *samples;
	u64 entered, overflow, abandoned;
	u64 unmatched, filtered, over_quota, filtered_by_task;
	u64 braked;		/* hits that the brake turned away */
	u64 value;		/* of the newest sample */
	u64 least;		/* of the slowest: what is not longer is none of them */
	u64 slowest[KT_MAX_TOP];
};

struct kt_measurement {
	/* What every hit reads. */
	struct kt_intervals intervals;
	struct kt_measurement_cpu __percpu *cpu;
	bool running;
	bool paused;		/* it would be running, but for the brake */
	bool across, lines;
	bool shared;		/* KT_MEASURE_SHARED */
	bool closes;		/* used under kt_change_lock: is one left that closes? */
	u32 nr_groups;
	u32 top;
	u32 group_bytes;	/* of the samples of one group */
	struct kt_group *groups;
	u64 quota;
	u64 latest;		/* KT_MEASURE_ACROSS: when it was opened, 0: it is not */
	u64 cost[KT_NR_METHODS][KT_NR_METHODS];
	u64 nested[2][KT_NR_METHODS];
	atomic64_t left;	/* samples until the quota is met */

	struct kref users;
	u32 id;
	const struct kt_client *client;	/* NULL: it is gone */
	struct list_head list;
	u64 reaped;		/* open calls whose thread was found gone */
	u64 dropped;		/* open calls whose end the brake may have turned away */
	u64 began;
	u64 ended;		/* 0: not yet; whoever exchanges that for a time ended it, kt_measurement_run() or a hit */
};

static __always_inline struct kt_samples *kt_measurement_samples(const struct kt_measurement *measurement,
								 const struct kt_measurement_cpu *cpu, u32 i)
{
	const u32 all = sizeof(struct kt_samples) + KT_HIST_BUCKETS * 8;

	return (struct kt_samples *)(cpu->samples + (i ? all + (i - 1) * measurement->group_bytes : 0));
}

static __always_inline bool kt_measurement_has_buckets(const struct kt_measurement *measurement, u32 i)
{
	return !i || !measurement->lines;
}

static __always_inline u64 *kt_samples_buckets(struct kt_samples *samples)
{
	return (u64 *)(samples + 1);
}

/*
 * A tracepoint with a role is hit: what its descriptor says is done.  now: ticks when the hit began; sp: the
 * stack pointer at the instruction.  NULL when it may be recorded, else the counter that accounts for it.
 * Context: in a hit.
 */
u64 *kt_measurement_hit(const struct pt_regs *regs, struct kt_desc *desc, u64 sp, enum kt_method method, u64 now);

/*
 * A CPU turns hits away from now on / no longer.  Meanwhile no measurement counts: a call of which a hit was turned
 * away would take the place of another one's end or beginning, on whatever CPU.  False: not now, some of them are just
 * being changed.  Any context with interrupts off.
 */
bool kt_measurements_pause(void);
void kt_measurements_unpause(void);	/* not in a hit: it waits */
/* When no CPU does any more: they count again, calls that were open meanwhile dropped.  Sleepable. */
void kt_measurements_resume(void);

/* After such a hit: the call around the one that it opened or closed has lost so many more ticks.  In a hit. */
void kt_measurement_charge(const struct kt_desc *desc, const struct pt_regs *regs, u64 sp, u64 more);

/*
 * The brake turns a hit away: count it for its tracepoint and its measurement.  Returns the counter that accounts for
 * it, which the caller raises.  Any context with interrupts off.
 */
u64 *kt_measurement_turn_away(struct kt_cpu *cpu, struct kt_desc *desc);

/* May one more sample be counted?  The hit that meets the quota ends the measurement and wakes who waits.  In a hit. */
bool kt_measurement_quota_take(struct kt_measurement *measurement, u64 now);

/* The ioctls: see ktrace_abi.h; -EFAULT, -ENOMEM.  Sleepable. */
int kt_measurement_create(struct kt_measure *arg, const struct kt_client *client);
int kt_measurement_run(struct kt_measure_run *arg, const struct kt_client *client);
int kt_measurement_tally(struct kt_tally *arg, const struct kt_client *client);

/* Has some measurement of it met its quota?  Any context. */
bool kt_measurement_over(const struct kt_client *client);
/* Does one of somebody else's run?  Those that may be shared are part of their tracepoints.  Sleepable. */
bool kt_measurement_others(const struct kt_client *client);

/* One that it may give roles in, with a reference; NULL without.  Sleepable. */
struct kt_measurement *kt_measurement_get(u32 id, const struct kt_client *client);
/* NULL is allowed.  No hit can look at it for that reason any more; sleepable. */
void kt_measurement_put(struct kt_measurement *measurement);
/* The open file is closed, its tracepoints are removed. */
void kt_measurement_client_gone(const struct kt_client *client);

#endif
