/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * abi_ring.h - the trace ring: what a controller maps.
 *
 * A part of ktrace_abi.h: include that.
 */
#ifndef KTRACE_ABI_RING_H
#define KTRACE_ABI_RING_H

#include <linux/types.h>

/*
 * At the start of each CPU's mapping.  Only the module writes it.
 *
 * word is the whole state of the writer:
 *
 *   63                           32 31            16 15             0
 *   +------------------------------+----------------+---------------+
 *   | packet number, low 32 bits   | next free word | records in it |
 *   +------------------------------+----------------+---------------+
 *
 * "next free word" counts units of four bytes from the start of the packet,
 * its header included; KT_WORD_CLOSED there means that the packet is being
 * exchanged for the next one.
 */
struct kt_ring_ctl {
	__u64 word;
	__u64 last_ts;		/* of the newest record, or older */
	__u64 seq;		/* number of the newest packet */
	__u64 count;		/* records before that packet */
	__u64 discarded;
	__u64 recursed;
	__u64 filtered;
	__u64 frozen;
	__u64 seen;		/* see struct kt_cpu_status */
	__u64 cleared;
	__u64 lost_seen;	/* lost among the records that are seen */
	__u64 seen_seq;		/* packet in which the seen position lies */
	__u64 discarded_seen;	/* of the discarded ones: seen, that is told of or cleared */
	__u64 generation;	/* of the area in use: raised when the ring moves to another one */
	__u64 first_seq;	/* no older packet is in that area */
	__u64 measured;
	__u64 braked;
};

/*
 * In front of the sub-buffers, on pages of its own: what is exchanged when the
 * size changes.  It never changes itself.
 */
struct kt_ring_area {
	__u64 generation;
	__u32 subbuf_bytes;
	__u32 nr_subbufs;
	__u64 reserved[6];	/* 0 */
	/* __u64 commit[nr_subbufs] at off_commit: bytes ever committed there */
};

#define KT_WORD_CLOSED		0xffffULL

/*
 * Packet n lies in sub-buffer n % nr_subbufs.  This is a CTF 1.8 packet header
 * followed by its packet context; events follow at once.  ts_end, content_bits
 * and records are valid once the packet is complete.
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
	__u64 discarded;	/* events_discarded: on this CPU until ts_end */
	__u64 count;		/* records on this CPU before this packet */
	__u32 cpu;
	__u32 records;		/* in this packet */
};

#define KT_CTF_MAGIC		0xC1FC1FC1U

/*
 * Event header: one word, low bits first,
 *
 *   id : 8, time : 24             id < KT_ID_EXT, the low bits of the time;
 *                                 less than 2^24 ticks after its predecessor
 *   KT_ID_EXT : 8, id : 24, then the full time in two words, low first
 *
 * then the payload, in units of four bytes, as the descriptor defines it.
 */
#define KT_ID_EXT		0xffU
#define KT_MAX_ID		0xffffffU
#define KT_TS_BITS		24

#endif
