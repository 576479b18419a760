/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_ring.h - the trace ring as a controller maps it.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_RING_H
#define KTRACE_ABI_RING_H

#include <linux/types.h>

/*
 * The control structure at the start of each CPU's mapping.  Only the module writes it.
 *
 * word is the whole state of the writer:
 *
 *   63                           32 31            16 15             0
 *   +------------------------------+----------------+---------------+
 *   | packet number, low 32 bits   | next free unit | records in it |
 *   +------------------------------+----------------+---------------+
 *
 * "next free unit" counts units of the ring's form (below) from the start of the packet, its header included.
 * KT_WORD_CLOSED there means that the writer is exchanging the packet for the next one.
 */
struct kt_ring_ctl {
	__u64 word;
	__u64 last_ts;		/* time of the newest record, or earlier */
	__u64 seq;		/* number of the newest packet */
	__u64 count;		/* number of records before that packet */
	__u64 discarded;
	__u64 recursed;
	__u64 filtered;
	__u64 frozen;
	__u64 seen;		/* see struct kt_cpu_status */
	__u64 cleared;
	__u64 lost_seen;	/* records lost before the seen position */
	__u64 seen_seq;		/* the packet that contains the seen position */
	__u64 discarded_seen;	/* discarded records that were reported or cleared */
	__u64 generation;	/* number of the area in use; rises when the ring moves to another area */
	__u64 first_seq;	/* the oldest packet in that area */
	__u64 measured;
	__u64 braked;
};

/*
 * The area of a ring, in front of the sub-buffers on pages of its own.  A ring that changes its size moves to a
 * new area; the fields of an area never change.
 */
struct kt_ring_area {
	__u64 generation;
	__u32 subbuf_bytes;
	__u32 nr_subbufs;
	__u64 reserved[6];	/* 0 */
	/* __u64 commit[nr_subbufs] is at off_commit: the bytes ever committed in each sub-buffer */
};

#define KT_WORD_CLOSED		0xffffULL

/*
 * Packet n lies in sub-buffer n % nr_subbufs.  It begins with a CTF 1.8 packet header and packet context;
 * events follow. ts_end, content_bits and records are valid once the packet is complete.
 */
struct kt_packet {
	__u32 magic;		/* KT_CTF_MAGIC */
	__u8  uuid[16];
	__u32 stream;		/* 0 */
	__u64 ts_begin;
	__u64 ts_end;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 seq;
	__u64 discarded;	/* events_discarded: on this CPU up to ts_end */
	__u64 count;		/* records on this CPU before this packet */
	__u32 cpu;
	__u32 records;		/* in this packet */
};

#define KT_CTF_MAGIC		0xC1FC1FC1U

/*
 * An event is a header and a payload, as the descriptor defines it.  A ring has one of two forms.
 *
 * A narrow ring counts in units of four bytes.  The header is one word, low bits first:
 *
 *   id : 8, time : 24             id < KT_ID_EXT, and the low bits of the time;
 *                                 the event before is less than 2^24 ticks older
 *   KT_ID_EXT : 8, id : 24, then the full time in two words, low word first
 *
 * A wide ring counts in units of two bytes: for recordings, where many tracepoints are set.  The header has six bytes:
 *
 *   id : 16, time : 32            id < KT_WIDE_ID_EXT; the event before is less than 2^32 ticks older
 *   KT_WIDE_ID_EXT : 16, id : 16, then the full time in eight bytes
 */
#define KT_ID_EXT		0xffU
#define KT_MAX_ID		0xffffffU
#define KT_TS_BITS		24

#define KT_WIDE_ID_EXT		0xffffU
#define KT_WIDE_MAX_ID		0xfffeU
#define KT_WIDE_TS_BITS		32

#endif
