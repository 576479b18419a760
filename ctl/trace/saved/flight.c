// SPDX-License-Identifier: GPL-2.0-or-later
/* flight.c - snapshots of a flight recording.  See flight.h. */
#include "ctl/trace/saved/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"
#include "ctl/trace/saved/packet_io.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/symbols_file.h"
#include "ctl/trace/saved/state_file.h"
#include "ctl/trace/ctf/trace_info.h"

#define MAX_TRIES	4	/* to copy the newest packet of a ring */

struct flight {
	struct device *dev;
	struct reader *reader;		/* the mapped rings */
	struct trace_info *events;	/* the descriptors of the recording */
	uint64_t began;			/* ticks: all tracepoints are set */
	bool with_state;
};

/* The copy of the ring of one CPU. */
struct copy {
	struct packet_copy *packets;	/* the newest first */
	size_t nr;
};

/* A snapshot that is being written. */
struct shot {
	struct flight *flight;
	struct copy *copies;		/* by index in the reader */
	uint64_t end;			/* ticks: time of the newest record when it began */
	char *dir;			/* until it is whole */
	int lock;
	struct trace_info *info;
	struct packet_writer *writer;
	struct state_file *state;	/* NULL: none */
	struct flight_saved saved;
};

/* ------------------------------------------------------------ the recording */

struct flight *flight_create(struct device *dev, struct reader *reader)
{
	struct flight *flight = mem_zalloc(1, sizeof(*flight));

	flight->dev = dev;
	flight->events = mem_zalloc(1, sizeof(*flight->events));
	flight->events->parts = 1;
	flight->reader = reader;
	return flight;
}

void flight_free(struct flight *flight)
{
	if (!flight)
		return;
	reader_destroy(flight->reader);
	trace_info_free(flight->events);
	free(flight);
}

bool flight_writable(const char *dir, struct error *err)
{
	AUTO_FREE char *name = save_dir_name(dir);
	AUTO_FREE char *part = mem_printf("%s.part", name);
	char *moved = NULL;
	int lock;

	if (!save_dir_free(name, err))
		return false;
	lock = save_dir_create(part, &moved, err);
	free(moved);
	if (lock < 0)
		return false;
	close(lock);
	save_dir_remove(part);
	return true;
}

bool flight_add(struct flight *flight, uint32_t id, const struct desc *planned, struct error *err)
{
	return trace_info_learn(flight->events, flight->dev, id, planned, err);
}

void flight_confine(struct flight *flight, const char *text)
{
	free(flight->events->tasks);
	flight->events->tasks = mem_strdup(text);
}

void flight_switched_off(struct flight *flight, uint32_t off)
{
	flight->events->off = off;
}

void flight_form(struct flight *flight, const struct trace_form *form)
{
	flight->events->form = *form;
}

static bool read_clock(struct flight *flight, uint64_t *ticks, struct error *err)
{
	const struct reader_source *source = &flight->reader->source;

	return source->now(source->arg, ticks, err);
}

bool flight_begin(struct flight *flight, bool with_state, struct error *err)
{
	flight->with_state = with_state;
	return read_clock(flight, &flight->began, err);
}

bool flight_wants_symbols(const struct flight *flight)
{
	return trace_info_wants_symbols(flight->events);
}

bool flight_progress(struct flight *flight, uint64_t *records, uint64_t *lost, bool *frozen, struct error *err)
{
	AUTO_FREE struct kt_cpu_status *cpus = NULL;
	struct kt_status status = { 0 };

	*records = *lost = 0;
	if (!device_status(flight->dev, &status, &cpus, err))
		return false;
	*frozen = status.frozen;
	for (size_t i = 0; i < status.nr_cpus; i++) {
		*records += cpus[i].recorded;
		*lost += cpus[i].discarded;
	}
	return true;
}

/* ---------------------------------------------------------- copying the rings */

static bool copy_packet(struct copy *copy, const struct kt_ring *ring, uint64_t seq)
{
	struct packet_copy one = { .packet = mem_zalloc(1, ring->sub_bytes) };

	if (ring_read(ring, seq, one.packet, &one.info) != KT_READ_OK) {
		free(one.packet);
		return false;
	}
	copy->packets = MEM_MORE(copy->packets, copy->nr);
	copy->packets[copy->nr++] = one;
	return true;
}

/* A writer that was stopped inside its record hides the newest packet, not the others. */
static bool copy_newest(struct copy *copy, const struct kt_ring *ring)
{
	u64 total, seq;

	for (int i = 0; i < MAX_TRIES; i++) {
		if (!ring_newest(ring, &total, &seq))
			return false;
		if (copy_packet(copy, ring, seq) || (seq && copy_packet(copy, ring, seq - 1)))
			return true;
	}
	return true;
}

