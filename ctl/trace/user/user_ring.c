// SPDX-License-Identifier: GPL-2.0-or-later
/* user_ring.c - the events of a ring of a process.  See user_file.h. */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/user/user_file.h"

#define HEAD		((uint32_t)sizeof(struct ktu_packet))
#define ID_OF(word)	((word) & 0xff)

static bool damaged(const struct user_ring *ring, const char *what, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: damaged: ring %u: %s: it cannot be read", ring->file->path, ring->number,
			 what);
}

static const uint8_t *base(const struct user_file *file, uint32_t number)
{
	return file->map + file->head.rings_off + number * file->head.ring_stride;
}

static const struct ktu_ring *control(const struct user_file *file, uint32_t number)
{
	return (const struct ktu_ring *)base(file, number);
}

static const uint8_t *subbuf(const struct user_file *file, uint32_t number, uint64_t seq)
{
	const struct ktu_file *head = &file->head;

	return base(file, number) + KTU_PAGE + (seq & (head->nr_subbufs - 1)) * head->subbuf_bytes;
}

static uint64_t load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* ------------------------------------------------------------------------ ends */

static uint32_t word_bytes(uint64_t word)
{
	return 4 * (word >> 16 & 0xffff);
}

static const char *wrong_newest(const struct user_file *file, const struct user_end *end, const struct ktu_packet *newest,
				uint64_t word)
{
	if (newest->magic != KTU_PACKET_MAGIC || (uint32_t)newest->seq != word >> 32)
		return "its newest packet is another one";
	if (end->last_bytes < HEAD || end->last_bytes > file->head.subbuf_bytes)
		return "its end is outside of its newest packet";
	return newest->count > INT64_MAX || newest->seq > INT64_MAX ? "an impossible count" : NULL;
}

/*
 * Read the header of the newest packet.  It belongs to the word if the word is the same before and after, since a process
 * changes the word when it begins a packet.  A fast process may change it each time: so try a few times.
 */
static void find_newest(const struct user_file *file, uint32_t number, struct user_end *end)
{
	struct ktu_packet newest;
	uint64_t word, again = load(&control(file, number)->word);
	int tries = USER_TRIES;

	do {
		word = again;
		memcpy(&newest, subbuf(file, number, word >> 32), sizeof(newest));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		again = load(&control(file, number)->word);
	} while (word >> 32 != again >> 32 && --tries);
	end->last_bytes = word_bytes(word);
	end->last_records = word & 0xffff;
	end->last = newest.seq;
	end->total = newest.count + end->last_records;
	end->wrong = tries ? wrong_newest(file, end, &newest, word) : "it changes faster than it can be read";
}

void user_file_find_ends(struct user_file *file)
{
	file->ends = mem_zalloc(user_file_rings(file), sizeof(*file->ends));
	for (uint32_t i = 0; i < user_file_rings(file); i++) {
		struct user_end *end = &file->ends[i];

		end->used = load(&control(file, i)->used);
		if (!end->used)
			continue;
		/* Read before the word: events that are lost later are not in it. */
		end->discarded = load(&control(file, i)->discarded);
		find_newest(file, i, end);
		end->skip = load(&control(file, i)->skip);
		if (end->discarded > INT64_MAX || (!end->wrong && end->skip > end->total))
			end->wrong = "an impossible count";
	}
}

bool user_ring_begin(struct user_ring *ring, const struct user_file *file, uint32_t number, struct error *err)
{
	const struct user_end *end = &file->ends[number];

	*ring = (struct user_ring){ .file = file, .number = number, .end_of = end, .discarded = end->discarded };
	if (end->wrong)
		return damaged(ring, end->wrong, err);
	if (!end->used)
		return true;
	ring->next = load(&control(file, number)->oldest);
	if (ring->next > end->last)
		ring->next = end->last;
	else if (end->last - ring->next >= file->head.nr_subbufs)
		return damaged(ring, "more packets than there is room for", err);
	ring->packet = mem_zalloc(1, file->head.subbuf_bytes);
	return true;
}

void user_ring_end(struct user_ring *ring)
{
	free(ring->packet);
	ring->packet = NULL;
}

/* ------------------------------------------------------------------------ packets */

static const char *wrong_packet(const struct user_ring *ring, const struct ktu_packet *packet, uint64_t seq)
{
	if (packet->magic != KTU_PACKET_MAGIC || packet->seq != seq || packet->cpu != ring->number)
		return "a packet of another ring or time";
	if (packet->count < ring->count || packet->count > ring->end_of->total)
		return "events that it has already had";
	if (ring->end < HEAD || ring->end > ring->file->head.subbuf_bytes || ring->end % 4)
		return "a packet of an impossible size";
	return packet->ts_begin < ring->ticks ? "packets out of order" : NULL;
}

/* The ring goes on with event number `count`: those that were not seen and belong to the trace are lost. */
static void go_to(struct user_ring *ring, uint64_t count)
{
	const uint64_t from = ring->count > ring->end_of->skip ? ring->count : ring->end_of->skip;

	if (count > from)
		ring->lost += count - from;
	ring->count = count;
}

