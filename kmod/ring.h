/* SPDX-License-Identifier: GPL-2.0-only */
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

#include "ring_env.h"
#include "ktrace_abi.h"

/* Smallest and largest sub-buffer, in bytes; bounded by the 16-bit fields of the word. */
#define KT_SUBBUF_MIN		4096U
#define KT_SUBBUF_MAX		131072U

struct kt_ring {
	struct kt_ring_ctl *ctl;
	u64 *commit;		/* [nr_subbufs] */
	u8 *data;
	u32 sub_words;		/* of four bytes, in a sub-buffer */
	u32 sub_shift;		/* log2 of its bytes */
	u32 mask;		/* nr_subbufs - 1 */
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 nr_shift;		/* log2(nr_subbufs) */
	u32 cpu;
	bool discard;		/* keep the oldest unseen, refuse the new */
	u8 uuid[16];
};

/*
 * Lay out an empty ring over zeroed memory: ctl, commit[nr_subbufs] and
 * nr_subbufs * sub_bytes of data; both are powers of two, nr_subbufs >= 2.
 * No writer or reader may be active.
 */
void kt_ring_init(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		  u32 sub_bytes, u32 nr_subbufs, u32 cpu, const u8 *uuid);

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

static inline u64 *kt_ring_commit(const struct kt_ring *ring, u64 seq)
{
	return &ring->commit[seq & ring->mask];
}

/* What the commit count of packet seq is before its first byte. */
static inline u64 kt_ring_commit_base(const struct kt_ring *ring, u64 seq)
{
	return (seq >> ring->nr_shift) * ring->sub_bytes;
}

enum kt_try {
	KT_TRY_DONE,
	KT_TRY_MOVED,	/* a nested writer came between */
	KT_TRY_FULL,	/* no room in this packet */
};

/*
 * Write one record in packet `old`, stamped ts.  ts was read after `old`: a
 * writer nested behind that point makes the exchange fail, so times are in the
 * order of the records.
 */
static __always_inline enum kt_try kt_ring_try(struct kt_ring *ring, u64 old, u64 ts, u32 id,
					       const u32 *payload, u32 words)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	const u64 compact = likely(id < KT_ID_EXT) ? 1ULL << KT_TS_BITS : 0;
	u32 len = words + (likely(ts - READ_ONCE(ctl->last_ts) < compact) ? 1 : 3);
	u32 off = kt_word_off(old), *p, i;

	if (unlikely(off + len > ring->sub_words))
		return KT_TRY_FULL;
	KT_STEP();
	if (unlikely(kt_cmpxchg_local(&ctl->word, old, old + ((u64)len << 16) + 1) != old))
		return KT_TRY_MOVED;
	KT_STEP();
	/* May go back when a nested writer came between: then it is only older. */
	WRITE_ONCE(ctl->last_ts, ts);
	KT_STEP();

	/*
	 * Readers that find these words overwritten must also find the word
	 * moved; pairs with the second kt_smp_rmb() of kt_ring_read().
	 */
	kt_smp_wmb();
	p = (u32 *)kt_ring_subbuf(ring, kt_word_seq(old)) + off;
	if (likely(len == words + 1)) {
		*p++ = id | (u32)ts << 8;
	} else {
		*p++ = KT_ID_EXT | id << 8;
		KT_STEP();
		*p++ = (u32)ts;
		KT_STEP();
		*p++ = ts >> 32;
	}
	for (i = 0; i < words; i++) {
		KT_STEP();
		p[i] = payload[i];
	}
	KT_STEP();

	/* The record before its commit; pairs with the first kt_smp_rmb() of kt_ring_read(). */
	kt_smp_wmb();
	kt_add_local(kt_ring_commit(ring, kt_word_seq(old)), len * 4);
	return KT_TRY_DONE;
}

/* When the first try did not do, or the clock is not a plain counter. */
bool kt_ring_write_slow(struct kt_ring *ring, u32 id, const u32 *payload, u32 words);

/*
 * Write one record: `words` units of four bytes at payload, under descriptor
 * id.  Returns false when it had to be dropped, which is counted in
 * ctl->discarded.
 * Context: any, NMI included, on the ring's own CPU and unable to migrate.
 */
static __always_inline bool kt_ring_write(struct kt_ring *ring, u32 id, const u32 *payload,
					  u32 words)
{
	u64 old;

	if (kt_clock_is_raw()) {
		old = READ_ONCE(ring->ctl->word);
		barrier();
		if (likely(kt_ring_try(ring, old, kt_clock_raw_read(), id, payload, words) ==
			   KT_TRY_DONE))
			return true;
	}
	return kt_ring_write_slow(ring, id, payload, words);
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
 * they were at one instant.  Each pointer may be NULL.  Any CPU; spins while
 * that CPU exchanges sub-buffers.
 */
void kt_ring_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest);

#endif
