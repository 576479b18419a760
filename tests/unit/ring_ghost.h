/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_ghost.h - a ring and a list of all writes, for the tests of the ring. Every record contains the number
 * of its write, so that a test can check that a reader gets it whole, in order, once and in its place.
 */
#ifndef RING_GHOST_H
#define RING_GHOST_H

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#ifdef GHOST_STEPS
static void ghost_step(void);
#define KT_STEP()	ghost_step()
#endif

static bool clock_is_raw = true;
#define OWN_CLOCK_IS_RAW	clock_is_raw
#include "own_ring.h"

/* Called before and after the tested part of a write. */
#ifndef GHOST_BEGINS
#define GHOST_BEGINS()	do { } while (0)
#define GHOST_ENDS()	do { } while (0)
#endif

#define MAX_WRITES	32768U
#define MAX_SUBBUFS	8U
#define MAX_DEPTH	4U

/* The size and the id of the n-th write. */
struct shape {
	u32 (*words)(u32 write);	/* size of its payload, in words of four bytes */
	u32 (*id)(u32 write);
	u64 (*advance)(u64 reads);	/* the clock's step at its n-th reading */
	bool wide;			/* the ring is wide (core/abi_ring.h) */
};

struct ghost {
	struct kt_ring ring;
	struct kt_ring_ctl ctl;
	u64 commit[MAX_SUBBUFS];
	u8 *data, *copies;	/* a copy of a packet for each depth */
	const struct shape *shape;
	u64 ticks, reads;	/* of the clock */
	bool in_clock;
	u32 depth;		/* number of interrupted writers */
	u64 stamp[MAX_DEPTH];	/* the last time that was read, for each depth */
	u64 first;		/* the first packet */
	u32 writes, taken, dropped;
	struct {
		bool taken, stamped, known;
		u64 ts;		/* its time, known when it has returned or was read */
		u64 number;	/* its number, known when it was read */
	} write[MAX_WRITES];
	u32 by_number[MAX_WRITES];	/* for each number the write + 1, if known */
};

static struct ghost *ghost;

/* One instruction on a real machine: no step inside. */
u64 kt_clock_read(void)
{
	u64 now;

	WRITE_ONCE(ghost->in_clock, true);
	barrier();
	now = ghost->ticks += ghost->shape->advance(ghost->reads++);
	ghost->stamp[ghost->depth] = now;
	barrier();
	WRITE_ONCE(ghost->in_clock, false);
	return now;
}

/* ------------------------------------------------------------------ begin */

static void ghost_create(u32 sub_bytes, u32 nr_subbufs)
{
	ghost = calloc(1, sizeof(*ghost));
	ghost->data = malloc((size_t)sub_bytes * nr_subbufs);
	ghost->copies = malloc((size_t)sub_bytes * MAX_DEPTH);
	ghost->ring.sub_bytes = sub_bytes;
	ghost->ring.nr_subbufs = nr_subbufs;
}

static void ghost_free(void)
{
	free(ghost->data);
	free(ghost->copies);
	free(ghost);
}

/* Make an empty ring with first packet `seq`, over memory full of garbage. */
static void ghost_reset(const struct shape *shape, bool discard, u64 seq)
{
	static const u8 uuid[16] = { 7 };
	struct kt_ring *ring = &ghost->ring;
	u32 sub = ring->sub_bytes, nr = ring->nr_subbufs;
	u64 i;

	memset(ghost->data, 0xa5, (size_t)sub * nr);
	memset(&ghost->ctl, 0, sizeof(ghost->ctl));
	memset(ghost->commit, 0, sizeof(ghost->commit));
	memset(ghost->write, 0, ghost->writes * sizeof(ghost->write[0]));
	memset(ghost->by_number, 0, ghost->writes * sizeof(ghost->by_number[0]));
	ghost->shape = shape;
	ghost->ticks = 1000;
	ghost->reads = 0;
	ghost->depth = 0;
	ghost->first = seq;
	ghost->writes = ghost->taken = ghost->dropped = 0;
	own_ring_init(ring, &ghost->ctl, ghost->commit, ghost->data, sub, nr, 3, shape->wide, uuid);
	ring->discard = discard;
	if (!seq)
		return;
	for (i = seq; i < seq + nr; i++)
		*kt_ring_count(ring, i) = kt_ring_count_base(ring, i);
	WRITE_ONCE(ghost->ctl.word, make_word(seq, KT_WORD_CLOSED));
	ghost->ctl.seen_seq = seq;
	packet_open(ring, seq, kt_clock_read());
}

