/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_measure.h - measurements: time calls, count them, and calibrate the cost of the hits.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_MEASURE_H
#define KTRACE_ABI_MEASURE_H

#include <linux/types.h>

/*
 * A measurement pairs hits: one that opens a call and one that closes it.  A table of fixed size has an entry
 * for each open call (an open interval), found by its key.  The hit that closes the call counts the time in a
 * histogram of its CPU.  A measurement belongs to the open file that made it.  It is freed when this file is
 * closed and no descriptor has a role in it any more.
 *
 * With E hits that opened (`entered`) and R that closed, of those that the filters let through:
 *   E = overflow + abandoned + open + braked + taken,   R = taken + unmatched,
 *   taken = samples + filtered + over_quota
 * abandoned counts abandoned calls: their end was not seen.  over_quota counts calls over quota.
 *
 * While the brake turns hits away on some CPU the measurement counts nothing, and drops the calls that are open
 * then (`braked`): the brake may have turned away their end, and the end of a later call would look like it.
 */
struct kt_measure {
	__u32 size;
	__u32 flags;		/* KT_MEASURE_* */
	__u32 slots;		/* calls open at once, KT_MIN_SLOTS .. KT_MAX_SLOTS; rounded up to a power of two */
	__u32 saved;		/* bytes saved with each open call, at most KT_MAX_SAVED */
	__u32 groups;		/* at most KT_MAX_GROUPS, with KT_MEASURE_EXITS KT_MAX_LINE_GROUPS; 0: none */
	__u32 top;		/* how many of the slowest calls each CPU keeps, at most KT_MAX_TOP */
	__u32 id;		/* [out] */
	__u32 reserved;
};

#define KT_MEASURE_ACROSS	(1U << 0)	/* one open call at a time, in any thread */
#define KT_MEASURE_LINES	(1U << 1)	/* groups have numbers and no histogram */
/*
 * It survives its open file and goes on as long as a descriptor has a role in it; any file may set such
 * descriptors.
 */
#define KT_MEASURE_SHARED	(1U << 2)
/*
 * With KT_MEASURE_LINES: the groups have two halves.  The second has the calls by the line by which they left the
 * function (KT_ROLE_OUT).
 */
#define KT_MEASURE_EXITS	(1U << 3)
/*
 * With KT_MEASURE_EXITS: the groups have four quarters: lines and ways out of the calls counted, and of those that
 * the filter of the closing tracepoint turned down.  The visits and times of lines (count and sum of their samples; the
 * rest is not kept) are added when the call has ended.
 */
#define KT_MEASURE_SPLIT	(1U << 4)

/*
 * The calls of all measurements of this open file with this flag enclose each other: the time of a call has nothing of
 * the hits of another of them in it.
 */
#define KT_MEASURE_TOGETHER	(1U << 5)
/*
 * The calls are those of programs: all its tracepoints are of KT_SITE_USER.  Stacks of different processes have the same
 * addresses, and a call may go on in another thread of its process, together with its stack.  So a call is known by its
 * process and its key, whatever the thread.
 */
#define KT_MEASURE_PROCESS	(1U << 6)

#define KT_MIN_SLOTS		64
#define KT_MAX_SLOTS		(1U << 20)
#define KT_MAX_SAVED		512
#define KT_MAX_GROUPS		1024
#define KT_MAX_LINE_GROUPS	(4 * KT_MAX_GROUPS)
#define KT_MAX_TOP		64
#define KT_MAX_KEY		16	/* bytes of the key of a group */
#define KT_MAX_BIAS		(1 << 16)	/* larger than any kernel stack; with KT_MEASURE_PROCESS there is no limit */

/*
 * The role of a tracepoint in a measurement.  The key of a call is a register (by DWARF number) plus bias.  It
 * is the stack pointer at the call's entry, or another word that differs between all open calls of a stack.
 * With KT_ROLE_THREAD the key is the thread.
 */
