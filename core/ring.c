// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * ring.c - the slow path of the trace ring, and its readers.  See ring.h.
 */
#include "core/ring.h"

/* The layout of a ring of either form, in units. */
static u32 packet_units(const struct kt_ring *ring)
{
	return sizeof(struct kt_packet) >> kt_unit_shift(ring->wide);
}

/* An extended header: id, and a time of 64 bits. */
static u32 extended_units(bool wide)
{
	return wide ? 6 : 3;
}

static u32 header_units(bool wide, bool compact)
{
	return compact ? kt_compact_units(wide) : extended_units(wide);
}

static u32 bytes_of(const struct kt_ring *ring, u32 units)
{
	return units << kt_unit_shift(ring->wide);
}

static u64 make_word(u64 seq, u64 off)
{
	return seq << 32 | off << 16;
}

static struct kt_packet *packet_at(const struct kt_ring *ring, u64 seq)
{
	return (struct kt_packet *)kt_ring_subbuf(ring, seq);
}

/* Packet seq is announced: the word has its number and says "closed".  Fill in its header and open it. */
static void packet_open(struct kt_ring *ring, u64 seq, u64 ts)
{
	struct kt_packet *packet = packet_at(ring, seq);
	struct kt_ring_ctl *ctl = ring->ctl;

	packet->magic = KT_CTF_MAGIC;
	memcpy(packet->uuid, ring->uuid, sizeof(packet->uuid));
	packet->stream = 0;
	packet->ts_begin = ts;
	packet->ts_end = 0;
	packet->content_bits = 0;
	packet->packet_bits = (u64)ring->sub_bytes * 8;
	packet->seq = seq;
	packet->discarded = 0;
	WRITE_ONCE(packet->count, ctl->count);
	packet->cpu = ring->cpu;
	packet->records = 0;
	KT_STEP();
	WRITE_ONCE(ctl->seq, seq);
	KT_STEP();
	WRITE_ONCE(ctl->last_ts, ts);
	KT_STEP();
	WRITE_ONCE(ring->sub, kt_ring_subbuf(ring, seq));
	KT_STEP();
	WRITE_ONCE(ring->count, kt_ring_count(ring, seq));
	KT_STEP();
	kt_add_local(kt_ring_count(ring, seq), sizeof(*packet));
	KT_STEP();
	/*
	 * The header before the word that lets in writers and readers.  Pairs with the second kt_smp_rmb() of
	 * kt_ring_read() and the first of kt_ring_try_position().
	 */
	kt_smp_wmb();
	WRITE_ONCE(ctl->word, make_word(seq, packet_units(ring)));
}

/* `word` is the last state of packet seq, which is closed: complete its header and its commit count. */
static void packet_close(struct kt_ring *ring, u64 seq, u64 word, u64 ts)
{
	struct kt_packet *packet = packet_at(ring, seq);
	u32 off = kt_word_off(word);

	packet->ts_end = ts;
	packet->content_bits = (u64)bytes_of(ring, off) * 8;
	packet->discarded = READ_ONCE(ring->ctl->discarded);
	packet->records = kt_word_records(word);
	/*
	 * What is left there is of other packets.  Whoever copies the whole sub-buffer must not copy that.  In memory that somebody
	 * else has damaged, the offset may be anything.
	 */
	if (bytes_of(ring, off) < ring->sub_bytes)
		memset((u8 *)packet + bytes_of(ring, off), 0, ring->sub_bytes - bytes_of(ring, off));
	KT_STEP();
	/*
	 * The header before the commit that completes the packet.  Pairs with the first and second kt_smp_rmb()
	 * of kt_ring_read(), and the second of kt_ring_try_position().
	 */
	kt_smp_wmb();
	kt_add_local(kt_ring_count(ring, seq), ring->sub_bytes - bytes_of(ring, off));
	KT_STEP();
	WRITE_ONCE(ring->ctl->count, ring->ctl->count + kt_word_records(word));
}

