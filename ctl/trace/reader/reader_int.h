/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader_int.h - internals of the reader: the source of the rings, and the data that passes from copying
 * (reader_copy.c) to parsing (reader_parse.c) to merging (reader.c).
 */
#ifndef KTRACE_READER_INT_H
#define KTRACE_READER_INT_H

#include "core/ring.h"
#include "ctl/trace/reader/reader.h"

/*
 * The operations that a reader needs from the module; the device implements them (reader_device.c), and so do
 * tests.
 */
struct reader_source {
	const struct kt_hello *hello;
	/*
	 * The mapping of one CPU, which outlives the reader.  NULL: there is no such CPU (err stays empty) or it cannot
	 * be mapped.
	 */
	void *(*map)(void *arg, uint32_t cpu, struct error *err);
	void (*unmap)(void *arg, uint32_t cpu, void *mapping, size_t bytes);
	/* Update the geometry in hello; NULL: the rings never change. */
	bool (*refresh)(void *arg, struct error *err);
	/* The present time, in ticks. */
	bool (*now)(void *arg, uint64_t *ticks, struct error *err);
	/* Return when every record that got its time before the call is in its ring. */
	void (*settle)(void *arg);
	/* As device_desc() and device_seen(). */
	bool (*desc)(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len,
		     uint64_t *addr, uint64_t *born, struct error *err);
	/* Instead of desc(): the descriptor, which outlives all snapshots; NULL: it does not exist.  NULL here: desc() is called. */
	struct desc *(*lasting_desc)(void *arg, uint32_t id);
	bool (*seen)(void *arg, struct kt_seen_cpu *cpus, size_t nr, struct error *err);
	/* Report an impossible packet; NULL: report a damaged ring. */
	bool (*damaged)(void *arg, uint32_t cpu, struct error *err);
	void *arg;
};

/* The reader copies the source. */
struct reader *reader_create_from(const struct reader_source *source, struct error *err);
void reader_source_device(struct device *dev, struct reader_source *out);

struct reader_cpu {
	uint32_t cpu;
	uint64_t generation;		/* of the mapped area */
	void *mapping;
	size_t bytes;			/* bytes of the mapping */
	struct kt_ring ring;
};

/* The position of a private reader on one CPU. */
struct own_mark {
	uint64_t seen, seq, discarded;
};

struct reader {
	struct reader_source source;
	struct own_mark *own;		/* [hello->nr_cpus] by number; NULL: it shares the module's position */
	struct reader_cpu *cpus;	/* in the order of their numbers */
	size_t nr_cpus;
};

/* The part of a packet that is in the snapshot. */
struct kept {
	uint32_t from, to;		/* range of its events: bytes of the packet, headers included */
	uint32_t nr;			/* number of events; 0: from and to are not valid */
	uint64_t number;		/* number of the first record */
	uint64_t ts_first;		/* time of the first record */
	uint64_t ts_begin, ts_end;	/* not later than the first record; not earlier than the last one */
	uint64_t overwritten;		/* lost before it */
	uint64_t discarded;		/* discarded records reported at its end */
};

struct packet_copy {
	struct kt_packet *packet;
	struct kt_read_info info;
	struct kept kept;
};

/* Where parsing stopped inside a packet: before the first event behind the end of the snapshot. */
struct stop {
	size_t packet;			/* index in run.packets */
	uint32_t offset;		/* bytes of the packet; 0: it stopped in no packet */
	uint32_t id;			/* what the next event builds on, as in struct cursor */
	u64 ticks;
	uint64_t number;
};

/* The part of a snapshot from one CPU. */
struct run {
	struct reader_cpu *from;
	uint64_t seen, seen_seq;	/* where it begins */
	uint64_t discarded_seen;
	uint64_t discarded;		/* count at the time of the snapshot */

	struct packet_copy *packets;
	size_t nr_packets;
	bool stuck;			/* the next packet could not be copied now */
	bool damaged;			/* the ring's own data is impossible */

	struct stop begin;		/* where parsing begins, in the first packet; offset 0: with its first event */
	struct stop stop;

	struct record *records;
	size_t nr_records;

	uint64_t to, to_seq;		/* where it ends */
	uint64_t had;			/* records of this range that it contains */
	uint64_t discarded_to;		/* discarded records reported up to its end */
	uint64_t cleared;		/* how many of `had` are cleared */
	uint64_t last_discarded;	/* reported behind all packets, */
	uint64_t last_ts;		/* at this time */
};

struct snapshot {
	struct run *runs;
	size_t nr_runs;
	uint64_t now;			/* time of the snapshot */
	uint64_t until;			/* no record is later */
	struct desc **descs;		/* by id; NULL: unknown */
	size_t nr_descs;
	bool descs_last;		/* they belong to the source */
	struct desc **late_descs;		/* of the records that late_record() has changed */
	size_t nr_late;
	const struct record **order;
	size_t nr;
	size_t nr_cleared;		/* records of order that are cleared, from the first */
	bool stale;			/* another controller has cleared some records meanwhile */
};

/* reader_copy.c: the ring's newest packet, and the records taken until then.  False: the ring gives no answer. */
bool ring_newest(const struct kt_ring *ring, u64 *total, u64 *newest);
/* As kt_ring_read(), but it waits some time for a writer: KT_READ_BUSY is rare. */
enum kt_read ring_read(const struct kt_ring *ring, u64 seq, void *buf, struct kt_read_info *info);
/* Begin the run of one CPU.  False: the CPU has nothing beyond its seen position. */
bool run_begin(struct run *run, struct reader_cpu *from, const struct own_mark *own);
/* Copy the packets that began before `until`; it replaces earlier copies. */
void run_copy(struct run *run, uint64_t until);
void run_drop(struct run *run);
/* Was everything older than `until` overwritten before it could be copied? */
bool run_lapped(const struct run *run, uint64_t until);

/* reader.c: merge the records of all runs by time. */
void snapshot_merge(struct snapshot *snap);

/* reader_parse.c */
bool run_parse(struct run *run, struct snapshot *snap, const struct reader_source *source,
	       struct error *err);

/*
 * reader_late.c: the record is one of the module's own, with a text that a hit of `target` could not read.  Make it a record with the
 * name of the hit, the thread, and the text as that field: what record->desc says from now on.  late_target() is for records of
 * descriptors without an address.
 */
bool late_target(const struct record *record, uint32_t *id, u64 *ticks);
void late_record(struct snapshot *snap, struct record *record, const struct desc *target);

#endif
