/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ring.h - the trace ring of one CPU.  Layout and fields: ktrace_abi.h.
 *
 * One writer context at a time runs on the CPU, but it may be interrupted at
 * any instruction by another one (interrupt, NMI) that writes and completes
 * before it goes on.  Readers run on any CPU, write nothing and may be any
 * number.  After the ring of LTTng (reserve by a CPU-local cmpxchg with the
 * clock read before it; commit counts per sub-buffer; M. Desnoyers, "Low-Impact
 * Operating System Tracing", 2009, chapter 8), with three differences:
 * packet number, offset and record count live in the one word that is
 * exchanged, so the count is exact at every instant; exchanging sub-buffers
 * is a closed section in which a nested writer is refused and counted; and a
 * packet that is still being filled can be read up to its last record.
 */
#ifndef KTRACE_RING_H
#define KTRACE_RING_H

#include "core/env.h"
#include "core/ktrace_abi.h"

/* Smallest and largest sub-buffer, in bytes; bounded by the 16-bit fields of the word. */
#define KT_SUBBUF_MIN		4096U
#define KT_SUBBUF_MAX		131072U

struct kt_ring {
	/* What a writer reads at every record; sub and count are those of the packet being filled. */
	struct kt_ring_ctl *ctl;
	u8 *sub;
	u64 *count;
	u32 sub_words;		/* of four bytes, in a sub-buffer */

	u32 sub_shift;		/* log2 of its bytes */
	u32 mask;		/* nr_subbufs - 1 */
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 nr_shift;		/* log2(nr_subbufs) */
	u32 cpu;
	bool discard;		/* keep the oldest unseen, refuse the new */
	u64 *commit;		/* [nr_subbufs] */
	u8 *data;
	u8 uuid[16];
};

/*
 * Describe a ring that is there: ctl, commit[nr_subbufs] and nr_subbufs * sub_bytes
 * of data; both are powers of two, nr_subbufs >= 2.  Enough for a reader.
 */
void kt_ring_attach(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		    u32 sub_bytes, u32 nr_subbufs, u32 cpu);

/* The same over zeroed memory, and lay out an empty ring.  No writer or reader may be active. */
void kt_ring_init(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		  u32 sub_bytes, u32 nr_subbufs, u32 cpu, const u8 *uuid);

/*
 * The ring goes on in other memory.  kt_ring_close() completes its packet and refuses
 * writers from then on (they are counted as discarded); it returns the number of the packet to
 * come.  kt_ring_open() begins that packet in the memory that `in` describes, over
 * the same ctl, where packets from `first` on may have been copied to.
 * Context: the ring's own CPU with interrupts off, from one call to the other.
 */
u64 kt_ring_close(struct kt_ring *ring);
void kt_ring_open(struct kt_ring *ring, const struct kt_ring *in, u64 first);

/*
 * A ring may go on in smaller sub-buffers: its records are written once more, each with its own time, to a ring that
 * nobody else has (its ctl is its own, too), where the oldest make room for the newest as ever.
 * kt_ring_replay_begin() begins packet seq there, whose first record is the ring's record number `count`.
 * kt_ring_replay() adds a record that is not older than the one before; false: no sub-buffer is that large.
 * kt_ring_adopt(): the closed ring goes on in that memory, behind the last of those records.
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

/* What that count is before the first byte of packet seq. */
static inline u64 kt_ring_count_base(const struct kt_ring *ring, u64 seq)
{
	return (seq >> ring->nr_shift) * ring->sub_bytes;
}

/* Room for the payload of one record; `at` is NULL when there was none. */
struct kt_room {
	u32 *at;
	u64 *count;	/* of its sub-buffer, to be raised by the commit */
};

/* The usual record has this in front of its payload: id and low bits of the time. */
#define KT_COMPACT_WORDS	1

/*
 * The exchange that takes `len` words of the packet that `old` describes, for
 * a record stamped ts.  ts was read after `old`: a writer nested behind that
 * point makes the exchange fail, so times are in the order of the records.
 */
static __always_inline bool kt_ring_take(struct kt_ring_ctl *ctl, u64 old, u32 len, u64 ts)
{
	KT_STEP();
	if (unlikely(kt_cmpxchg_local(&ctl->word, old, old + ((u64)len << 16) + 1) != old))
		return false;
	KT_STEP();
	/* May go back when a nested writer came between: then it is only older. */
	WRITE_ONCE(ctl->last_ts, ts);
	KT_STEP();
	return true;
}

/*
 * The first try did not do (no room, a nested writer, an extended header), or the
 * clock is not a plain counter.
 */
struct kt_room kt_ring_reserve_slow(struct kt_ring *ring, u32 id, u32 words);

/*
 * Take room for one record of `words` units of four bytes under descriptor id;
 * at is NULL when it had to be dropped, which is counted in ctl->discarded.
 * The caller fills in the payload and then calls kt_ring_commit().
 * Context: any, NMI included, on the ring's own CPU and unable to migrate
 * until the commit.
 */
static __always_inline struct kt_room kt_ring_reserve(struct kt_ring *ring, u32 id, u32 words)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	const u32 len = words + KT_COMPACT_WORDS;
	struct kt_room room;
	u64 old, ts;
	u32 *sub;

	if (!kt_clock_is_raw())
		return kt_ring_reserve_slow(ring, id, words);
	/*
	 * sub and count belong to `old` when the exchange succeeds: they change while the
	 * word says "closed" only, and no word comes twice.  All of these are volatile, and
	 * so made in this order.
	 */
	old = READ_ONCE(ctl->word);
	KT_STEP();
	sub = (u32 *)READ_ONCE(ring->sub);
	KT_STEP();
	room.count = READ_ONCE(ring->count);
	ts = kt_clock_raw_read();
	KT_STEP();
	if (unlikely((ts - READ_ONCE(ctl->last_ts)) >> KT_TS_BITS || id >= KT_ID_EXT ||
		     kt_word_off(old) + len > ring->sub_words || !kt_ring_take(ctl, old, len, ts)))
		return kt_ring_reserve_slow(ring, id, words);
	room.at = sub + kt_word_off(old);
	*room.at++ = id | (u32)ts << 8;
	KT_STEP();
	return room;
}