/* Can packet seq begin?  Once true, this stays true until a writer begins it. */
static bool packet_free(const struct kt_ring *ring, u64 seq)
{
	/* A writer that was interrupted one lap ago still has room reserved there. */
	if (READ_ONCE(*kt_ring_count(ring, seq)) != kt_ring_count_base(ring, seq))
		return false;
	KT_STEP();
	/*
	 * After a move seen_seq may be before first_seq: unseen packets in between were not copied and need no
	 * protection.
	 */
	return !ring->discard || seq - READ_ONCE(ring->ctl->seen_seq) < ring->nr_subbufs ||
	       seq - READ_ONCE(ring->ctl->first_seq) < ring->nr_subbufs;
}

/*
 * Packet `old` had no room: go to the next sub-buffer.  True: try again.  False: no sub-buffer is free, drop
 * the record.
 */
static bool next_packet(struct kt_ring *ring, u64 old)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	bool retry = false, room;
	unsigned long flags;
	u64 seq, ts;

	kt_irq_save(flags);
	if (kt_word_closed(old))
		goto out;	/* this hit interrupted an exchange */
	seq = READ_ONCE(ctl->seq);
	KT_STEP();
	room = packet_free(ring, seq + 1);
	KT_STEP();
	/* If it is not free, a nested writer may have begun it just now: then it has room. */
	retry = room || READ_ONCE(ctl->word) != old;
	KT_STEP();
	if (!room || kt_cmpxchg_local(&ctl->word, old, old | KT_WORD_CLOSED << 16) != old)
		goto out;

	/* From here until packet_open() is done, no other context writes on this CPU. */
	KT_STEP();
	ts = kt_clock_read();
	packet_close(ring, seq, old, ts);
	KT_STEP();
	WRITE_ONCE(ctl->word, make_word(seq + 1, KT_WORD_CLOSED));
	KT_STEP();
	/*
	 * The new word before any byte of the new packet: a reader that finds the old packet overwritten must
	 * find the new word.  Pairs with the last kt_smp_rmb() of kt_ring_read() and of kt_ring_try_position().
	 */
	kt_smp_wmb();
	packet_open(ring, seq + 1, ts);
	kt_ring_moved(ring);
out:
	kt_irq_restore(flags);
	return retry;
}

/* Do id and time fit in a compact header? */
static bool is_compact(const struct kt_ring *ring, u32 id, u64 ts)
{
	return id < kt_id_ext(ring->wide) && !((ts - READ_ONCE(ring->ctl->last_ts)) >> kt_ts_bits(ring->wide));
}

/* Write an extended header.  Returns the address behind it. */
static void *put_extended(bool wide, u8 *at, u32 id, u64 ts)
{
	kt_item *words = (kt_item *)at;

	*words++ = wide ? KT_WIDE_ID_EXT | id << 16 : KT_ID_EXT | id << 8;
	KT_STEP();
	*words++ = (u32)ts;
	KT_STEP();
	*words++ = ts >> 32;
	KT_STEP();
	return words;
}

/*
 * Try once to reserve in packet `old`, with an extended header if necessary.  Returns 1: reserved; 0: a nested
 * writer came in between; -1: no room.
 */
static int reserve_once(struct kt_ring *ring, u64 old, u32 id, u32 units, struct kt_room *room)
{
	bool compact;
	u32 len;
	u64 ts;
	u8 *at;

	KT_STEP();
	ts = kt_clock_read();
	KT_STEP();
	compact = is_compact(ring, id, ts);
	len = units + header_units(ring->wide, compact);
	if (kt_word_off(old) + len > ring->sub_units)
		return -1;
	if (!kt_ring_take(ring->ctl, old, len, ts))
		return 0;
	at = kt_ring_subbuf(ring, kt_word_seq(old)) + bytes_of(ring, kt_word_off(old));
	room->count = kt_ring_count(ring, kt_word_seq(old));
	if (compact) {
		room->at = kt_put_compact(ring->wide, at, id, ts);
	} else {
		room->at = put_extended(ring->wide, at, id, ts);
		/*
		 * kt_ring_commit() commits the bytes of a compact header; commit the rest of this header here.
		 * The order of the two does not matter: the packet is not complete before both.
		 */
		kt_add_local(room->count,
			     bytes_of(ring, extended_units(ring->wide) - kt_compact_units(ring->wide)));
	}
	KT_STEP();
	return 1;
}

