/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_aggregate.h - aggregates: tables in which hits count values by key, instead of writing records.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_AGGREGATE_H
#define KTRACE_ABI_AGGREGATE_H

#include <linux/types.h>

/*
 * KT_IOC_AGGREGATE: make an aggregate.  Tracepoints that this open file sets join it by their kt_site_req.aggregate.  A
 * hit of such a tracepoint writes no record.  Its program emits the key, and then, except for KT_AGG_COUNT, the value:
 *
 *   0                      key_bytes
 *   +----------------------+----------------+
 *   | key                  | value: 8 bytes |
 *   +----------------------+----------------+
 *
 * A mask of unreadable items (KT_OP_FAULTS) is the first part of the key.  A hit whose value is unreadable is counted in
 * `unreadable`, one whose key finds no room in `lost`.  Both are hits that are not recorded.  In struct kt_cpu_status
 * every hit that gets that far is `measured`.
 *
 * The file holds the aggregate until KT_IOC_AGGREGATE_RELEASE, or until it is closed; each tracepoint holds it, too.
 * -EINVAL: a value is out of range; -EOPNOTSUPP: an unknown flag; -ENOMEM: there is not enough memory, or it would take
 * more than KT_AGG_MAX_BYTES.
 */
struct kt_aggregate_req {
	__u32 size;
	__u32 flags;		/* KT_AGGREGATE_* */
	__u32 kind;		/* KT_AGG_* */
	__u32 keys;		/* room for at least that many keys, 1 .. KT_AGG_MAX_KEYS */
	__u32 key_bytes;	/* of one key, a multiple of 4; 0: there is one value, without a key */
	__u32 value_bit;	/* bit of the mask for an unreadable value; KT_AGG_READABLE: it is always readable */
	__s64 low;		/* KT_AGG_LHIST: the first bucket begins there; else 0 */
	__u64 step;		/* KT_AGG_LHIST: width of a bucket, at least 1; else 0 */
	__u32 buckets;		/* KT_AGG_LHIST: 1 .. KT_AGG_MAX_BUCKETS; else 0 */
	__u32 id;		/* [out] */
};

#define KT_AGGREGATE_SIGNED	(1U << 0)	/* the values are signed */

enum kt_agg {
	KT_AGG_COUNT,
	KT_AGG_SUM, KT_AGG_AVG,	/* both: the number of values and their sum */
	KT_AGG_MIN, KT_AGG_MAX,	/* their number, and the extreme one */
	KT_AGG_HIST,		/* how many of them are negative, 0, 1, 2 and 3, 4 to 7, ... */
	KT_AGG_LHIST,		/* how many are below `low`, in each of the buckets, above them */
	KT_NR_AGGS,
};

#define KT_AGG_MAX_KEYS		(1U << 20)
#define KT_AGG_MAX_BUCKETS	1000
#define KT_AGG_HIST_BUCKETS	66
#define KT_AGG_MAX_BYTES	(1ULL << 30)
#define KT_AGG_READABLE		0xffffffffU

/* KT_IOC_AGGREGATE_RELEASE: the file holds the aggregate no longer.  -ENOENT: it holds none with this id. */
struct kt_aggregate_release {
	__u32 size;
	__u32 id;
};

/*
 * KT_IOC_AGGREGATE_GET: read an aggregate of any file.  An entry is a key, filled up with zeros to a multiple of 8 bytes,
 * and the words of its value, summed over all CPUs:
 *
 *   KT_AGG_COUNT                    how many
 *   KT_AGG_SUM, _AVG                how many, low half of the sum, high half
 *   KT_AGG_MIN, _MAX                how many, the extreme value, 0
 *   KT_AGG_HIST, _LHIST             how many in each bucket; for _LHIST the first and the last are those outside
 *
 * Two entries may have the same key, where two CPUs met it for the first time at once: the reader adds them.
 *
 * Hits go on meanwhile.  Each entry of each CPU is read as it was at one moment: what is said of a value fits together,
 * and no hit is counted half.  With KT_AGGREGATE_CLEAR the call first gives the tracepoints an empty table, and waits for
 * the hits in progress.  So each hit is either in what the call returns, or in the new table.
 * -ENOENT: there is none with this id; -ENOSPC: room is less than `bytes`, nothing was read or cleared; -EAGAIN: an entry
 * changed at each of many attempts; -ENOMEM, -EFAULT, -EINTR; -EOPNOTSUPP: an unknown flag.  With KT_AGGREGATE_CLEAR
 * nothing is cleared on an error except -EFAULT.
 */
struct kt_aggregate_get {
	__u32 size;
	__u32 flags;		/* KT_AGGREGATE_CLEAR */
	__u32 id;
	__u32 nr;		/* [out] entries written */
	__u64 entries;
	__u64 room;		/* bytes at entries */
	__u64 bytes;		/* [out] of all entries that the table can have */
	__u32 entry_bytes;	/* [out] of one entry */
	__u32 reserved;		/* 0 */
	__u64 lost;		/* [out] hits whose key found no room */
	__u64 unreadable;	/* [out] hits whose value was unreadable */
	__u64 began;		/* [out] ticks when the table was empty */
};

#define KT_AGGREGATE_CLEAR	(1U << 0)

#endif
