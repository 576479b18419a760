/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measurement.h - a measurement: its open intervals, and the counts of each CPU.  See struct kt_measure in
 * ktrace_abi.h.
 *
 * The client and each descriptor with a role in the measurement hold a reference.  A descriptor drops its reference
 * when no hit can use it any more, so the last reference frees the measurement.
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

/* The path of a hit.  The slow path can do everything; a fast path does the usual begin or end of a call. */
enum kt_hit_path { KT_PATH_SLOW, KT_PATH_FAST_BEGIN, KT_PATH_FAST_END };

#define KT_NR_THREADS	4096

/* Index of a struct kt_samples of a CPU: all samples, those of no group, then one index for each group. */
enum { KT_SAMPLES_ALL, KT_SAMPLES_OTHERS, KT_SAMPLES_GROUPS };

/* What an open interval of KT_MEASURE_EXITS has in `saved`. */
struct kt_call_lines {
	u64 out;		/* the line by which the call leaves, so far */
	u64 taken_off;		/* only with KT_MEASURE_SPLIT: what was taken off its time so far */
	struct kt_call_line {
		u64 visits, ticks;
	} line[];		/* there are some only with KT_MEASURE_SPLIT */
};

struct kt_measurement_cpu {
	struct kt_interval *inner;	/* the call opened last on this CPU; its slot may be reused since */
	u8 *samples;
	u64 entered, overflow, abandoned;
	u64 unmatched, filtered, over_quota, filtered_by_task;
	u64 braked;		/* hits that the brake turned away */
	u64 unmeasured;		/* hits while a window kept it from running */
	u64 value;		/* of the newest sample */
	u64 least;		/* the shortest in slowest[]: only a longer sample enters the list */
	u64 slowest[KT_MAX_TOP];
};

/*
 * KT_MEASURE_TOGETHER: the measurements of one client whose calls enclose each other.  kt_measurement_lock protects it.
 */
struct kt_team {
	struct kt_interval * __percpu *inner;	/* as in kt_measurement_cpu, of all members */
	struct kt_interval **threads;		/* as in kt_measurement; NULL: no member has KT_MEASURE_PROCESS */
	u32 nr;					/* members that are not freed yet */
	/* Freed members: the others may still point to their open intervals, so their memory stays until the last is freed. */
	struct list_head freed;
};

struct kt_measurement {
	/* Every hit reads these fields. */
	struct kt_intervals intervals;
	struct kt_measurement_cpu __percpu *cpu;
	bool running;
	bool paused;		/* it is not running only because of the brake, or of a window */
	bool windowed;		/* paused, and by a window (kmod/table/window.h) */
	bool held;		/* a window is open in which its tracepoints are disarmed */
	bool across, lines;
	bool split;		/* KT_MEASURE_SPLIT */
	bool shared;		/* KT_MEASURE_SHARED */
	bool process;		/* KT_MEASURE_PROCESS */
	bool closes;		/* for remove.c, under kt_change_lock: a tracepoint that closes calls is left */
	u32 nr_groups;
	u32 nr_lines;		/* KT_MEASURE_EXITS: groups in each part; else 0 */
	u32 saved;		/* bytes that tracepoints may save with a call */
	u32 top;
	u32 group_bytes;	/* of the samples of one group */
	struct kt_group *groups;
	struct kt_team *team;	/* NULL: its calls enclose only each other */
	/*
	 * KT_MEASURE_PROCESS: the call opened last in a thread, which others interrupt while it goes on; [KT_NR_THREADS] by
	 * the thread's id.  Another thread may have the same place: check the call.  The team's, if there is one.
	 */
	struct kt_interval **threads;
	u64 quota;
	u64 latest;		/* KT_MEASURE_ACROSS: when the interval was opened; 0: none is open */
	u64 cost[KT_NR_METHODS][8];		/* struct kt_measure_run; a power of two, because a hit looks here */
	u64 nested[2][KT_NR_METHODS];		/* struct kt_measure_run */
	atomic64_t left;	/* samples until the quota is met */

