/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_measure.h - measurements: calls that are paired, counted and calibrated.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_MEASURE_H
#define KTRACE_ABI_MEASURE_H

#include <linux/types.h>

/*
 * A measurement pairs hits: what opens a call, what closes it.  A call that is open has a place in a
 * table of fixed size, found by its key; when it is closed the time between is counted in a histogram
 * of each CPU.  It belongs to the open file that made it, and goes with that and the last
 * descriptor that has a role in it.
 *
 * With E hits at opening sites (`entered`) and R at closing ones, which the filters let through:
 *   E = overflow + abandoned + open + braked + taken,   R = taken + unmatched,
 *   taken = samples + filtered + over_quota
 *
 * While the brake turns hits away on some CPU nothing is counted, and calls that are open then are dropped (`braked`):
 * their end may have been turned away, and another one would look like it.
 */
struct kt_measure {
	__u32 size;
	__u32 flags;		/* KT_MEASURE_* */
	__u32 slots;		/* calls open at once, rounded up to a power of two; KT_MIN_SLOTS .. KT_MAX_SLOTS */
	__u32 saved;		/* bytes kept with each, at most KT_MAX_SAVED */
	__u32 groups;		/* at most KT_MAX_GROUPS; 0: none */
	__u32 top;		/* of the slowest on each CPU, at most KT_MAX_TOP */
	__u32 id;		/* [out] */
	__u32 reserved;
};

#define KT_MEASURE_ACROSS	(1U << 0)	/* one call is open at a time, whatever the thread */
#define KT_MEASURE_LINES	(1U << 1)	/* groups are numbered, and have no histogram */
/* It outlives its open file, running, for as long as a descriptor has a role in it; any file may give such. */
#define KT_MEASURE_SHARED	(1U << 2)

#define KT_MIN_SLOTS		64
#define KT_MAX_SLOTS		(1U << 20)
#define KT_MAX_SAVED		512
#define KT_MAX_GROUPS		1024
#define KT_MAX_TOP		64
#define KT_MAX_KEY		16	/* bytes of what a group is known by */
#define KT_MAX_BIAS		(1 << 16)	/* more than any stack is large */

/*
 * What a tracepoint does in a measurement.  The key of its call is a register (by DWARF
 * number) plus bias: the stack pointer at the call's entry, or another word that no two calls of a
 * stack have at once; with KT_ROLE_THREAD it is the thread.
 */
struct kt_role {
	__u32 size;
	__u32 measure;		/* id */
	__u32 what;		/* KT_ROLE_* */
	__u32 reg;
	__s32 bias;		/* at most KT_MAX_BIAS up or down */
	__u32 group;		/* KT_MEASURE_LINES: what the time from here on counts for */
	__u32 saved;		/* KT_ROLE_BEGIN: so many bytes of its payload are kept */
	__u16 by;		/* KT_ROLE_END: so many of the kept bytes are the key of its group, */
	__u16 by_at;		/* from this one on */
};

#define KT_ROLE_BEGIN		(1U << 0)
#define KT_ROLE_STEP		(1U << 1)	/* what is open goes on in another group */
#define KT_ROLE_END		(1U << 2)
#define KT_ROLE_THREAD		(1U << 3)
#define KT_ROLE_SILENT		(1U << 4)	/* nothing is recorded */
#define KT_ROLE_TOP		(1U << 5)	/* recorded where it is one of the slowest */
/*
 * KT_ROLE_BEGIN: calls that the filter says no to are opened, to be counted as filtered when they end.
 * KT_ROLE_END: the call is closed before the filter is asked; where that says no, it is counted as filtered.
 */
#define KT_ROLE_MARK		(1U << 6)
#define KT_ROLE_TALLY		(1U << 7)	/* KT_ROLE_END, KT_ROLE_STEP: counted; else only known to its program */
#define KT_ROLE_SLOW_PATH	(1U << 8)	/* its hits go the slow path, whatever they need: for calibration, see slow_path */
/*
 * KT_ROLE_BEGIN, with KT_ROLE_SILENT: there for the sake of those that close only.  It is not listed, not
 * deleted by its address, and goes when no tracepoint that closes is left in its measurement.
 */