/* Copy packet `next`.  *gone: it was overwritten meanwhile. */
static bool load_packet(struct user_ring *ring, bool *gone, struct error *err)
{
	const struct user_end *last = ring->end_of;
	const uint64_t seq = ring->next++;
	struct ktu_packet packet;
	const char *wrong;

	memcpy(ring->packet, subbuf(ring->file, ring->number, seq), ring->file->head.subbuf_bytes);
	/* Pairs with the order in which the writer raises `oldest` and then overwrites. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*gone = load(&control(ring->file, ring->number)->oldest) > seq;
	if (*gone)
		return true;
	memcpy(&packet, ring->packet, sizeof(packet));
	ring->end = seq == last->last ? last->last_bytes :
		    packet.content_bits % 32 || packet.content_bits > 8ULL * UINT32_MAX ? 0 : packet.content_bits / 8;
	ring->records = seq == last->last ? last->last_records : packet.records;
	wrong = wrong_packet(ring, &packet, seq);
	if (wrong)
		return damaged(ring, wrong, err);
	go_to(ring, packet.count);
	ring->ticks = packet.ts_begin;
	ring->at = HEAD;
	ring->thread = 0;
	return true;
}

/* ------------------------------------------------------------------------ events */

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

size_t user_arg_length(uint8_t type, const uint8_t *at, size_t room)
{
	size_t len = 4;

	if (type == KTRACE_I64 || type == KTRACE_U64 || type == KTRACE_F64 || type == KTRACE_POINTER) {
		len = 8;
	} else if ((type == KTRACE_STRING || type == KTRACE_BYTES) && room >= 4) {
		const uint32_t bytes = word_at(at) < KTRACE_MAX_TEXT ? word_at(at) : KTRACE_MAX_TEXT;

		len = 4 + (bytes + 3) / 4 * 4;
	}
	return len <= room ? len : 0;
}

/* The header at ring->at.  Returns what is wrong, or NULL. */
static const char *take_header(struct user_ring *ring, uint32_t *id)
{
	const uint32_t mask = (1U << KTU_TS_BITS) - 1, word = word_at(ring->packet + ring->at);
	uint64_t ticks = ring->ticks + (((word >> 8) - (uint32_t)ring->ticks) & mask);

	*id = ID_OF(word);
	ring->at += 4;
	if (*id == KTU_ID_EXT) {
		if (ring->end - ring->at < sizeof(ticks))
			return "an event is cut off";
		*id = word >> 8;
		memcpy(&ticks, ring->packet + ring->at, sizeof(ticks));
		ring->at += sizeof(ticks);
	}
	if (ticks < ring->ticks)
		return "events out of order";
	ring->ticks = ticks;
	return NULL;
}

static const char *take_mark(struct user_ring *ring)
{
	if (ring->end - ring->at < 4)
		return "the mark of a thread is cut off";
	ring->thread = word_at(ring->packet + ring->at);
	ring->at += 4;
	return ring->thread && ring->thread <= INT32_MAX ? NULL : "the mark of an impossible thread";
}

static const char *take_payload(struct user_ring *ring, uint32_t id)
{
	ring->site = user_file_site(ring->file, id);
	ring->payload = ring->packet + ring->at;
	if (!ring->site)
		return "an event that is not described";
	if (!ring->thread)
		return "an event of no thread";
	for (uint32_t i = 0; i < ring->site->nr; i++) {
		const size_t len = user_arg_length(ring->site->types[i], ring->packet + ring->at, ring->end - ring->at);

		if (!len)
			return "an event is cut off";
		ring->at += len;
	}
	ring->payload_len = ring->packet + ring->at - ring->payload;
	return ring->records-- ? NULL : "more events than were counted";
}

static const char *take_event(struct user_ring *ring)
{
	const char *wrong;
	uint32_t id;

	do {
		if (ring->at == ring->end)
			return "a mark without an event";
		wrong = take_header(ring, &id);
		if (!wrong && id == KTU_THREAD_MARK)
			wrong = take_mark(ring);
	} while (!wrong && id == KTU_THREAD_MARK);
	return wrong ? wrong : take_payload(ring, id);
}

/* The next event, whether or not it belongs to the trace. */
static bool next_event(struct user_ring *ring, bool *more, struct error *err)
{
	const char *wrong;
	bool gone;

	*more = false;
	while (ring->at == ring->end) {
		if (ring->end && ring->records)
			return damaged(ring, "fewer events than were counted", err);
		if (!ring->end_of->used || ring->next > ring->end_of->last) {
			go_to(ring, ring->end_of->total);
			ring->lost += ring->discarded;
			ring->discarded = 0;
			return true;
		}
		ring->at = ring->end = ring->records = 0;
		if (!load_packet(ring, &gone, err))
			return false;
	}
	wrong = take_event(ring);
	if (wrong)
		return damaged(ring, wrong, err);
	ring->count++;
	*more = true;
	return true;
}

bool user_ring_next(struct user_ring *ring, bool *more, struct error *err)
{
	if (ring->site)
		ring->lost = 0;
	do
		if (!next_event(ring, more, err))
			return false;
	while (*more && ring->count <= ring->end_of->skip);
	return true;
}
