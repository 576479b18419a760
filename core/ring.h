/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ring.h - the trace ring of one CPU.  Layout and fields: ktrace_abi.h.
 *
 * One context at a time writes on the CPU.  Another context (interrupt, NMI) may interrupt it at any
 * instruction, write and complete a record, and return.  Any number of readers run on any CPU; they write
 * nothing.
 *
 * The design follows the ring of LTTng (M. Desnoyers, "Low-Impact Operating System Tracing", 2009, chapter 8):
 * a writer reads the clock, then reserves room by a CPU-local cmpxchg; each sub-buffer has a commit count.
 * There are three differences.  Packet number, offset and record count are in one word, so the count is exact
 * at every instant.  An exchange of sub-buffers is a closed section in which a nested writer is refused and
 * counted.  A reader can read a packet that is still being filled, up to its last record.
 */
#ifndef KTRACE_RING_H
#define KTRACE_RING_H

#include "core/env.h"
#include "core/ktrace_abi.h"

/* Smallest and largest sub-buffer in bytes; the 16-bit fields of the word set the limits. */
#define KT_SUBBUF_MIN		4096U
#define KT_SUBBUF_MAX		131072U
#define KT_SUBBUF_WIDE_MAX	65536U

struct kt_ring {
	/* Every record reads these fields; sub and count are those of the packet being filled. */
	struct kt_ring_ctl *ctl;
	u8 *sub;
	u64 *count;
	u32 sub_units;		/* units of a sub-buffer, see kt_unit_shift() */

	u32 sub_shift;		/* log2(sub_bytes) */
	u32 mask;		/* nr_subbufs - 1 */
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 nr_shift;		/* log2(nr_subbufs) */
	u32 cpu;
	bool discard;		/* KT_MODE_DISCARD: keep the oldest unseen records, discard new ones */
	bool wide;		/* which of the two forms of abi_ring.h its events have; never changes */
	u64 *commit;		/* [nr_subbufs] */
	u8 *data;
	u8 uuid[16];
};

/*
 * Describe existing memory as a ring: ctl, commit[nr_subbufs] and nr_subbufs * sub_bytes of data.  Both factors
 * are powers of two, and nr_subbufs >= 2.  This is enough for a reader.  The memory stays the caller's.
 */
void kt_ring_attach(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		    u32 sub_bytes, u32 nr_subbufs, u32 cpu, bool wide);

/* Attach zeroed memory and lay out an empty ring in it.  No writer or reader may be active. */
void kt_ring_init(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		  u32 sub_bytes, u32 nr_subbufs, u32 cpu, bool wide, const u8 *uuid);

/*
 * Move a ring to other memory.  kt_ring_close() completes the present packet and returns the number of the next
 * one.  From then on it refuses writers; they count as discarded.  kt_ring_open() begins the next packet in the
 * memory that `in` describes, with the same ctl.  Packets from `first` on may have been copied there before.
 * Context: the ring's own CPU, with interrupts off from the first call to the second.
 */
u64 kt_ring_close(struct kt_ring *ring);
void kt_ring_open(struct kt_ring *ring, const struct kt_ring *in, u64 first);

/*
 * Move a ring to smaller sub-buffers: write its records once more, each with its own time, to a second ring
 * that no other context uses (it has its own ctl).  New records overwrite the oldest there, as usual.
 * kt_ring_replay_begin() begins packet seq in the second ring; its first record has the number `count`.
 * kt_ring_replay() adds a record that is not older than the one before; false: the record is larger than a
 * sub-buffer.  Only narrow rings can be replayed.  kt_ring_adopt() lets the closed ring go on in that memory, after the last of those records.
 * Context: as for kt_ring_open().
 */
void kt_ring_replay_begin(struct kt_ring *ring, u64 seq, u64 count, u64 ts);
bool kt_ring_replay(struct kt_ring *ring, u32 id, u64 ts, const u32 *payload, u32 words);
void kt_ring_adopt(struct kt_ring *ring, const struct kt_ring *in, u64 first);