#define KT_ROLE_HIDDEN		(1U << 9)
/*
 * KT_ROLE_BEGIN of a function that ends at KT_SITE_RETURN: where a call of this key and thread is open, the function was
 * jumped to again before it returned.  The first is counted when all of them have returned, the others are abandoned.
 */
#define KT_ROLE_JUMPS		(1U << 10)
#define KT_ROLE_FLAGS		((1U << 11) - 1)

/* KT_IOC_MEASURE_RUN: hits count from now on, or no longer.  -ENOENT: no such measurement of this file. */
struct kt_measure_run {
	__u32 size;
	__u32 id;
	__u32 on;
	__u32 reserved;
	__u64 quota;		/* samples, then it stops; 0: no end */
	/* Taken off each sample, in ticks: by the methods of its two ends; and for each hit inside off what encloses it. */
	__u64 cost[KT_NR_METHODS][KT_NR_METHODS];
	__u64 nested[2][KT_NR_METHODS];	/* of a hit that opens or steps; that closes */
};

/* Ticks. */
struct kt_samples {
	__u64 count;
	__u64 sum;
	__u64 square_low, square_high;	/* the sum of their squares: 128 bits */
	__u64 min, max;			/* ~0 and 0 of none */
	__u64 taken_off;		/* by cost and nested, of all together */
	__u64 clamped;			/* would have become less than 0 */
};

/*
 * KT_IOC_TALLY: what was counted so far, over all CPUs; exact when the measurement does not run.  group:
 * KT_TALLY_ALL, the number of one, or KT_TALLY_OTHERS, which found no room among the groups.  buckets may be 0; of
 * groups of KT_MEASURE_LINES there are none.  -ENOENT.
 */
struct kt_tally {
	__u32 size;
	__u32 id;
	__u32 group;
	__u32 nr_groups;	/* [out] in use */
	__u64 buckets;		/* __u64[KT_HIST_BUCKETS] of histogram.h */
	__u8  key[KT_MAX_KEY];	/* [out] of the group */
	struct kt_samples samples;	/* [out] */
	__u64 entered, overflow, abandoned, open;	/* [out] of the measurement */
	__u64 unmatched, filtered, over_quota, filtered_by_task;	/* [out] */
	__u64 braked;		/* [out] open when the brake came */
	__u64 turned_away;	/* [out] hits at its tracepoints that the brake turned away; part of none of these */
	__u64 began, ended;	/* [out] ticks of KT_IOC_MEASURE_RUN; ended is that of the last sample where a quota ended it, 0: it runs */
};

#define KT_TALLY_ALL		0xffffffffU
#define KT_TALLY_OTHERS		0xfffffffeU

/*
 * KT_IOC_CALIBRATE: call the function behind KT_SITE_SCRATCH so often, at most KT_MAX_CALLS, with interrupts off
 * in each call.  Its tracepoints do what they are set for, in a call of measurement `id` that
 * encloses each; id 0: in none.  All results are medians.  Its hits are not counted as measured.  -ENOENT; -EBUSY:
 * see the flag; -EAGAIN: the brake turned hits away meanwhile.
 */
struct kt_calibrate {
	__u32 size;
	__u32 calls;
	__u32 id;
	__u32 flags;		/* KT_CALIBRATE_* */
	__u64 whole;		/* [out] ticks of one call as seen from outside */
	__u64 inside;		/* [out] ticks from entry to return without any tracepoint */
	__u64 charged;		/* [out] ticks that its hits took off the enclosing call */
	__u64 sample;		/* [out] ticks counted for the call; */
	__u64 low, high;	/* [out] and their 1st and 99th percentile */
};

#define KT_MAX_CALLS		4096

/* Only where no measurement of another file runs: its samples would be longer by it.  Shared ones are none. */
#define KT_CALIBRATE_ALONE	(1U << 0)
/* The function of KT_SCRATCH_CALLED and KT_SCRATCH_RETURNED, not that of the other two. */
#define KT_CALIBRATE_RETURN	(1U << 1)

#endif