/* ------------------------------------------------------------------ write */

static u32 ghost_word(u32 write, u32 i)
{
	return i ? (write + i) * 0x9e3779b1u : write;
}

/* Units of so many words in the ring. */
static u32 ghost_units(u32 words)
{
	return ghost->shape->wide ? 2 * words : words;
}

static void ghost_stamp(u32 write, u64 ts)
{
	if (ghost->write[write].stamped)
		assert_int_equal(ghost->write[write].ts, ts);
	ghost->write[write].stamped = true;
	ghost->write[write].ts = ts;
}

static bool ghost_write(void)
{
	u32 write = ghost->writes++, words = ghost->shape->words(write), i;
	u32 payload[64];
	bool taken;

	assert_true(write < MAX_WRITES && words <= 64);
	for (i = 0; i < words; i++)
		payload[i] = ghost_word(write, i);
	GHOST_BEGINS();
	taken = kt_ring_write(&ghost->ring, ghost->shape->id(write), payload, ghost_units(words));
	GHOST_ENDS();
	if (taken)
		ghost_stamp(write, ghost->stamp[ghost->depth]);
	ghost->write[write].taken = taken;
	ghost->taken += taken;
	ghost->dropped += !taken;
	return taken;
}

static void ghost_fill(u32 n)
{
	while (n--)
		ghost_write();
}

/* ------------------------------------------------------------------- read */

static u8 *ghost_copy(void)
{
	return ghost->copies + (size_t)ghost->ring.sub_bytes * ghost->depth;
}

struct ghost_cursor {
	const u8 *at, *end;
	u64 ts, number;
};

/* The next number of n bytes. */
static u64 ghost_number(struct ghost_cursor *c, size_t n)
{
	u64 value = 0;

	assert_true((size_t)(c->end - c->at) >= n);
	memcpy(&value, c->at, n);
	c->at += n;
	return value;
}

/* A time of so many low bits, after the last one. */
static void ghost_low(struct ghost_cursor *c, u64 low, u32 bits)
{
	const u64 step = (low - c->ts) & ((1ULL << bits) - 1);

	assert_true(step);
	c->ts += step;
}

static void ghost_full(struct ghost_cursor *c)
{
	const u64 ts = ghost_number(c, 8);

	assert_true(c->ts < ts);
	c->ts = ts;
}

static u32 ghost_header_narrow(struct ghost_cursor *c)
{
	const u32 word = ghost_number(c, 4);

	if ((word & KT_ID_EXT) == KT_ID_EXT) {
		ghost_full(c);
		return word >> 8;
	}
	ghost_low(c, word >> 8, KT_TS_BITS);
	return word & KT_ID_EXT;
}

static u32 ghost_header_wide(struct ghost_cursor *c)
{
	u32 id = ghost_number(c, 2);

	if (id == KT_WIDE_ID_EXT) {
		id = ghost_number(c, 2);
		ghost_full(c);
	} else {
		ghost_low(c, ghost_number(c, 4), KT_WIDE_TS_BITS);
	}
	return id;
}

static u32 ghost_header(struct ghost_cursor *c)
{
	const struct ghost_cursor before = *c;
	const u32 id = ghost->shape->wide ? ghost_header_wide(c) : ghost_header_narrow(c);
	const void *at = before.at;
	u64 ts = before.ts;
	u32 said;

	/* The product's own reader agrees, and finds a header that is cut off. */
	assert_false(kt_event_header(ghost->shape->wide, &at, c->at - 1, &said, &ts));
	at = before.at, ts = before.ts;
	assert_true(kt_event_header(ghost->shape->wide, &at, c->at, &said, &ts));
	assert_true(at == c->at && said == id && ts == c->ts);
	return id;
}