/* Fields of the writer's word. */
static inline u32 kt_word_seq(u64 word)
{
	return word >> 32;
}

static inline u32 kt_word_off(u64 word)
{
	return (word >> 16) & 0xffff;
}

static inline u32 kt_word_records(u64 word)
{
	return word & 0xffff;
}

static inline bool kt_word_closed(u64 word)
{
	return kt_word_off(word) == KT_WORD_CLOSED;
}

static inline u8 *kt_ring_subbuf(const struct kt_ring *ring, u64 seq)
{
	return ring->data + ((seq & ring->mask) << ring->sub_shift);
}

static inline u64 *kt_ring_count(const struct kt_ring *ring, u64 seq)
{
	return &ring->commit[seq & ring->mask];
}

/* The commit count of a sub-buffer before the first byte of packet seq. */
static inline u64 kt_ring_count_base(const struct kt_ring *ring, u64 seq)
{
	return (seq >> ring->nr_shift) * ring->sub_bytes;
}

/* log2 of the bytes of a unit: offsets in a packet, headers and payloads are whole units. */
static __always_inline u32 kt_unit_shift(bool wide)
{
	return wide ? 1 : 2;
}

/* Units of a compact header: id and low bits of the time. */
static __always_inline u32 kt_compact_units(bool wide)
{
	return wide ? 3 : 1;
}

/* An event needs an extended header if its id is not smaller than the first, or its gap has more bits than the second. */
static __always_inline u32 kt_id_ext(bool wide)
{
	return wide ? KT_WIDE_ID_EXT : KT_ID_EXT;
}

static __always_inline u32 kt_ts_bits(bool wide)
{
	return wide ? KT_WIDE_TS_BITS : KT_TS_BITS;
}

/* Write a compact header.  Returns the address behind it. */
static __always_inline void *kt_put_compact(bool wide, u8 *at, u32 id, u64 ts)
{
	if (wide) {
		*(u16 *)at = id;
		KT_STEP();
		*(kt_item *)(at + 2) = (u32)ts;
	} else {
		*(u32 *)at = id | (u32)ts << 8;
	}
	return at + (kt_compact_units(wide) << kt_unit_shift(wide));
}

/* Room for the payload of one record; at is NULL: there was no room. */
struct kt_room {
	void *at;
	u64 *count;	/* of its sub-buffer; the commit raises it */
};

/*
 * Take `len` units of the packet that `old` describes, for a record with time ts.  ts was read after `old`: a
 * nested writer in between makes the exchange fail, so the records are in the order of their times.
 */
static __always_inline bool kt_ring_take(struct kt_ring_ctl *ctl, u64 old, u32 len, u64 ts)
{
	KT_STEP();
	if (unlikely(kt_cmpxchg_local(&ctl->word, old, old + ((u64)len << 16) + 1) != old))
		return false;
	KT_STEP();
	/*
	 * A nested writer may have stored a later time before: then last_ts is only earlier than the newest
	 * record.
	 */
	WRITE_ONCE(ctl->last_ts, ts);
	KT_STEP();
	return true;
}

/*
 * The slow path of kt_ring_reserve(): the first try failed (no room, a nested writer, an extended header), or
 * the clock is not a raw counter.
 */
struct kt_room kt_ring_reserve_slow(struct kt_ring *ring, u32 id, u32 units);

/*
 * Reserve room for one record of `units` under descriptor id.  wide: the form of the ring, a constant wherever speed
 * matters.  at is NULL: the record is dropped, and counted in ctl->discarded.  The caller fills in the payload and
 * then calls kt_ring_commit() with the same form and units.
 * Context: any, NMI included, on the ring's own CPU, without migration until the commit.
 */
