/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_int.h - the inside of the reader: where rings come from, and what
 * passes from copying (reader_copy.c) through parsing (reader_parse.c) to
 * merging (reader.c).
 */
#ifndef KTRACE_READER_INT_H
#define KTRACE_READER_INT_H

#include "core/ring.h"
#include "ctl/records/reader.h"

/* What a reader needs from the module; the device has it (reader_device.c), and so have tests. */
struct reader_source {
	const struct kt_hello *hello;
	/* The mapping of one CPU, which outlives the reader; NULL when there is no such CPU
	 * (err stays empty) or it cannot be mapped. */
	void *(*map)(void *arg, uint32_t cpu, struct error *err);
	void (*unmap)(void *arg, uint32_t cpu, void *mapping, size_t bytes);
	/* Bring hello's account of the rings up to date; may be NULL where they never change. */
	bool (*refresh)(void *arg, struct error *err);
	/* The time now, in ticks. */
	bool (*now)(void *arg, uint64_t *ticks, struct error *err);
	/* Returns when every record that was given its time before the call is in its ring. */
	void (*settle)(void *arg);
	/* As device_desc() and device_seen(). */
	bool (*desc)(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len,
		     uint64_t *addr, uint64_t *born, struct error *err);
	bool (*seen)(void *arg, struct kt_seen_cpu *cpus, size_t nr, struct error *err);
	/* What is said of packets that cannot be; NULL: that a ring is damaged. */
	bool (*damaged)(void *arg, uint32_t cpu, struct error *err);
	void *arg;
};

/* The source is copied. */
struct reader *reader_create_from(const struct reader_source *source, struct error *err);
void reader_source_device(struct device *dev, struct reader_source *out);

struct reader_cpu {
	uint32_t cpu;
	uint64_t generation;		/* of the area that is mapped */
	void *mapping;
	size_t bytes;			/* of it */
	struct kt_ring ring;
};

/* Where a private reader stands on one CPU. */
struct own_mark {
	uint64_t seen, seq, discarded;
};

struct reader {
	struct reader_source source;
	struct own_mark *own;		/* [hello->nr_cpus] by number; NULL: it shares the module's position */
	struct reader_cpu *cpus;	/* in order of their numbers */
	size_t nr_cpus;
};

/* What of a packet is in the snapshot. */
struct kept {
	uint32_t from, to;		/* its events: bytes of the packet, headers included */
	uint32_t nr;			/* of them; 0: from and to mean nothing */
	uint64_t number;		/* of the first one */
	uint64_t ts_first;		/* its time */
	uint64_t ts_begin, ts_end;	/* no younger than that, no older than the last one */
	uint64_t overwritten;		/* lost in front of it */
	uint64_t discarded;		/* told of at its end */
};

struct packet_copy {
	struct kt_packet *packet;
	struct kt_read_info info;
	struct kept kept;
};

/* One CPU's part of a snapshot. */
struct run {
	struct reader_cpu *from;
	uint64_t seen, seen_seq;	/* where it begins */
	uint64_t discarded_seen;
	uint64_t discarded;		/* when it was taken */

	struct packet_copy *packets;
	size_t nr_packets;
	bool stuck;			/* the next packet could not be had now */
	bool damaged;			/* what the ring says of itself cannot be */

	struct record *records;
	size_t nr_records;

	uint64_t to, to_seq;		/* where it ends */
	uint64_t had;			/* records between that are in it */
	uint64_t discarded_to;		/* discarded records that it tells of, or others before */
	uint64_t cleared;		/* of had */
	uint64_t last_discarded;	/* told of behind all packets, */
	uint64_t last_ts;		/* at this time */
};

struct snapshot {
	struct run *runs;
	size_t nr_runs;
	uint64_t now;			/* when it was taken */
	uint64_t until;			/* no record is younger */
	struct desc **descs;		/* by id, NULL where none is known */
	size_t nr_descs;
	const struct record **order;
	size_t nr;
	size_t nr_cleared;		/* of order: the first ones */
	bool stale;			/* another controller has cleared some of it meanwhile */
};

/* reader_copy.c: the ring's newest packet, and the records taken by then; false when it never says. */
bool ring_newest(const struct kt_ring *ring, u64 *total, u64 *newest);
/* Does this CPU hold anything beyond its seen position? */
bool run_begin(struct run *run, struct reader_cpu *from, const struct own_mark *own);
/* Copy the packets that began before `until`, in place of what was copied before. */
void run_copy(struct run *run, uint64_t until);
void run_drop(struct run *run);
/* Was all that is older than `until` overwritten before it could be copied? */
bool run_lapped(const struct run *run, uint64_t until);

/* reader.c: the records of all runs by time. */
void snapshot_merge(struct snapshot *snap);

/* reader_parse.c */
bool run_parse(struct run *run, struct snapshot *snap, const struct reader_source *source,
	       struct error *err);

#endif
