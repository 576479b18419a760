// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_parse.c - parse copied packets to the records of one CPU. */
#include <stdlib.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"

/* The state while parsing one packet. */
struct cursor {
	struct packet_copy *copy;
	const void *at, *end;
	u64 ticks;		/* of the last event; at first of the packet's begin */
	uint64_t number;	/* of the next event on its CPU */
	uint32_t id;		/* of the last event */
};

/* The action after an event or a packet. */
enum step {
	STEP_ON,
	STEP_NEXT_PACKET,
	STEP_END,		/* leave the rest to the next snapshot */
	STEP_FAILED,		/* the error is set */
};

static enum step damaged(const struct run *run, const struct reader_source *source,
			 struct error *err)
{
	if (source->damaged) {
		source->damaged(source->arg, run->from->cpu, err);
		return STEP_FAILED;
	}
	error_set(err, STATUS_FAILURE,
		  "the ring of CPU %u is damaged: reload the module (rmmod ktrace; modprobe ktrace)",
		  run->from->cpu);
	return STEP_FAILED;
}

/* ------------------------------------------------------------- descriptors */

static void remember_desc(struct snapshot *snap, struct desc *desc)
{
	const size_t nr = desc->id + 64;

	if (desc->id >= snap->nr_descs) {
		snap->descs = mem_grow(snap->descs, nr, sizeof(*snap->descs));
		while (snap->nr_descs < nr)
			snap->descs[snap->nr_descs++] = NULL;
	}
	snap->descs[desc->id] = desc;
}

/* Fetch a descriptor.  If it does not exist any more it is not remembered: it ends its packet. */
static bool fetch_desc(struct snapshot *snap, uint32_t id, const struct reader_source *source,
		       struct error *err)
{
	AUTO_FREE struct kt_desc_req *blob = NULL;
	uint64_t addr, born;
	struct desc *desc;
	size_t len;

	if (source->lasting_desc) {
		desc = source->lasting_desc(source->arg, id);
		if (desc)
			remember_desc(snap, desc);
		return true;
	}
	if (!source->desc(source->arg, id, &blob, &len, &addr, &born, err))
		return false;
	if (!blob)
		return true;
	desc = desc_decode(blob, len, NULL);
	if (!desc)
		desc = desc_decode_raw(blob, len, addr, err);
	if (!desc)
		return false;
	desc->id = id;
	desc->addr = addr;
	desc->born = born;
	desc->blob = blob;
	desc->blob_len = len;
	blob = NULL;
	remember_desc(snap, desc);
	return true;
}

static const struct desc *known_desc(const struct snapshot *snap, uint32_t id)
{
	return id < snap->nr_descs ? snap->descs[id] : NULL;
}

/*
 * Find the descriptor of a record.  *out is NULL if it does not exist any more; a younger descriptor may use
 * its id.
 */
static bool find_desc(struct snapshot *snap, const struct cursor *c,
		      const struct reader_source *source, const struct desc **out,
		      struct error *err)
{
	if (!known_desc(snap, c->id) && !fetch_desc(snap, c->id, source, err))
		return false;
	*out = known_desc(snap, c->id);
	if (*out && (*out)->born > c->ticks)
		*out = NULL;
	return true;
}

/*
 * The module frees a descriptor when all packets with its records are seen or overwritten.  If another
 * controller has seen the packet meanwhile, none of it belongs to this snapshot.  If the packet was overwritten
 * after the copy, its rest is lost; the next packet reports that.
 */
static enum step without_desc(struct run *run, const struct cursor *c,
			      const struct reader_source *source, struct error *err)
{
	const struct kt_ring *ring = &run->from->ring;
	const struct kt_packet *packet = c->copy->packet;
	uint64_t behind = packet->count + c->copy->info.records;
	u64 total, newest;

	if (source->damaged)
		return damaged(run, source, err);
	if (READ_ONCE(ring->ctl->seen_seq) > packet->seq) {
		if (run->to < behind)
			run->to = behind;
		return STEP_NEXT_PACKET;
	}
	if (!ring_newest(ring, &total, &newest))
		return damaged(run, source, err);
	if (newest - packet->seq >= ring->nr_subbufs)
		return STEP_NEXT_PACKET;
	error_set(err, STATUS_FAILURE,
		  "CPU %u has a record of a tracepoint that the module does not know: clear it",
		  run->from->cpu);
	return STEP_FAILED;
}