struct kt_room kt_ring_reserve_slow(struct kt_ring *ring, u32 id, u32 units)
{
	struct kt_room room = { NULL, NULL };
	int done;
	u64 old;

	do {
		old = READ_ONCE(ring->ctl->word);
		done = reserve_once(ring, old, id, units, &room);
		if (done > 0)
			return room;
	} while (!done || next_packet(ring, old));
	kt_add_local(&ring->ctl->discarded, 1);
	return room;
}

void kt_ring_attach(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		    u32 sub_bytes, u32 nr_subbufs, u32 cpu, bool wide)
{
	*ring = (struct kt_ring){
		.ctl = ctl,
		.commit = commit,
		.data = data,
		.sub_units = sub_bytes >> kt_unit_shift(wide),
		.sub_shift = __builtin_ctz(sub_bytes),
		.mask = nr_subbufs - 1,
		.sub_bytes = sub_bytes,
		.nr_subbufs = nr_subbufs,
		.nr_shift = __builtin_ctz(nr_subbufs),
		.cpu = cpu,
		.wide = wide,
	};
}

void kt_ring_init(struct kt_ring *ring, struct kt_ring_ctl *ctl, u64 *commit, u8 *data,
		  u32 sub_bytes, u32 nr_subbufs, u32 cpu, bool wide, const u8 *uuid)
{
	kt_ring_attach(ring, ctl, commit, data, sub_bytes, nr_subbufs, cpu, wide);
	memcpy(ring->uuid, uuid, sizeof(ring->uuid));
	WRITE_ONCE(ctl->word, make_word(0, KT_WORD_CLOSED));
	packet_open(ring, 0, kt_clock_read());
}

u64 kt_ring_close(struct kt_ring *ring)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	u64 old, seq;

	/* Loop: an NMI may change the word in between. */
	do {
		old = READ_ONCE(ctl->word);
		KT_STEP();
	} while (kt_cmpxchg_local(&ctl->word, old, old | KT_WORD_CLOSED << 16) != old);
	KT_STEP();
	seq = ctl->seq;
	packet_close(ring, seq, old, kt_clock_read());
	KT_STEP();
	WRITE_ONCE(ctl->word, make_word(seq + 1, KT_WORD_CLOSED));
	KT_STEP();
	return seq + 1;
}

/* Store field by field: a nested writer, which will be refused, reads some of them. */
static void move_to(struct kt_ring *ring, const struct kt_ring *in)
{
	WRITE_ONCE(ring->sub_units, in->sub_units);
	KT_STEP();
	ring->sub_shift = in->sub_shift;
	ring->mask = in->mask;
	ring->sub_bytes = in->sub_bytes;
	ring->nr_subbufs = in->nr_subbufs;
	ring->nr_shift = in->nr_shift;
	KT_STEP();
	ring->discard = in->discard;
	ring->commit = in->commit;
	KT_STEP();
	ring->data = in->data;
	KT_STEP();
}

/* Set each commit count to that of the next packet, from seq on, that belongs to its sub-buffer. */
static void counts_from(struct kt_ring *ring, u64 seq)
{
	u64 next;

	for (next = seq; next < seq + ring->nr_subbufs; next++)
		*kt_ring_count(ring, next) = kt_ring_count_base(ring, next);
}

/* The caller stores the open word later, after a kt_smp_wmb(): a reader that sees that word sees these fields. */
static void announce_move(struct kt_ring_ctl *ctl, u64 first)
{
	WRITE_ONCE(ctl->first_seq, first);
	KT_STEP();
	WRITE_ONCE(ctl->generation, ctl->generation + 1);
	KT_STEP();
}