/* Check a record: it is a whole record of some write, and always the same for its number. */
static void ghost_record(struct ghost_cursor *c)
{
	u32 id = ghost_header(c), write, words, i;

	write = ghost_number(c, 4);
	assert_true(write < ghost->writes);
	words = ghost->shape->words(write);
	assert_int_equal(id, ghost->shape->id(write));
	for (i = 1; i < words; i++)
		assert_int_equal(ghost_number(c, 4), ghost_word(write, i));
	assert_true(c->number < MAX_WRITES);
	ghost_stamp(write, c->ts);
	if (ghost->write[write].known)
		assert_int_equal(ghost->write[write].number, c->number);
	if (ghost->by_number[c->number])
		assert_int_equal(ghost->by_number[c->number], write + 1);
	ghost->write[write].known = true;
	ghost->write[write].number = c->number;
	ghost->by_number[c->number++] = write + 1;
}

static void ghost_packet(u64 seq, const struct kt_read_info *info)
{
	const struct kt_packet *packet = (const void *)ghost_copy();
	struct ghost_cursor c = {
		.at = (const u8 *)(packet + 1), .end = (const u8 *)packet + info->bytes,
		.ts = packet->ts_begin, .number = packet->count,
	};

	assert_int_equal(packet->magic, KT_CTF_MAGIC);
	assert_int_equal(packet->seq, seq);
	assert_int_equal(packet->cpu, 3);
	assert_int_equal(packet->packet_bits, ghost->ring.sub_bytes * 8);
	assert_true(info->bytes >= sizeof(*packet) && info->bytes <= ghost->ring.sub_bytes);
	while (c.at < c.end)
		ghost_record(&c);
	assert_int_equal(c.number, packet->count + info->records);
	if (info->complete) {
		assert_true(c.ts <= packet->ts_end);
		assert_int_equal(packet->records, info->records);
		assert_true(packet->discarded <= ghost->ctl.discarded);
		/* Behind its records is nothing of the packets before it in this place. */
		for (const u8 *at = c.end; at < (const u8 *)packet + ghost->ring.sub_bytes; at++)
			assert_int_equal(*at, 0);
	}
}

static enum kt_read ghost_read(u64 seq)
{
	struct kt_read_info info;
	enum kt_read result = own_ring_read(&ghost->ring, seq, ghost_copy(), &info);

	if (result == KT_READ_OK)
		ghost_packet(seq, &info);
	return result;
}

/* In discard mode no packet begins over unseen records; this holds at any instant. */
static void ghost_kept(void)
{
	const u32 behind = kt_word_seq(ghost->ctl.word) - (u32)ghost->ctl.seen_seq;

	assert_true(!ghost->ring.discard || behind < ghost->ring.nr_subbufs);
}

/* Read every packet of the ring and some beside it; possible at any instant. */
static void ghost_read_all(void)
{
	u64 newest = READ_ONCE(ghost->ctl.seq), back = ghost->ring.nr_subbufs + 1;
	u64 seq = newest - ghost->first > back ? newest - back : ghost->first;

	ghost_kept();
	for (; seq <= newest + 2; seq++)
		ghost_read(seq);
}

/* ------------------------------------------------------------------- rest */

/* Between writes: every record that is not overwritten can be read, and all counts agree. */
static void ghost_check(void)
{
	const struct kt_ring *ring = &ghost->ring;
	u64 total, newest, oldest, number, seq, end;

	ghost_kept();
	own_ring_position(ring, &total, &newest, &oldest);
	assert_int_equal(total, ghost->taken);
	assert_int_equal(ghost->ctl.discarded, ghost->dropped);
	assert_int_equal(kt_word_seq(ghost->ctl.word), (u32)newest);
	seq = newest - ghost->first < ring->nr_subbufs ? ghost->first : newest - ring->nr_subbufs + 1;
	if (seq > ghost->first)
		assert_int_equal(ghost_read(seq - 1), KT_READ_GONE);
	assert_int_equal(ghost_read(newest + 1), KT_READ_NONE);
	for (; seq <= newest; seq++) {
		assert_int_equal(ghost_read(seq), KT_READ_OK);
		end = seq == newest ? kt_word_off(ghost->ctl.word) << kt_unit_shift(ring->wide) : ring->sub_bytes;
		assert_int_equal(*kt_ring_count(ring, seq), kt_ring_count_base(ring, seq) + end);
	}
	for (number = oldest; number < total; number++)
		assert_true(ghost->by_number[number]);
	for (number = 0; number < ghost->writes; number++)
		assert_true(ghost->write[number].taken || !ghost->write[number].known);
}

#endif