static __always_inline struct kt_room kt_ring_reserve(struct kt_ring *ring, bool wide, u32 id, u32 units)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	const u32 len = units + kt_compact_units(wide);
	struct kt_room room;
	u64 old, ts;
	u8 *sub;

	if (!kt_clock_is_raw())
		return kt_ring_reserve_slow(ring, id, units);
	/*
	 * If the exchange succeeds, sub and count belong to `old`: they change only while the word says
	 * "closed", and no value of the word comes twice.  All these accesses are volatile, so the compiler
	 * keeps their order.
	 */
	old = READ_ONCE(ctl->word);
	KT_STEP();
	sub = READ_ONCE(ring->sub);
	KT_STEP();
	room.count = READ_ONCE(ring->count);
	ts = kt_clock_raw_read();
	KT_STEP();
	if (unlikely((ts - READ_ONCE(ctl->last_ts)) >> kt_ts_bits(wide) || id >= kt_id_ext(wide) ||
		     kt_word_off(old) + len > ring->sub_units || !kt_ring_take(ctl, old, len, ts)))
		return kt_ring_reserve_slow(ring, id, units);
	room.at = kt_put_compact(wide, sub + ((size_t)kt_word_off(old) << kt_unit_shift(wide)), id, ts);
	KT_STEP();
	return room;
}

/* Commit a record whose payload is written: readers may read it now. */
static __always_inline void kt_ring_commit(struct kt_room room, bool wide, u32 units)
{
	KT_STEP();
	/* The record before its commit.  Pairs with the first kt_smp_rmb() of kt_ring_read(). */
	kt_smp_wmb();
	kt_add_local(room.count, (units + kt_compact_units(wide)) << kt_unit_shift(wide));
}

static __always_inline bool kt_ring_write_as(struct kt_ring *ring, bool wide, u32 id, const void *payload, u32 units)
{
	struct kt_room room = kt_ring_reserve(ring, wide, id, units);
	u32 i;

	if (!room.at)
		return false;
	for (i = 0; i < units; i++) {
		KT_STEP();
		if (wide)
			((u16 *)room.at)[i] = ((const u16 *)payload)[i];
		else
			((u32 *)room.at)[i] = ((const u32 *)payload)[i];
	}
	kt_ring_commit(room, wide, units);
	return true;
}

/* Reserve, copy a complete payload, commit.  False: the record is dropped and counted. */
static inline bool kt_ring_write(struct kt_ring *ring, u32 id, const void *payload, u32 units)
{
	return ring->wide ? kt_ring_write_as(ring, true, id, payload, units) :
			    kt_ring_write_as(ring, false, id, payload, units);
}

/*
 * Decode the event header at *at, before `end`: its id and time.  On entry *ts is the time of the event before
 * it, for the first event that of the packet's begin.  Afterwards *at is the payload.  False: the header is cut
 * off.  Both addresses are whole units from the start of the packet.
 */
bool kt_event_header(bool wide, const void **at, const void *end, u32 *id, u64 *ts);

enum kt_read {
	KT_READ_OK,
	KT_READ_BUSY,	/* a writer is working in it: try again */
	KT_READ_GONE,	/* overwritten */
	KT_READ_NONE,	/* not begun yet */
};

struct kt_read_info {
	u32 bytes;	/* valid bytes from the start of the packet, its header included */
	u32 records;	/* records in these bytes */
	bool complete;	/* the packet will not grow any more */
};

/*
 * Copy packet seq, as far as it is filled, to buf, which has sub_bytes of room.
 * Context: any that may copy so much; any CPU.
 */
enum kt_read kt_ring_read(const struct kt_ring *ring, u64 seq, void *buf,
			  struct kt_read_info *info);

/*
 * Read a consistent position: records taken so far (*total), the newest packet (*seq), and the number of the
 * first record in the oldest packet that is still whole (*oldest).  Each pointer may be NULL.  For *oldest the
 * ring must not move meanwhile.  False: that CPU is exchanging sub-buffers now; a damaged ring returns false
 * for ever.  Any CPU.
 */
bool kt_ring_try_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest);

/* The same, but wait for that CPU: only for rings that no other context can damage. */
void kt_ring_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest);

#endif