void kt_ring_open(struct kt_ring *ring, const struct kt_ring *in, u64 first)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	u64 seq = ctl->seq + 1;

	move_to(ring, in);
	counts_from(ring, seq);
	KT_STEP();
	announce_move(ctl, first);
	packet_open(ring, seq, kt_clock_read());
}

void kt_ring_replay_begin(struct kt_ring *ring, u64 seq, u64 count, u64 ts)
{
	counts_from(ring, seq);
	ring->ctl->count = count;
	packet_open(ring, seq, ts);
}

bool kt_ring_replay(struct kt_ring *ring, u32 id, u64 ts, const u32 *payload, u32 words)
{
	struct kt_ring_ctl *ctl = ring->ctl;
	bool compact = is_compact(ring, id, ts);
	u32 len = words + header_units(false, compact);
	u8 *at;

	if (kt_word_off(ctl->word) + len > ring->sub_units) {
		packet_close(ring, ctl->seq, ctl->word, ts);
		packet_open(ring, ctl->seq + 1, ts);
		compact = is_compact(ring, id, ts);
		len = words + header_units(false, compact);
		if (packet_units(ring) + len > ring->sub_units)
			return false;
	}
	at = ring->sub + bytes_of(ring, kt_word_off(ctl->word));
	at = compact ? kt_put_compact(false, at, id, ts) : put_extended(false, at, id, ts);
	memcpy(at, payload, words * 4);
	kt_add_local(ring->count, len * 4);
	ctl->word += ((u64)len << 16) + 1;
	ctl->last_ts = ts;
	return true;
}

void kt_ring_adopt(struct kt_ring *ring, const struct kt_ring *in, u64 first)
{
	struct kt_ring_ctl *ctl = ring->ctl;

	move_to(ring, in);
	announce_move(ctl, first);
	WRITE_ONCE(ctl->count, in->ctl->count);
	KT_STEP();
	WRITE_ONCE(ctl->seq, in->ctl->seq);
	KT_STEP();
	WRITE_ONCE(ctl->last_ts, in->ctl->last_ts);
	KT_STEP();
	WRITE_ONCE(ring->sub, in->sub);
	KT_STEP();
	WRITE_ONCE(ring->count, in->count);
	KT_STEP();
	/* The ring's fields before the open word: pairs as in packet_open(). */
	kt_smp_wmb();
	WRITE_ONCE(ctl->word, in->ctl->word);
}

/* Copy the next n bytes.  False: there are not so many before `end`. */
static bool next_bytes(const void **at, const void *end, void *to, size_t n)
{
	const u8 *from = *at;

	if ((size_t)((const u8 *)end - from) < n)
		return false;
	memcpy(to, from, n);
	*at = from + n;
	return true;
}

static bool narrow_header(const void **at, const void *end, u32 *id, u64 *ts)
{
	u32 word;

	if (!next_bytes(at, end, &word, sizeof(word)))
		return false;
	*id = word & KT_ID_EXT;
	if (*id != KT_ID_EXT) {
		*ts += ((word >> 8) - (u32)*ts) & ((1U << KT_TS_BITS) - 1);
		return true;
	}
	*id = word >> 8;
	return next_bytes(at, end, ts, sizeof(*ts));
}

static bool wide_header(const void **at, const void *end, u32 *id, u64 *ts)
{
	u16 half;
	u32 low;

	if (!next_bytes(at, end, &half, sizeof(half)))
		return false;
	if (half == KT_WIDE_ID_EXT) {
		if (!next_bytes(at, end, &half, sizeof(half)))
			return false;
		*id = half;
		return next_bytes(at, end, ts, sizeof(*ts));
	}
	*id = half;
	if (!next_bytes(at, end, &low, sizeof(low)))
		return false;
	*ts += (u32)(low - (u32)*ts);
	return true;
}

bool kt_event_header(bool wide, const void **at, const void *end, u32 *id, u64 *ts)
{
	return wide ? wide_header(at, end, id, ts) : narrow_header(at, end, id, ts);
}

/*
 * Read the commit count before the word: the count can only be behind the word.  If both agree, every record up
 * to there was committed when the word was read.
 */