struct kt_role {
	__u32 size;
	__u32 measure;		/* id */
	__u32 what;		/* KT_ROLE_* */
	__u32 reg;
	__s32 bias;		/* between -KT_MAX_BIAS and KT_MAX_BIAS: see there */
	__u32 group;		/* KT_MEASURE_LINES: the group that the time from here on counts for */
	__u32 saved;		/* bytes of its payload to save with the call, in place of what is saved; KT_ROLE_END: if it has `by` */
	__u16 by;		/* KT_ROLE_END: bytes of the saved ones that are the key of the group */
	__u16 by_at;		/* the first of these bytes */
	__u16 body, to;		/* KT_ROLE_LEAVES and so on: the function that the tracepoint is in, the one that it jumps to */
	__u32 reserved;
};

#define KT_ROLE_BEGIN		(1U << 0)
/* The open call continues in another group.  Without KT_MEASURE_LINES: it comes by here, and only saves. */
#define KT_ROLE_STEP		(1U << 1)
#define KT_ROLE_END		(1U << 2)
#define KT_ROLE_THREAD		(1U << 3)
#define KT_ROLE_SILENT		(1U << 4)	/* it records nothing */
#define KT_ROLE_TOP		(1U << 5)	/* it records only calls that are among the slowest */
/*
 * KT_ROLE_BEGIN: also open calls that the filter turns down; they count as filtered when they end.
 * KT_ROLE_END: close the call before the filter runs; it counts as filtered if the filter turns it down.
 */
#define KT_ROLE_MARK		(1U << 6)
#define KT_ROLE_TALLY		(1U << 7)	/* close or step: count the call; else only its program sees it */
#define KT_ROLE_SLOW_PATH	(1U << 8)	/* always take the slow path: for calibration, see slow_path */
/*
 * KT_ROLE_BEGIN, with KT_ROLE_SILENT: it serves tracepoints that only close.  KT_IOC_LIST does not show it, and
 * KT_IOC_DELETE by address does not remove it.  It goes with the last tracepoint of its measurement that
 * closes.
 */
#define KT_ROLE_HIDDEN		(1U << 9)
/*
 * KT_ROLE_BEGIN of a function that ends at KT_SITE_RETURN.  If a call of this key and thread is open already,
 * the function was entered again by a jump before it returned.  The first call is counted when all of them have
 * returned; the others are abandoned (abandoned).
 */
#define KT_ROLE_JUMPS		(1U << 10)
/*
 * KT_MEASURE_EXITS: calls may leave the function by this line.  A call leaves by the last such line that it
 * reached.
 */
#define KT_ROLE_OUT		(1U << 11)
/*
 * KT_MEASURE_PROCESS, for functions of Go: a stack may move during a call.  reg has the address of the goroutine, a struct
 * that begins with both ends of its stack.  The key is the goroutine, and how far the stack pointer (plus bias) is from the
 * upper end.  A call whose goroutine cannot be read is not followed: overflow.
 */
#define KT_ROLE_GOROUTINE	(1U << 12)
/*
 * Tail calls of programs: the measured function jumps to another one, which returns in its place.  With
 * KT_MEASURE_PROCESS, and not with KT_MEASURE_LINES, up to KT_MAX_BODIES functions in which a call may be have numbers; 0 is
 * the measured one.  Each tracepoint says in which it is (body).  With KT_ROLE_STEP, and without anything saved:
 *
 *   LEAVES   before a jump to the function `to`; KT_TO_NOBODY: a call that jumps there is not followed, but abandoned
 *   STAYS    behind a conditional jump: the call has not jumped
 *   ARRIVES  the entry of a function: an open call of this key has jumped to it, or it has ended unseen: abandoned
 *
 * KT_ROLE_END in another function than 0 closes only a call that has arrived there.
 */
#define KT_ROLE_LEAVES		(1U << 13)
#define KT_ROLE_STAYS		(1U << 14)
#define KT_ROLE_ARRIVES		(1U << 15)
#define KT_ROLE_FOLLOWS		(KT_ROLE_LEAVES | KT_ROLE_STAYS | KT_ROLE_ARRIVES)
/* Take the path of a site with several tracepoints: for calibration, see `shared` of struct kt_list_entry. */
#define KT_ROLE_SHARED_PATH	(1U << 16)
#define KT_ROLE_FLAGS		((1U << 17) - 1)

#define KT_MAX_BODIES		64
#define KT_TO_NOBODY		KT_MAX_BODIES

