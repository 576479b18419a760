// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_copy.c - copy packets from one CPU's ring, by the protocol of core/ring.h. */
#include <stdlib.h>
#include <time.h>

#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"

#ifndef PATIENCE
#define PATIENCE	1000
#endif

#define SPINS	PATIENCE	/* tries while a writer is active, before sleeping */
#define NAPS	50	/* of NAP_NS each, until the packet is left to the next snapshot */
#define NAP_NS	200000
#define LONGEST	(2 * PATIENCE)	/* naps, ever longer, until a ring without a position counts as damaged */

static void wait_a_little(int tries)
{
	const long naps = (tries - SPINS) / NAPS;
	const struct timespec nap = { .tv_nsec = NAP_NS * (1 + naps) };

	if (tries < SPINS)
		kt_relax();
	else
		nanosleep(&nap, NULL);
}

/* The host may stop a virtual CPU while it exchanges sub-buffers: wait for some seconds. */
bool ring_newest(const struct kt_ring *ring, u64 *total, u64 *newest)
{
	for (int i = 0; i < SPINS + LONGEST; i++) {
		if (kt_ring_try_position(ring, total, newest, NULL))
			return true;
		wait_a_little(i);
	}
	return false;
}

/* The position that all readers share. */
static void shared_position(struct run *run, const struct kt_ring_ctl *ctl)
{
	run->to_seq = run->seen_seq = READ_ONCE(ctl->seen_seq);
	/* The packet is never beyond the position.  Pairs with the release in the module. */
	kt_smp_rmb();
	run->to = run->seen = READ_ONCE(ctl->seen);
	run->discarded_to = run->discarded_seen = READ_ONCE(ctl->discarded_seen);
}

static void own_position(struct run *run, const struct own_mark *own)
{
	run->to_seq = run->seen_seq = own->seq;
	run->to = run->seen = own->seen;
	run->discarded_to = run->discarded_seen = own->discarded;
}

bool run_begin(struct run *run, struct reader_cpu *from, const struct own_mark *own)
{
	const struct kt_ring_ctl *ctl = from->ring.ctl;
	u64 total, newest;

	*run = (struct run){ .from = from };
	if (own)
		own_position(run, own);
	else
		shared_position(run, ctl);
	run->discarded = READ_ONCE(ctl->discarded);
	run->damaged = !ring_newest(&from->ring, &total, &newest) || run->seen_seq > newest;
	return run->damaged || total > run->seen || newest > run->seen_seq;
}

enum kt_read ring_read(const struct kt_ring *ring, u64 seq, void *buf, struct kt_read_info *info)
{
	enum kt_read result = kt_ring_read(ring, seq, buf, info);

	for (int i = 0; i < SPINS + NAPS && result == KT_READ_BUSY; i++) {
		wait_a_little(i);
		result = kt_ring_read(ring, seq, buf, info);
	}
	return result;
}

static enum kt_read copy_packet(struct run *run, uint64_t seq)
{
	const struct kt_ring *ring = &run->from->ring;
	struct packet_copy copy = { .packet = mem_zalloc(1, ring->sub_bytes) };
	enum kt_read result = ring_read(ring, seq, copy.packet, &copy.info);

	if (result != KT_READ_OK) {
		free(copy.packet);
		return result;
	}
	run->packets = MEM_MORE(run->packets, run->nr_packets);
	run->packets[run->nr_packets++] = copy;
	return result;
}

static bool copied_all(const struct run *run, uint64_t until)
{
	const struct packet_copy *last;

	if (!run->nr_packets)
		return false;
	last = &run->packets[run->nr_packets - 1];
	return !last->info.complete || last->packet->ts_end > until;
}

void run_drop(struct run *run)
{
	for (size_t i = 0; i < run->nr_packets; i++)
		free(run->packets[i].packet);
	free(run->packets);
	free(run->records);
	run->packets = NULL;
	run->records = NULL;
	run->nr_packets = run->nr_records = 0;
	run->stuck = false;
}

/* Move *seq to the oldest packet that exists.  False: the ring contradicts itself. */
static bool skip_overwritten(struct run *run, uint64_t *seq)
{
	const struct kt_ring *ring = &run->from->ring;
	u64 total, newest, oldest, first = READ_ONCE(ring->ctl->first_seq);

	/* The first packet is never beyond the newest.  Pairs with packet_close() in the writer. */
	kt_smp_rmb();
	if (!ring_newest(ring, &total, &newest))
		return false;
	oldest = newest < ring->nr_subbufs ? 0 : newest - ring->nr_subbufs + 1;
	oldest = oldest > first ? oldest : first;
	if (oldest < *seq || oldest > newest)
		return false;
	*seq = oldest;
	return true;
}

void run_copy(struct run *run, uint64_t until)
{
	uint64_t seq = run->seen_seq;
	enum kt_read result;

	run_drop(run);
	while (!run->damaged && !copied_all(run, until)) {
		result = copy_packet(run, seq);
		run->stuck = result == KT_READ_BUSY;
		if (result == KT_READ_NONE || run->stuck)
			return;
		seq++;
		if (result == KT_READ_GONE)
			run->damaged = !skip_overwritten(run, &seq);
	}
}

bool run_lapped(const struct run *run, uint64_t until)
{
	return run->nr_packets && run->packets[0].packet->ts_begin > until &&
	       run->packets[0].packet->count > run->seen;
}