enum kt_read kt_ring_read(const struct kt_ring *ring, u64 seq, void *buf,
			  struct kt_read_info *info)
{
	const struct kt_packet *copy = buf;
	u64 committed = READ_ONCE(*kt_ring_count(ring, seq)) - kt_ring_count_base(ring, seq);
	u64 word;
	s32 ahead;

	KT_STEP();
	kt_smp_rmb();	/* pairs with the kt_smp_wmb() of kt_ring_commit() and packet_close() */
	word = READ_ONCE(ring->ctl->word);
	ahead = kt_word_seq(word) - (u32)seq;
	if (ahead < 0)
		return KT_READ_NONE;
	if ((u32)ahead >= ring->nr_subbufs)
		return KT_READ_GONE;
	info->complete = ahead > 0;
	info->bytes = info->complete ? ring->sub_bytes : bytes_of(ring, kt_word_off(word));
	info->records = kt_word_records(word);
	/*
	 * If the ring has moved to larger sub-buffers, the word describes that ring, not this one; a damaged
	 * ring may say anything.
	 */
	if ((!info->complete && kt_word_closed(word)) || committed != info->bytes ||
	    info->bytes > ring->sub_bytes)
		return KT_READ_BUSY;

	KT_STEP();
	/*
	 * In a packet that is full to the last word, all bytes are committed before the end of its header is
	 * written; then only the word says that it is complete.  Pairs with the kt_smp_wmb() of packet_close()
	 * and packet_open().
	 */
	kt_smp_rmb();
	memcpy(buf, kt_ring_subbuf(ring, seq), info->bytes);
	KT_STEP();
	kt_smp_rmb();	/* pairs with the kt_smp_wmb() of next_packet() */
	if (kt_word_seq(READ_ONCE(ring->ctl->word)) - (u32)seq >= ring->nr_subbufs)
		return KT_READ_GONE;
	/*
	 * Packets before first_seq were not copied when the ring moved; first_seq was set before the word that
	 * we read first.
	 */
	if (seq < READ_ONCE(ring->ctl->first_seq))
		return KT_READ_GONE;
	if (info->complete) {
		info->bytes = copy->content_bits / 8;
		info->records = copy->records;
	}
	return KT_READ_OK;
}

/* The number of the first record in the oldest packet; packet `newest` begins with record `count`. */
static u64 first_count(const struct kt_ring *ring, u64 newest, u64 count)
{
	u64 first = newest < ring->nr_subbufs ? 0 : newest - ring->nr_subbufs + 1;
	u64 moved = READ_ONCE(ring->ctl->first_seq);

	first = first > moved ? first : moved;
	return first == newest ? count : READ_ONCE(packet_at(ring, first)->count);
}

bool kt_ring_try_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest)
{
	const struct kt_ring_ctl *ctl = ring->ctl;
	u64 word = READ_ONCE(ctl->word), again, count, newest, first;

	if (kt_word_closed(word))
		return false;
	KT_STEP();
	/*
	 * Read the word, the fields of its packet, and the word again: if both agree, the fields belong to that
	 * packet.
	 */
	kt_smp_rmb();	/* pairs with the kt_smp_wmb() of packet_open() */
	count = READ_ONCE(ctl->count);
	KT_STEP();
	newest = READ_ONCE(ctl->seq);
	KT_STEP();
	first = oldest ? first_count(ring, newest, count) : 0;
	KT_STEP();
	kt_smp_rmb();	/* pairs with the kt_smp_wmb() of packet_close() and next_packet() */
	again = READ_ONCE(ctl->word);
	if (kt_word_seq(again) != kt_word_seq(word) || kt_word_closed(again) ||
	    kt_word_seq(word) != (u32)newest)
		return false;
	if (total)
		*total = count + kt_word_records(word);
	if (seq)
		*seq = newest;
	if (oldest)
		*oldest = first;
	return true;
}

void kt_ring_position(const struct kt_ring *ring, u64 *total, u64 *seq, u64 *oldest)
{
	while (!kt_ring_try_position(ring, total, seq, oldest))
		kt_relax();
}