/* The payload is there: readers may have the record. */
static __always_inline void kt_ring_commit(struct kt_room room, u32 words)
{
	KT_STEP();
	/* The record before its commit; pairs with the first kt_smp_rmb() of kt_ring_read(). */
	kt_smp_wmb();
	kt_add_local(room.count, (words + KT_COMPACT_WORDS) * 4);
}

/* Both, with a payload that lies ready.  False: dropped and counted. */
static inline bool kt_ring_write(struct kt_ring *ring, u32 id, const u32 *payload, u32 words)
{
	struct kt_room room = kt_ring_reserve(ring, id, words);
	u32 i;

	if (!room.at)
		return false;
	for (i = 0; i < words; i++) {
		KT_STEP();
		room.at[i] = payload[i];
	}
	kt_ring_commit(room, words);
	return true;
}

/*
 * The event header at *at, in front of `end`: its id, and its time where *ts is that of the event before it
 * (of the packet's begin at first).  *at is then the payload.  False: it is cut off.
 */
static inline bool kt_event_header(const u32 **at, const u32 *end, u32 *id, u64 *ts)
{
	const u32 word = *(*at)++;

	*id = word & KT_ID_EXT;
	if (*id != KT_ID_EXT) {
		*ts += ((word >> 8) - (u32)*ts) & ((1U << KT_TS_BITS) - 1);
		return true;
	}
	if (end - *at < 2)
		return false;
	*id = word >> 8;
	*ts = (u64)(*at)[1] << 32 | (*at)[0];
	*at += 2;
	return true;
}

enum kt_read {
	KT_READ_OK,
	KT_READ_BUSY,	/* a writer is at work in it: try again */
	KT_READ_GONE,	/* overwritten */
	KT_READ_NONE,	/* not begun yet */
};

struct kt_read_info {
	u32 bytes;	/* valid from the start of the packet, its header included */
	u32 records;	/* in them */
	bool complete;	/* the packet will not grow any more */
};

/*
 * Copy packet seq (as far as it is filled) to buf, which has room for
 * sub_bytes.  Any context that may copy so much; any CPU.
 */
enum kt_read kt_ring_read(const struct kt_ring *ring, u64 seq, void *buf,
			  struct kt_read_info *info);

/*
 * Records taken so far (*total), the newest packet (*seq) and the number of
 * the first record in the oldest packet that is still whole (*oldest), as
 * they were at one instant.  Each pointer may be NULL; only for *oldest must the
 * ring stay where it is.  False: not now, that CPU was exchanging sub-buffers;
 * for ever, where the ring was damaged.  Any CPU.
 */
bool kt_ring_try_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest);

/* The same, waiting for that CPU: for rings of which nobody else is the owner. */
void kt_ring_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest);

#endif
