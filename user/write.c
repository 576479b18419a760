/* SPDX-License-Identifier: MIT */
/*
 * write.c - write events that ktrace_write() leaves to C.
 *
 * Each event is prepared here, and then made part of a ring by ktrace_commit(), if the ring is still as it was: so the
 * rules of section.S hold here, too.  On the ring of a slot no sequence is needed, since nobody else writes there.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define TRIES		64	/* until the slot of a thread is used in place of its CPU's ring */
#define MAX_WORDS	(KTRACE_MAX_ARGS * KTRACE_TEXT_WORDS)
/* The mark of a thread, and the header of an event: at most three words each, and the thread's id. */
#define MAX_HEADS	7

/* An event, and where it is to go. */
struct event {
	uint32_t id, tid;
	const void *payload;
	uint32_t words;
	struct ktu_lane *lane;
	bool is_slot;		/* else the lane is that of `cpu` */
	uint32_t cpu;
};

enum outcome { DONE, AGAIN, NO_ROOM };

static uint32_t word_off(uint64_t word)
{
	return word >> 16 & 0xffff;
}

static uint8_t *packet_at(const struct ktu_lane *lane, uint32_t seq)
{
	return lane->data + (seq & lane->mask) * lane->sub_bytes;
}

/* Everything in order; then the store that makes it valid, which readers of other processes may see at any time. */
static bool commit(const struct event *event, struct ktu_commit *c)
{
	if (!event->is_slot) {
		c->cpu = event->cpu;
		return ktrace_commit(c) == 0;
	}
	for (uint32_t i = 0; i < c->nr; i++) {
		memcpy(c->copies[i].to, c->copies[i].from, 4 * c->copies[i].words);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
	__atomic_store_n(c->store, c->value, __ATOMIC_RELEASE);
	return true;
}

/* Store `value` at *to, if *compare is still `expect`. */
static bool commit_word(const struct event *event, const uint64_t *compare, uint64_t expect, uint64_t *to, uint64_t value)
{
	struct ktu_commit c;

	c.nr = 0;
	c.compare = compare;
	c.expect = expect;
	c.store = to;
	c.value = value;
	return commit(event, &c);
}

/*
 * The time of an event or packet.  Threads hand a slot over to each other, and a CPU may read its clock before it has
 * taken the slot: so the time can be a little earlier than the last one there.
 */
static uint64_t time_of(const struct event *event)
{
	const uint64_t now = ktu_ticks(), last = ktu_load(&event->lane->ring->last_ts);

	return event->is_slot && now < last ? last : now;
}

/* ------------------------------------------------------------------------ events */

static uint32_t *put_header(uint32_t *at, uint32_t id, uint64_t ts, uint64_t last)
{
	if (id < KTU_ID_EXT && !((ts - last) >> KTU_TS_BITS)) {
		*at = id | (uint32_t)ts << 8;
		return at + 1;
	}
	at[0] = KTU_ID_EXT | id << 8;
	memcpy(at + 1, &ts, sizeof(ts));
	return at + 3;
}

/*
 * If the event at `ts` is still the newest, section.S may write behind it.  Whoever came in between and has stored something
 * in the lane, without getting to the end, has made it nobody's first.
 */
static void take_lane(const struct event *event, uint64_t word, uint64_t ts)
{
	struct ktu_lane *lane = event->lane;
	uint8_t *const packet = packet_at(lane, word >> 32);
	const uint32_t epoch = ktu_epoch(ts);
	struct ktu_commit c = {
		.nr = 2, .compare = &lane->ring->word, .expect = word, .store = &lane->tid, .value = event->tid,
		.copies = { { &lane->packet, &packet, 2 }, { &lane->epoch, &epoch, 1 } },
	};

	commit(event, &c);
}

/*
 * While the ring gets the mark of another thread, or a time of another epoch, it is nobody's: so a thread that comes in
 * between writes its own mark.
 */
static enum outcome put_event(const struct event *event, uint64_t word)
{
	static const uint64_t nobody = KTU_NOBODY;
	struct ktu_lane *lane = event->lane;
	const uint64_t last = ktu_load(&lane->ring->last_ts), ts = time_of(event);
	const bool is_marked = ktu_load(&lane->tid) == event->tid;
	const bool stays = is_marked && __atomic_load_n(&lane->epoch, __ATOMIC_RELAXED) == ktu_epoch(ts);
	uint32_t heads[MAX_HEADS], *at = heads;
	uint64_t len;
	uint8_t *to = packet_at(lane, word >> 32) + 4 * word_off(word);
	struct ktu_commit c = { .compare = &lane->ring->word, .expect = word, .store = &lane->ring->word };

	if (!is_marked) {
		at = put_header(at, KTU_THREAD_MARK, ts, last);
		*at++ = event->tid;
	}
	if (!stays)
		c.copies[c.nr++] = (struct ktu_copy){ &lane->tid, &nobody, 2 };
	at = put_header(at, event->id, ts, is_marked ? last : ts);
	len = at - heads + event->words;
	if (word_off(word) + len > lane->sub_units)
		return NO_ROOM;
	c.copies[c.nr++] = (struct ktu_copy){ to, heads, at - heads };
	c.copies[c.nr++] = (struct ktu_copy){ to + 4 * (at - heads), event->payload, event->words };
	c.value = word + (len << 16) + 1;
	if (!commit(event, &c))
		return AGAIN;
	/* Where another thread comes in between: the time is then earlier than the newest, which is allowed. */
	__atomic_store_n(&lane->ring->last_ts, ts, __ATOMIC_RELAXED);
	if (!stays)
		take_lane(event, c.value, ts);
	return DONE;
}

/* ------------------------------------------------------------------------ packets */

/* Once for each sub-buffer of a large ring. */
static void populate(struct ktu_lane *lane, uint64_t seq)
{
	if (seq >= lane->populated && lane->populated <= lane->mask)
		ktu_lane_populate(lane, seq, seq + 1);
}

/* Begin the next packet.  All that the exchange needs is read before, and valid if the word has not changed. */
static void next_packet(const struct event *event, uint64_t word)
{
	static const uint32_t zeros[MAX_WORDS + MAX_HEADS];
	struct ktu_lane *lane = event->lane;
	struct ktu_ring *ring = lane->ring;
	struct ktu_packet *old = (struct ktu_packet *)packet_at(lane, word >> 32), closed = *old, next;
	const uint64_t ts = time_of(event), seq = old->seq + 1, nr = lane->mask + 1ULL;
	const uint64_t oldest = seq >= nr && ktu_load(&ring->oldest) < seq - nr + 1 ? seq - nr + 1 : ktu_load(&ring->oldest);
	const uint64_t nobody = KTU_NOBODY;
	struct ktu_commit c = { .compare = &ring->word, .expect = word, .store = &ring->word };

	closed.ts_end = ts;
	closed.content_bits = 32ULL * word_off(word);
	closed.discarded = ktu_load(&ring->discarded);
	closed.records = word & 0xffff;
	next = (struct ktu_packet){
		.magic = KTU_PACKET_MAGIC, .ts_begin = ts, .packet_bits = 8 * lane->sub_bytes, .seq = seq,
		.count = closed.count + closed.records, .cpu = lane->number,
	};
	c.copies[c.nr++] = (struct ktu_copy){ &lane->tid, &nobody, 2 };
	c.copies[c.nr++] = (struct ktu_copy){ old, &closed, sizeof(closed) / 4 };
	/* What is left there is of older events; there is no room for the largest one. */
	c.copies[c.nr++] = (struct ktu_copy){ (uint8_t *)old + 4 * word_off(word), zeros, lane->sub_units - word_off(word) };
	c.copies[c.nr++] = (struct ktu_copy){ &ring->oldest, &oldest, 2 };
	c.copies[c.nr++] = (struct ktu_copy){ packet_at(lane, seq), &next, sizeof(next) / 4 };
	c.value = seq << 32 | sizeof(next) / 4 << 16;
	if (!commit(event, &c))
		return;
	__atomic_store_n(&ring->last_ts, ts, __ATOMIC_RELAXED);
	if (seq % 16 == 0)
		ktu_anchor();
}

static enum outcome discard(const struct event *event)
{
	uint64_t *to = &event->lane->ring->discarded, before = ktu_load(to);

	return commit_word(event, to, before, to, before + 1) ? DONE : AGAIN;
}

/* Is this the last packet that the ring takes? */
static bool is_full(const struct ktu_lane *lane, uint64_t word)
{
	return ktu.mode == KTU_DISCARD && word >> 32 >= lane->mask;
}

/* AGAIN: try once more; the thread may be on another CPU now.  An event that is lost costs no look at the clock. */
static enum outcome try_once(const struct event *event)
{
	struct ktu_lane *lane = event->lane;
	const uint64_t word = __atomic_load_n(&lane->ring->word, __ATOMIC_ACQUIRE);
	enum outcome outcome = NO_ROOM;

	if (event->words + MAX_HEADS > lane->sub_units - sizeof(struct ktu_packet) / 4)
		return discard(event);
	if (word_off(word) + 1 + event->words <= lane->sub_units)
		outcome = put_event(event, word);
	if (outcome != NO_ROOM)
		return outcome;
	if (is_full(lane, word))
		return discard(event);
	populate(lane, (word >> 32) + 1);
	next_packet(event, word);
	return AGAIN;
}

/* ------------------------------------------------------------------------ rings */

/* Open the ring at its first use.  One who comes while another opens it does without. */
static bool is_open(struct ktu_lane *lane, uint32_t number)
{
	if (__atomic_load_n(&lane->ring, __ATOMIC_ACQUIRE))
		return true;
	if (lane->failed || __atomic_exchange_n(&lane->taken, 1, __ATOMIC_ACQUIRE))
		return false;
	return ktu_lane_open(lane, number);
}

static bool put_cpu(struct event *event)
{
	const struct ktu_rseq *rseq = ktu_rseq();

	for (int i = 0; i < TRIES; i++) {
		event->cpu = __atomic_load_n(&rseq->cpu_start, __ATOMIC_RELAXED);
		if (event->cpu >= ktu.nr_cpus)
			return false;
		event->lane = &ktu.process->lanes[event->cpu];
		if (!is_open(event->lane, event->cpu))
			return false;
		__atomic_store_n(&ktrace_self.lane, event->lane, __ATOMIC_RELAXED);
		if (try_once(event) == DONE)
			return true;
	}
	return false;
}

/* Whoever has set `taken` is the only writer: a thread, or a signal handler that it runs. */
static bool put_slot(struct event *event)
{
	const uint32_t first = ktrace_self.slot ? ktrace_self.slot : event->tid;

	event->is_slot = true;
	for (uint32_t i = 0; i < KTU_SLOTS; i++) {
		struct ktu_lane *lane = &ktu.process->slots[(first + i) % KTU_SLOTS];

		if (lane->failed || __atomic_exchange_n(&lane->taken, 1, __ATOMIC_ACQUIRE))
			continue;
		event->lane = lane;
		if (lane->ring || ktu_lane_open(lane, lane->number)) {
			while (try_once(event) != DONE)
				;
			ktrace_self.slot = first + i;
			__atomic_store_n(&lane->taken, 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

static bool put(struct ktrace_site *site, const void *payload, uint32_t words)
{
	struct ktu_self *self = &ktrace_self;
	struct event event = { .payload = payload, .words = words };

	if (self->off || words > MAX_WORDS || (!site->id && !ktu_describe(site)))
		return false;
	if (self->tid == KTU_NO_TID || self->generation != ktu.generation) {
		self->generation = ktu.generation;
		self->tid = syscall(SYS_gettid);
	}
	event.tid = self->tid;
	event.id = __atomic_load_n(&site->id, __ATOMIC_ACQUIRE);
	return (ktu.restartable && put_cpu(&event)) || put_slot(&event);
}

void ktrace_write_word_slow(struct ktrace_site *site, unsigned int word)
{
	ktrace_write_slow(site, &word, 1);
}

/* Put the bytes behind the words that precede them.  What is too long is lost. */
static void write_joined(struct ktrace_site *site, const struct ktrace_parts *parts,
			 void (*write)(struct ktrace_site *site, const void *payload, unsigned int words))
{
	const uint32_t total = parts->sizes, length = parts->sizes >> 32;
	uint32_t words[MAX_WORDS];

	if (total > MAX_WORDS) {
		ktrace_write_slow(site, parts, total);
		return;
	}
	memcpy(words, parts + 1, 4 * parts->nr);
	words[total - 1] = 0;
	memcpy(words + parts->nr, parts->bytes, length);
	write(site, words, total);
}

#if KTU_HAS_PARTS
void ktrace_write_parts_slow(struct ktrace_site *site, const struct ktrace_parts *parts)
{
	write_joined(site, parts, ktrace_write_slow);
}
#else
void ktrace_write_parts(struct ktrace_site *site, const struct ktrace_parts *parts)
{
	write_joined(site, parts, ktrace_write);
}
#endif

void ktrace_write_slow(struct ktrace_site *site, const void *payload, unsigned int words)
{
	/* Pairs with switch_site(): a thread that finds a site on also finds all that was set up before. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ktu.recording && !ktu.offered)
		return;
	if (__atomic_load_n(&ktu.process->alive, __ATOMIC_ACQUIRE) != KTU_HAS_FILE && !ktu_revive())
		return;
	if (!put(site, payload, words))
		ktu_add(&ktu.file->lost, 1);
}