/* The packet that is still being filled has neither an end nor counts. */
static bool complete_newest(struct shot *shot, struct copy *copy, const struct kt_ring *ring, struct error *err)
{
	struct packet_copy *newest = copy->packets;
	uint64_t now;

	if (!copy->nr || newest->info.complete)
		return true;
	if (!read_clock(shot->flight, &now, err))
		return false;
	newest->packet->ts_end = now;
	newest->packet->discarded = READ_ONCE(ring->ctl->discarded);
	return true;
}

/* From the newest to the oldest: what is overwritten meanwhile is what was not yet copied. */
static bool copy_ring(struct shot *shot, size_t i, struct error *err)
{
	const struct kt_ring *ring = &shot->flight->reader->cpus[i].ring;
	struct copy *copy = &shot->copies[i];
	uint64_t seq;

	if (!copy_newest(copy, ring))
		return error_set(err, STATUS_FAILURE, "the ring of CPU %u is damaged: reload the module (rmmod ktrace; modprobe ktrace)",
				 ring->cpu);
	if (!complete_newest(shot, copy, ring, err))
		return false;
	for (seq = copy->nr ? copy->packets[0].packet->seq : 0; seq && copy_packet(copy, ring, seq - 1); seq--)
		;
	return true;
}

static bool copy_rings(struct shot *shot, struct error *err)
{
	struct reader *reader = shot->flight->reader;
	bool ok = true;

	reader->source.settle(reader->source.arg);
	for (size_t i = 0; i < reader->nr_cpus; i++) {
		const struct kt_ring_ctl *ctl = reader->cpus[i].ring.ctl;
		const uint64_t last = READ_ONCE(ctl->last_ts);

		shot->end = last > shot->end ? last : shot->end;
		shot->saved.braked += READ_ONCE(ctl->braked);
	}
	for (size_t i = 0; ok && i < reader->nr_cpus; i++)
		ok = copy_ring(shot, i, err);
	return ok;
}

/* From then on all rings have their events. */
static uint64_t complete_from(const struct shot *shot)
{
	uint64_t from = shot->flight->began;

	for (size_t i = 0; i < shot->flight->reader->nr_cpus; i++) {
		const struct copy *copy = &shot->copies[i];

		if (copy->nr && copy->packets[copy->nr - 1].packet->ts_begin > from)
			from = copy->packets[copy->nr - 1].packet->ts_begin;
	}
	return from;
}

/* Has the ring never had an event? */
static bool is_empty(const struct copy *copy)
{
	return !copy->nr || (copy->nr == 1 && !copy->packets[0].info.records);
}

/* Widen *begin to *end so that all packets of the snapshot lie in it. */
static void find_span(const struct shot *shot, uint64_t *begin, uint64_t *end)
{
	for (size_t i = 0; i < shot->flight->reader->nr_cpus; i++) {
		const struct copy *copy = &shot->copies[i];
		const struct kt_packet *oldest, *newest;

		if (is_empty(copy))
			continue;
		oldest = copy->packets[copy->nr - 1].packet;
		newest = copy->packets[0].packet;
		*begin = oldest->ts_begin < *begin ? oldest->ts_begin : *begin;
		*end = newest->ts_end > *end ? newest->ts_end : *end;
	}
}

/* ------------------------------------------------------------------- writing */

static bool cannot_write(const struct shot *shot, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: make room there, or choose another place", shot->dir, strerror(errno));
}

/* Nothing tells how much was lost before the oldest packet, and in it, unless it is the very first. */
static uint64_t lost_before(const struct copy *copy)
{
	const struct kt_packet *oldest = copy->packets[copy->nr - 1].packet;

	return oldest->seq ? oldest->discarded : 0;
}

/* What follows its events in the ring stays there. */
static void cut_packet(const struct packet_copy *copy, uint64_t before)
{
	copy->packet->records = copy->info.records;
	copy->packet->content_bits = copy->packet->packet_bits = 8ULL * copy->info.bytes;
	copy->packet->discarded -= before;
}

static bool write_copy(struct shot *shot, size_t cpu, struct error *err)
{
	const struct copy *copy = &shot->copies[cpu];
	AUTO_FREE char *path = mem_printf("%s/cpu%u", shot->dir, shot->flight->reader->cpus[cpu].cpu);
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	const uint64_t before = lost_before(copy);
	bool ok = fd >= 0;

	for (size_t i = copy->nr; ok && i-- > 0;) {
		const struct kt_packet *packet = copy->packets[i].packet;

		cut_packet(&copy->packets[i], before);
		ok = packet_write(shot->writer, fd, packet, packet->packet_bits / 8, 1, &shot->saved.bytes);
		shot->saved.records += packet->records;
	}
	shot->saved.lost += copy->packets[0].packet->discarded;
	if (!ok)
		cannot_write(shot, err);
	if (fd >= 0 && close(fd) && ok)
		ok = cannot_write(shot, err);
	return ok;
}