	struct kref users;
	u32 id;
	const struct kt_client *client;	/* NULL: its file is closed */
	struct list_head list;
	u64 reaped;		/* open intervals that were freed because their thread is gone */
	u64 dropped;		/* open intervals that were freed because the brake may have turned their end away */
	u64 changes;		/* kt_measurement_changes() */
	u64 spanned;		/* the same, because their tracepoints were disarmed in a window */
	u64 began;
	u64 ended;		/* 0: not yet; kt_measurement_run() or a hit sets it, the first one by an exchange */
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
 * The slow path of a tracepoint with a role: do what its descriptor says.  now: ticks when the hit began; sp: the stack
 * pointer at the instruction.  Returns NULL if the hit may be recorded, else the counter that the caller raises for it.
 * Context: in a hit.
 */
u64 *kt_measurement_hit(const struct pt_regs *regs, struct kt_desc *desc, u64 sp, enum kt_method method, u64 now);

/*
 * A CPU begins to turn hits away: pause all measurements.  Otherwise a hit that was turned away could match the begin
 * of one call with the end of another, on any CPU.  False: a measurement is being changed right now, so nothing is
 * paused, and the caller tries again later.  Any context with interrupts off.
 */
bool kt_measurements_pause(void);
/* A CPU turns hits away no longer.  The measurements stay paused.  Not in a hit, because it waits for a lock. */
void kt_measurements_unpause(void);
/* No CPU turns hits away, or a window is over: drop the open intervals, and let paused measurements run.  Sleepable. */
void kt_measurements_resume(void);

/*
 * Some of its tracepoints are about to be disarmed, or armed, for a window: pause it until kt_measurements_release()
 * and kt_measurements_resume().  The caller is an RCU reader of a descriptor that uses it.  Any task context.
 */
void kt_measurement_hold(struct kt_measurement *measurement);
/* The window is over.  The measurements stay paused.  Any task context. */
void kt_measurements_release(void);

/* From now on, hits at one of its tracepoints cost another time, because other tracepoints have come or gone.  Under kt_table_lock. */
void kt_measurement_changes(struct kt_measurement *measurement);

/*
 * After kt_measurement_hit(): take `more` ticks from the time of the call that encloses the one that the hit opened or
 * closed.  Interrupts are still off since then.
 */
void kt_measurement_charge(const struct kt_desc *desc, const struct pt_regs *regs, u64 sp, u64 more);

/*
 * The brake turns a hit away: count it for its tracepoint and its measurement.  Returns the counter of the CPU that the
 * caller raises for it.  Any context with interrupts off.
 */
u64 *kt_measurement_turn_away(struct kt_desc *desc);

/* The measurement of this descriptor does not run: count the hit, return the counter to raise.  The same context. */
u64 *kt_measurement_stands(struct kt_desc *desc);

/*
 * Take one sample from the quota.  False: none is left.  The hit that takes the last one ends the measurement and wakes
 * the readers.  In a hit.
 */
bool kt_measurement_quota_take(struct kt_measurement *measurement, u64 now);

/* The ioctls KT_IOC_MEASURE, _MEASURE_RUN and _TALLY.  Errors of ktrace_abi.h; -EFAULT, -ENOMEM.  Sleepable. */
int kt_measurement_create(struct kt_measure *arg, const struct kt_client *client);
int kt_measurement_run(struct kt_measure_run *arg, const struct kt_client *client);
int kt_measurement_tally(struct kt_tally *arg, const struct kt_client *client);

/* Has a measurement of this client ended, by its quota or by kt_measurement_run()?  Sleepable. */
bool kt_measurement_over(const struct kt_client *client);
/* Does another client's measurement run?  Shared ones do not count: they belong to their tracepoints.  Sleepable. */
bool kt_measurement_others(const struct kt_client *client);

/*
 * Find a measurement that this client may use: its own, or a shared one.  The caller gets a reference.  NULL: there is
 * none with this id.  Sleepable.
 */
struct kt_measurement *kt_measurement_get(u32 id, const struct kt_client *client);
/* Drop a reference.  No hit can use the measurement through its holder any more.  NULL is allowed.  Sleepable. */
void kt_measurement_put(struct kt_measurement *measurement);
/* The client's file is closed: stop its measurements, except shared ones, and drop its references.  Sleepable. */
void kt_measurement_client_gone(const struct kt_client *client);

#endif
