/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_move.h - a ring that moves to other memory, as kmod/records/resize.c does it, interrupted at a chosen
 * step by writes of an NMI, and by readers that have mapped the old or the new memory. Every record contains
 * its number.
 */
#ifndef RING_MOVE_H
#define RING_MOVE_H

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "ctl/base/memory.h"

#ifdef MOVE_STEPS
static void move_step(void);
#define KT_STEP()	move_step()
#endif

#include "own_ring.h"

/* Called before and after the tested part. */
#ifndef MOVE_BEGINS
#define MOVE_BEGINS()	do { } while (0)
#define MOVE_ENDS()	do { } while (0)
#endif

#define LARGEST		256U
#define MOST		8U

struct memory {
	u64 commit[MOST];
	u8 data[MOST * LARGEST];
};

struct geometry {
	u32 sub, nr;
};

static struct {
	struct kt_ring_ctl ctl, own;	/* of the ring; of the new memory, for records that are replayed */
	struct memory memory[2];
	struct kt_ring ring;
	struct kt_ring here, there;	/* the mappings of readers, before and after the move */
	u64 next;			/* the first packet in the new memory, when the ring is closed */
	u8 copy[LARGEST];
	u64 ticks;
	bool in_clock;
	u32 taken, refused;
} m;

static struct {
	bool on, met;
	u32 step, at, burst;
	void (*what)(void);
} interruption;

/* One instruction on a real machine. */
u64 kt_clock_read(void)
{
	u64 now;

	WRITE_ONCE(m.in_clock, true);
	barrier();
	now = ++m.ticks;
	barrier();
	WRITE_ONCE(m.in_clock, false);
	return now;
}

static void move_step(void)
{
	if (!interruption.on || interruption.step++ != interruption.at)
		return;
	interruption.on = false;
	interruption.met = true;
	interruption.what();
	interruption.on = true;
}

static void write_records(u32 n)
{
	while (n--) {
		const bool taken = kt_ring_write(&m.ring, 1, &m.taken, 1);

		m.taken += taken;
		m.refused += !taken;
	}
}

/* ----------------------------------------------------------------- readers */

/* Every record that was read is right. */
static void check_packet(u64 seq, const struct kt_read_info *info)
{
	const struct kt_packet *packet = (const void *)m.copy;
	const void *at = packet + 1, *end = m.copy + info->bytes;
	u32 n = 0;

	assert_int_equal(packet->magic, KT_CTF_MAGIC);
	assert_int_equal(packet->seq, seq);
	u64 ts = packet->ts_begin, before;
	u32 id;

	for (; at < end; at += 4) {
		before = ts;
		assert_true(kt_event_header(false, &at, end, &id, &ts));
		assert_true(ts >= before && ts <= m.ticks);
		assert_int_equal(*(const u32 *)at, packet->count + n++);
	}
	assert_ptr_equal(at, end);
	assert_int_equal(n, info->records);
	assert_true(packet->count + n <= m.taken);
}

static enum kt_read read_packet(const struct kt_ring *ring, u64 seq)
{
	struct kt_read_info info;
	enum kt_read result = own_ring_read(ring, seq, m.copy, &info);

	if (result == KT_READ_OK)
		check_packet(seq, &info);
	return result;
}

/* Possible at any instant; the new memory only when a reader can have mapped it. */
static void read_all(void)
{
	const u64 word = READ_ONCE(m.ctl.word), newest = READ_ONCE(m.ctl.seq);
	const bool moved = m.next && !kt_word_closed(word) && kt_word_seq(word) >= m.next;

	if (moved)
		assert_int_equal(m.ctl.generation, 1);
	for (u64 seq = 0; seq <= newest + 2; seq++) {
		const enum kt_read result = read_packet(&m.here, seq);

		if (m.next && seq >= m.next)
			assert_int_not_equal(result, KT_READ_OK);
		if (moved && read_packet(&m.there, seq) == KT_READ_OK)
			assert_true(seq >= m.ctl.first_seq);
	}
}

/* When no write is in progress: every record from `first` on is there, or was overwritten. */
static void check_rest(u64 first)
{
	u64 total, newest, oldest, number, seq;

	own_ring_position(&m.there, &total, &newest, &oldest);
	assert_int_equal(total, m.taken);
	assert_int_equal(m.ctl.discarded, m.refused);
	seq = newest < m.there.nr_subbufs ? 0 : newest - m.there.nr_subbufs + 1;
	seq = seq > first ? seq : first;
	if (seq)
		assert_int_equal(read_packet(&m.there, seq - 1), KT_READ_GONE);
	for (number = oldest; seq <= newest; seq++) {
		assert_int_equal(read_packet(&m.there, seq), KT_READ_OK);
		assert_int_equal(((struct kt_packet *)m.copy)->count, number);
		number += seq < newest ? ((struct kt_packet *)m.copy)->records : 0;
	}
	assert_int_equal(number + kt_word_records(m.ctl.word), total);
}

/* -------------------------------------------------------------------- move */