/* An empty ring has no file. */
static bool write_copies(struct shot *shot, struct error *err)
{
	for (size_t i = 0; i < shot->flight->reader->nr_cpus; i++) {
		const struct copy *copy = &shot->copies[i];

		if (is_empty(copy))
			continue;
		shot->saved.older += copy->packets[copy->nr - 1].packet->count;
		if (!write_copy(shot, i, err))
			return false;
	}
	return true;
}

static bool write_state(struct shot *shot, struct error *why, struct error *err)
{
	uint64_t begin = shot->end, end = shot->end;
	struct error wrong;

	if (!shot->state)
		return true;
	find_span(shot, &begin, &end);
	state_file_begins(shot->state, begin);
	state_file_at(shot->state, shot->end);
	if (!state_file_dump(shot->state, shot->flight->dev, NULL, NULL, &wrong)) {
		*(state_file_failed(shot->state) ? err : why) = wrong;
		if (state_file_failed(shot->state))
			return false;
	}
	if (!state_file_ends(shot->state, end, err))
		return false;
	shot->saved.bytes += state_file_bytes(shot->state);
	return true;
}

/* The description of a trace whose descriptors are those of the recording. */
static bool describe(struct shot *shot, struct error *err)
{
	const struct flight *flight = shot->flight;

	shot->info = mem_zalloc(1, sizeof(*shot->info));
	trace_info_here(shot->info, &flight->dev->hello);
	shot->info->form = flight->events->form;
	shot->writer = packet_writer_create(shot->info->form.compressed);
	if (flight->events->tasks)
		shot->info->tasks = mem_strdup(flight->events->tasks);
	for (size_t i = 0; i < flight->events->nr_events; i++)
		if (!trace_info_add(shot->info, flight->events->events[i].bare, err))
			return false;
	shot->info->complete = complete_from(shot);
	shot->info->braked = shot->saved.braked;
	shot->info->off = shot->saved.off = flight->events->off;
	return !flight->with_state || (shot->state = state_file_create(shot->dir, shot->info, err));
}

static uint64_t length_ns(const struct shot *shot)
{
	const struct kt_clock *clock = &shot->info->clock;

	if (shot->end <= shot->info->complete || !clock->ns_den)
		return 0;
	return (double)(shot->end - shot->info->complete) * clock->ns_num / clock->ns_den;
}

static bool write_all(struct shot *shot, const struct symbols_source *symbols, struct error *why, struct error *err)
{
	if (!describe(shot, err) || !write_copies(shot, err) || !write_state(shot, why, err) ||
	    !trace_info_clock(shot->info, shot->flight->dev, err) ||
	    (symbols && !symbols_file_put(shot->dir, symbols, err)))
		return false;
	shot->saved.ns = length_ns(shot);
	return save_dir_describe(shot->dir, shot->info, err);
}

/* ------------------------------------------------------------------ a snapshot */

static void shot_free(struct shot *shot)
{
	for (size_t i = 0; i < shot->flight->reader->nr_cpus; i++) {
		for (size_t n = 0; n < shot->copies[i].nr; n++)
			free(shot->copies[i].packets[n].packet);
		free(shot->copies[i].packets);
	}
	if (shot->lock >= 0)
		close(shot->lock);
	state_file_free(shot->state);
	packet_writer_free(shot->writer);
	trace_info_free(shot->info);
	free(shot->copies);
	free(shot->dir);
}

static bool save_copies(struct shot *shot, const char *dir, const struct symbols_source *symbols, struct error *why, struct error *err)
{
	char *moved = NULL;

	if (!save_dir_free(dir, err))
		return false;
	shot->dir = mem_printf("%s.part", dir);
	shot->lock = save_dir_create(shot->dir, &moved, err);
	free(moved);
	if (shot->lock < 0)
		return false;
	if (write_all(shot, symbols, why, err) && save_dir_replace(dir, shot->dir, err))
		return true;
	save_dir_remove(shot->dir);
	return false;
}

bool flight_save(struct flight *flight, const char *dir, const struct symbols_source *symbols, struct flight_saved *out,
		 struct error *why, struct error *err)
{
	AUTO_FREE char *name = save_dir_name(dir);
	struct shot shot = {
		.flight = flight, .lock = -1,
		.copies = mem_zalloc(flight->reader->nr_cpus + 1, sizeof(*shot.copies)),
	};
	bool ok;

	*why->text = '\0';
	ok = copy_rings(&shot, err) && save_copies(&shot, name, symbols, why, err);
	*out = shot.saved;
	shot_free(&shot);
	return ok;
}