/* KT_IOC_MEASURE_RUN: start or stop counting.  -ENOENT: this file has no such measurement. */
struct kt_measure_run {
	__u32 size;
	__u32 id;
	__u32 on;
	__u32 reserved;
	__u64 quota;		/* stop after that many samples; 0: no limit */
	/*
	 * Ticks taken off each sample, by the methods of its two ends; and, for each hit inside a call, off
	 * that call.
	 */
	__u64 cost[KT_NR_METHODS][KT_NR_METHODS];
	__u64 nested[2][KT_NR_METHODS];	/* [0]: a hit that opens or steps; [1]: one that closes */
};

/* Sums over the durations counted, in ticks. */
struct kt_samples {
	__u64 count;
	__u64 sum;
	__u64 square_low, square_high;	/* the 128-bit sum of their squares */
	__u64 min, max;			/* without a sample: ~0 and 0 */
	__u64 taken_off;		/* sum of what cost and nested took off */
	__u64 clamped;			/* samples that would have been negative; they count as 0 */
};

/*
 * KT_IOC_TALLY: the counts so far, over all CPUs; exact while the measurement is stopped.  group is
 * KT_TALLY_ALL, the number of a group, or KT_TALLY_OTHERS for calls without room among the groups.  buckets may
 * be 0; it must be 0 for groups of KT_MEASURE_LINES (-EINVAL).
 * -ENOENT: no such measurement or group; -ENOMEM; -EFAULT.
 */
struct kt_tally {
	__u32 size;
	__u32 id;
	__u32 group;
	__u32 nr_groups;	/* [out] groups that it was made with */
	__u64 buckets;		/* __u64[KT_HIST_BUCKETS] of histogram.h */
	__u8  key[KT_MAX_KEY];	/* [out] of the group */
	struct kt_samples samples;	/* [out] of the group */
	__u64 entered, overflow, abandoned, open;	/* [out] of the whole measurement */
	__u64 unmatched, filtered, over_quota, filtered_by_task;	/* [out] filtered_by_task: hits of tasks that were not asked for */
	__u64 braked;		/* [out] calls open when the brake began */
	__u64 turned_away;	/* [out] hits at its tracepoints that the brake turned away; in none of the above */
	__u64 spanned;		/* [out] calls open when a window (struct kt_status) began at one of its tracepoints */
	__u64 unmeasured;	/* [out] hits at its tracepoints in or just after such a window; in none of the above */
	/* [out] how often other tracepoints that came or went have changed what hits at its own cost: `shared` of struct kt_list_entry */
	__u64 changes;
	/* [out] ticks; if the quota ended it, `ended` is the time of the last sample; 0: it runs */
	__u64 began, ended;
};

#define KT_TALLY_ALL		0xffffffffU
#define KT_TALLY_OTHERS		0xfffffffeU

/*
 * KT_IOC_CALIBRATE: call the scratch function (KT_SITE_SCRATCH) `calls` times, at most KT_MAX_CALLS, with
 * interrupts off during each call.  Its tracepoints work as set.  With id, an open call of that measurement
 * encloses each of the calls.  All results are medians.  The hits do not count as measured.
 * -ENOENT: no such measurement; -EBUSY: see KT_CALIBRATE_ALONE; -EAGAIN: the brake turned hits away meanwhile.
 */
struct kt_calibrate {
	__u32 size;
	__u32 calls;
	__u32 id;
	__u32 flags;		/* KT_CALIBRATE_* */
	__u64 whole;		/* [out] ticks of one call, seen from outside */
	__u64 inside;		/* [out] ticks from entry to return without a tracepoint */
	__u64 charged;		/* [out] ticks that its hits took off the enclosing call */
	__u64 sample;		/* [out] ticks counted for the call */
	__u64 low, high;	/* [out] 1st and 99th percentile of sample */
};

#define KT_MAX_CALLS		4096

/*
 * Refuse (-EBUSY) while a measurement of another file runs: calibration would lengthen its samples.  Shared
 * ones do not count.
 */
#define KT_CALIBRATE_ALONE	(1U << 0)
/* Call the function of KT_SCRATCH_CALLED and KT_SCRATCH_RETURNED, not that of the other two. */
#define KT_CALIBRATE_RETURN	(1U << 1)

#endif