static void begin(struct geometry from, struct geometry to, bool discard, u32 prefill)
{
	static const u8 uuid[16] = { 7 };

	memset(&m, 0, sizeof(m));
	memset(m.memory, 0xa5, sizeof(m.memory));
	memset(m.memory[0].commit, 0, sizeof(m.memory[0].commit));
	own_ring_init(&m.ring, &m.ctl, m.memory[0].commit, m.memory[0].data, from.sub, from.nr, 3,
		      false, uuid);
	m.ring.discard = discard;
	m.here = m.ring;
	own_ring_attach(&m.there, &m.ctl, m.memory[1].commit, m.memory[1].data, to.sub, to.nr, 3, false);
	m.there.discard = discard;
	write_records(prefill);
}

/* Copy the last packets, at most `most`, as far as there is room; no writer works in them. */
static u64 carry(u32 most)
{
	u32 room = m.there.nr_subbufs < m.here.nr_subbufs ? m.there.nr_subbufs : m.here.nr_subbufs;
	struct kt_read_info info;
	u64 first;

	most = most < room ? most : room - 1;
	first = m.next < most ? 0 : m.next - most;
	for (u64 seq = first; seq < m.next; seq++)
		assert_int_equal(own_ring_read(&m.here, seq, kt_ring_subbuf(&m.there, seq), &info),
				 KT_READ_OK);
	return first;
}

/*
 * For smaller sub-buffers: write the records of the last `most` packets again, as replay() of
 * kmod/records/resize.c.
 */
static struct kt_ring replayed(u32 most, u64 *first)
{
	const u64 oldest = m.next < m.here.nr_subbufs ? 0 : m.next - m.here.nr_subbufs;
	u64 seq = m.next < most ? oldest : m.next - most > oldest ? m.next - most : oldest, ts = m.ticks;
	struct kt_ring to;
	u32 id;

	own_ring_attach(&to, &m.own, m.memory[1].commit, m.memory[1].data, m.there.sub_bytes, m.there.nr_subbufs, 3, false);
	own_ring_replay_begin(&to, m.next, m.ctl.count, ts);
	for (u64 from = seq; seq < m.next; seq++) {
		const struct kt_packet *packet = (const void *)kt_ring_subbuf(&m.here, seq);
		const void *at = packet + 1, *end = (const u8 *)packet + packet->content_bits / 8;

		ts = packet->ts_begin;
		if (seq == from)
			own_ring_replay_begin(&to, m.next, packet->count, ts);
		for (; at < end; at += 4) {
			assert_true(kt_event_header(false, &at, end, &id, &ts));
			assert_true(own_ring_replay(&to, id, ts, at, 1));
		}
	}
	*first = m.own.seq - m.next < to.nr_subbufs ? m.next : m.own.seq - to.nr_subbufs + 1;
	return to;
}

static void move(u32 most)
{
	struct kt_ring to = m.there;
	u64 first;

	MOVE_BEGINS();
	m.next = own_ring_close(&m.ring);
	MOVE_ENDS();
	if (to.sub_bytes < m.here.sub_bytes) {
		to = replayed(most, &first);
		to.discard = m.there.discard;
		MOVE_BEGINS();
		own_ring_adopt(&m.ring, &to, first);
	} else {
		first = carry(most);
		MOVE_BEGINS();
		own_ring_open(&m.ring, &to, first);
	}
	MOVE_ENDS();
}

/* ------------------------------------------------------------------ scenes */

/* An NMI does not write to a closed ring, and counts its record. */
static void nmi(void)
{
	const bool closed = kt_word_closed(READ_ONCE(m.ctl.word));
	const u32 taken = m.taken;

	read_all();
	write_records(interruption.burst);
	if (closed)
		assert_int_equal(m.taken, taken);
	else if (!m.ring.discard)
		assert_int_equal(m.taken, taken + interruption.burst);
	read_all();
}

static void move_interrupted(struct geometry from, struct geometry to, bool discard, u32 prefill,
			     u32 most)
{
	interruption.what = nmi;
	interruption.met = true;
	for (interruption.at = 0; interruption.met; interruption.at++) {
		begin(from, to, discard, prefill);
		interruption.met = false;
		interruption.step = 0;
		interruption.on = true;
		move(most);
		interruption.on = false;
		check_rest(m.ctl.first_seq);
		/* Then it continues, lap after lap. */
		for (u32 i = 0; i < 4 * MOST; i++) {
			m.ctl.seen_seq = m.ctl.seq;
			write_records(3);
			read_all();
			check_rest(m.ctl.first_seq);
		}
	}
	assert_true(interruption.at > 2);
}

static const struct geometry moves[][2] = {
	{ { 128, 2 }, { 128, 2 } }, { { 128, 2 }, { 256, 4 } }, { { 128, 4 }, { 128, 2 } },
	{ { 256, 4 }, { 128, 8 } }, { { 128, 4 }, { 128, 8 } }, { { 256, 4 }, { 128, 2 } },
};

/* Test those ways to move the ring for which takes() returns true.  takes NULL: all of them. */
static void move_all_ways(u32 prefill, bool (*takes)(unsigned int way))
{
	static const u32 bursts[] = { 1, 7, 40 };

	for (size_t i = 0; i < ARRAY_SIZE(moves) * ARRAY_SIZE(bursts) * 4; i++) {
		const struct geometry *way = moves[i / 4 / ARRAY_SIZE(bursts)];

		if (takes && !takes(i))
			continue;
		interruption.burst = bursts[i / 4 % ARRAY_SIZE(bursts)];
		move_interrupted(way[0], way[1], i % 2, prefill, i / 2 % 2 ? MOST : 0);
	}
}

#endif