/* ----------------------------------------------------------------- records */

static struct record *add_record(struct run *run, uint64_t ticks)
{
	struct record *record;

	run->records = MEM_MORE(run->records, run->nr_records);
	record = &run->records[run->nr_records++];
	*record = (struct record){ .cpu = run->from->cpu, .ticks = ticks };
	return record;
}

static void add_lost(struct run *run, uint64_t ticks, uint64_t lost, bool discarded)
{
	struct record *record = add_record(run, ticks);

	record->type = RECORD_LOST;
	record->lost = lost;
	record->discarded = discarded;
}

/*
 * Report each discarded record once, with the packet in which it is known to be discarded.  Returns how many
 * are new.
 */
static uint64_t tell_discarded(struct run *run, uint64_t ticks, uint64_t discarded)
{
	uint64_t lost;

	if (discarded <= run->discarded_to)
		return 0;
	lost = discarded - run->discarded_to;
	add_lost(run, ticks, lost, true);
	run->discarded_to = discarded;
	return lost;
}

static struct record *add_hit(struct run *run, const struct cursor *c, const struct desc *desc, size_t len)
{
	struct record *record = add_record(run, c->ticks);

	record->type = RECORD_HIT;
	record->desc = desc;
	record->payload = c->at;
	record->payload_len = len;
	record->count = c->number;
	run->had++;
	run->to = c->number + 1;
	return record;
}

/* Where the descriptor of the hit is gone, the record stays as the module wrote it. */
static bool name_late(struct snapshot *snap, struct record *record, const struct reader_source *source, struct error *err)
{
	struct cursor c = { 0 };
	const struct desc *target;

	/* Only the module's own descriptors have no address. */
	if (record->desc->addr || !late_target(record, &c.id, &c.ticks))
		return true;
	if (!find_desc(snap, &c, source, &target, err))
		return false;
	if (target)
		late_record(snap, record, target);
	return true;
}

/* Keep the event from `from` to `to` in the snapshot; `before` is the time of the event before it. */
static void keep(const struct cursor *c, const uint8_t *from, const uint8_t *to,
		 uint64_t before)
{
	const uint8_t *start = (const uint8_t *)c->copy->packet;
	struct kept *kept = &c->copy->kept;

	if (!kept->nr++) {
		kept->from = from - start;
		kept->number = c->number;
		kept->ts_begin = before;
		kept->ts_first = c->ticks;
	}
	kept->to = to - start;
	kept->ts_end = c->ticks;
}

static size_t offset_of(const struct cursor *c)
{
	return (const uint8_t *)c->at - (const uint8_t *)c->copy->packet;
}

static enum step stop_at(struct run *run, const struct cursor *c)
{
	run->stop = (struct stop){ c->copy - run->packets, offset_of(c), c->id, c->ticks, c->number };
	return STEP_END;
}

static enum step parse_event(struct run *run, struct snapshot *snap, struct cursor *c,
			     const struct reader_source *source, struct error *err)
{
	const struct cursor start = *c;
	const uint8_t *from = c->at;
	const struct desc *desc;
	size_t len;

	if (!kt_event_header(run->from->ring.wide, &c->at, c->end, &c->id, &c->ticks))
		return damaged(run, source, err);
	if (source->damaged && c->ticks > c->copy->packet->ts_end)
		return damaged(run, source, err);
	if (c->ticks > snap->until)
		return stop_at(run, &start);
	if (!find_desc(snap, c, source, &desc, err))
		return STEP_FAILED;
	if (!desc)
		return without_desc(run, c, source, err);
	if (!desc_length(desc, c->at, (const uint8_t *)c->end - (const uint8_t *)c->at, &len))
		return damaged(run, source, err);
	if (c->number >= run->to) {
		if (!name_late(snap, add_hit(run, c, desc, len), source, err))
			return STEP_FAILED;
		keep(c, from, (const uint8_t *)c->at + len, start.ticks);
	}
	c->at = (const uint8_t *)c->at + len;
	c->number++;
	return STEP_ON;
}

