/* SPDX-License-Identifier: MIT */
/*
 * file.h - the file in which a process has its rings: the contract between libktrace and its readers.
 *
 *	0             struct ktu_file
 *	desc_off      descriptions, one struct ktu_desc after the other
 *	rings_off     rings, ring_stride bytes each: one for each CPU, then one for each slot
 *
 * A ring is a page with a struct ktu_ring, then nr_subbufs sub-buffers.  Only one writer at a time writes there: on the
 * ring of a CPU because a restartable sequence is restarted when its thread loses the CPU, on that of a slot because the
 * slot is taken.  The file is mapped, so it has all that was written when the process ended, however it ended.  Nothing in
 * it may be trusted.
 *
 * All numbers are those of the machine.  Times are in ticks of the clock that the anchors convert.
 */
#ifndef KTRACE_USER_FILE_H
#define KTRACE_USER_FILE_H

#include <stdint.h>

#define KTU_MAGIC	0x31525355524b544bULL
/* Raised when an older reader would misread the file. */
#define KTU_VERSION	1

#define KTU_PAGE	4096U
#define KTU_SUBBUF_MIN	4096U
#define KTU_SUBBUF_MAX	131072U		/* the offset in struct ktu_ring's word has 16 bits, in units of four bytes */
#define KTU_MAX_CPUS	8192U
#define KTU_SLOTS	64U
#define KTU_MAX_RING	(1ULL << 31)	/* bytes of the sub-buffers of one ring */
#define KTU_MAX_DESCS	(16ULL << 20)	/* bytes of all descriptions */

enum ktu_mode {
	KTU_OVERWRITE,		/* new events replace the oldest */
	KTU_DISCARD,		/* when a ring is full, new events are lost */
};

/* A moment on three clocks. */
struct ktu_anchor {
	uint64_t ticks;
	uint64_t real_ns;	/* CLOCK_REALTIME */
	uint64_t mono_ns;	/* CLOCK_MONOTONIC */
};

struct ktu_file {
	uint64_t magic;		/* written last */
	uint32_t version;
	uint32_t machine;	/* ELF machine number */
	uint32_t pid, parent;
	uint32_t mode;
	uint32_t subbuf_bytes, nr_subbufs;
	uint32_t nr_cpus, nr_slots;
	uint32_t restartable;	/* the rings of the CPUs are used */
	uint64_t desc_off, desc_bytes;
	uint64_t rings_off, ring_stride;
	char clock[16];
	char boot_id[40];
	char program[64];
	char host[65], kernel[65];
	char reserved[6];
	/* The number of the newest of anchors[1] and [2], plus 1; 0: there is none yet.  anchors[0] is of the start. */
	uint64_t newest_anchor;
	struct ktu_anchor anchors[3];
	uint64_t desc_used;	/* bytes of descriptions that are taken */
	uint64_t lost;		/* events that are in no ring and in no ring's count */
};

/* The start of a ring.  All is 0 until it is used. */
struct ktu_ring {
	/*
	 * Packet number, low 32 bits : 32, next free unit : 16, events in the packet : 16, as in core/abi_ring.h.  One
	 * store of it makes an event part of the ring.
	 */
	uint64_t word;
	uint64_t last_ts;	/* time of the newest event, or earlier */
	uint64_t oldest;	/* no packet before this one is whole; raised before its sub-buffer is written again */
	uint64_t discarded;	/* events that found no room */
	uint64_t used;		/* 1: packet 0 has begun */
	/*
	 * In a copy that a controller made: so many events, those that were written before it switched any on, do not
	 * belong to the trace.  The process leaves it 0.
	 */
	uint64_t skip;
};

/*
 * A packet, as in core/abi_ring.h: packet n lies in sub-buffer n % nr_subbufs.  Its events have the narrow headers of
 * that file.  ts_end, content_bits, discarded and records are valid once the packet is complete.
 */
struct ktu_packet {
	uint32_t magic;
	uint8_t uuid[16];	/* 0 */
	uint32_t stream;	/* 0 */
	uint64_t ts_begin, ts_end;
	uint64_t content_bits, packet_bits;
	uint64_t seq;
	uint64_t discarded;
	uint64_t count;		/* events before this packet */
	uint32_t cpu;		/* number of the ring */
	uint32_t records;	/* events; thread marks do not count */
};

#define KTU_PACKET_MAGIC	0xC1FC1FC1U
#define KTU_TS_BITS		24
#define KTU_ID_EXT		255U	/* this id, with a time of 0 : 24: the id and then the time follow in full */
#define KTU_MAX_ID		0xffffU

/*
 * Thread mark: the events from here to the end of the packet, or to the next mark, are of this thread.  Its payload is
 * the thread's id, one word.  An event that begins a packet has a mark before it.
 */
#define KTU_THREAD_MARK		0U

/* A description.  Its payload is padded to 8 bytes. */
struct ktu_desc {
	uint32_t magic;		/* KTU_DESC_SITE or KTU_DESC_ENUM: written last */
	uint32_t bytes;		/* of all of it, padded */
	uint32_t id;		/* of the events of a site */
	uint32_t line;
	uint32_t nr;		/* arguments, or names */
	uint32_t reserved;
	/*
	 * A site: a byte for the type of each argument (enum ktrace_type); then four texts, each with its 0: provider,
	 * name, expressions of the arguments, source file.
	 * An enum: its values, 8 bytes each; then its name and the names of the values, each with its 0.
	 */
};

#define KTU_DESC_SITE	0x5344544bU
#define KTU_DESC_ENUM	0x4544544bU

#endif