/* ----------------------------------------------------------------- packets */

static bool packet_sound(const struct run *run, const struct packet_copy *copy)
{
	const struct kt_packet *packet = copy->packet;

	/* The bound on the count keeps sums from overflowing. */
	return packet->magic == KT_CTF_MAGIC && packet->cpu == run->from->cpu &&
	       packet->count <= INT64_MAX &&
	       copy->info.bytes >= sizeof(*packet) &&
	       copy->info.bytes <= run->from->ring.sub_bytes &&
	       !(copy->info.bytes & ((1U << kt_unit_shift(run->from->ring.wide)) - 1));
}

/* Finish a packet: report records discarded until its end, and go on behind it. */
static enum step finish_packet(struct run *run, struct snapshot *snap,
			       struct packet_copy *copy)
{
	const struct kt_packet *packet = copy->packet;

	if (!copy->info.complete || packet->ts_end > snap->until)
		return STEP_END;
	copy->kept.discarded = tell_discarded(run, packet->ts_end, packet->discarded);
	copy->kept.ts_end = packet->ts_end;
	run->to_seq = packet->seq + 1;
	return STEP_ON;
}

/* Go on where the last snapshot stopped in this packet. */
static void go_to(struct cursor *c, const struct stop *stop)
{
	c->at = (const uint8_t *)c->copy->packet + stop->offset;
	c->id = stop->id;
	c->ticks = stop->ticks;
	c->number = stop->number;
}

static enum step parse_packet(struct run *run, struct snapshot *snap,
			      struct packet_copy *copy, const struct reader_source *source,
			      struct error *err)
{
	const struct kt_packet *packet = copy->packet;
	struct cursor c = {
		.copy = copy,
		.at = packet + 1,
		.end = (const uint8_t *)packet + copy->info.bytes,
		.ticks = packet->ts_begin,
		.number = packet->count,
	};
	enum step step = STEP_ON;

	if (!packet_sound(run, copy))
		return damaged(run, source, err);
	copy->kept = (struct kept){ .ts_begin = packet->ts_begin, .ts_end = packet->ts_begin };
	if (packet->ts_begin > snap->until)
		return STEP_END;
	if (packet->count > run->to) {
		copy->kept.overwritten = packet->count - run->to;
		add_lost(run, packet->ts_begin, copy->kept.overwritten, false);
		run->to = packet->count;
	}
	run->to_seq = packet->seq;
	if (copy == run->packets && run->begin.offset)
		go_to(&c, &run->begin);
	while (step == STEP_ON && c.at < c.end)
		step = parse_event(run, snap, &c, source, err);
	if (step == STEP_ON && c.number != packet->count + copy->info.records)
		return damaged(run, source, err);
	if (step == STEP_END || step == STEP_FAILED)
		return step;
	step = finish_packet(run, snap, copy);
	return step == STEP_END ? stop_at(run, &c) : step;
}

/* The time for a notice behind all records. */
static uint64_t end_of(const struct run *run, const struct snapshot *snap)
{
	const uint64_t last = run->nr_records ? run->records[run->nr_records - 1].ticks : 0;

	return last > snap->now ? last : snap->now;
}

bool run_parse(struct run *run, struct snapshot *snap, const struct reader_source *source,
	       struct error *err)
{
	enum step step = run->damaged ? damaged(run, source, err) : STEP_ON;

	for (size_t i = 0; i < run->nr_packets && step == STEP_ON; i++)
		step = parse_packet(run, snap, &run->packets[i], source, err);
	if (step == STEP_FAILED)
		return false;
	/* No packet will report these: while there is no room, none begins. */
	run->last_ts = end_of(run, snap);
	if (!run->stuck)
		run->last_discarded = tell_discarded(run, run->last_ts, run->discarded);
	return true;
}
