// SPDX-License-Identifier: GPL-2.0-or-later
/* save.c - save snapshots to a directory.  See save.h. */
#include "ctl/trace/saved/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/symbols_file.h"
#include "ctl/trace/ctf/trace_info.h"

/* The file of one CPU in the current part. */
struct stream {
	int fd;			/* -1: nothing written yet */
	uint64_t bytes, lost;	/* lost: overwritten or discarded, since the file begins */
	uint64_t packets;
	uint64_t kept_bytes, kept_lost, kept_packets;
	uint64_t last_ts;
};

struct save {
	struct device *dev;
	char *dir;		/* its final name */
	char *part;		/* its name until then */
	int lock;		/* lock file of part */
	char *moved;		/* new name of a trace that a killed ktrace left there; NULL: none */
	struct trace_info *info;
	struct stream *streams;	/* by CPU */
	uint32_t nr_cpus;
	struct save_totals now, kept;
	bool described;		/* the metadata is written and has all descriptors */
	uint8_t *buf;
	size_t room;
	struct progress_line *line;	/* NULL: progress is not shown */
};

/* ------------------------------------------------------------ begin and end */

static void close_streams(struct save *save)
{
	for (uint32_t cpu = 0; cpu < save->nr_cpus; cpu++) {
		if (save->streams[cpu].fd >= 0)
			close(save->streams[cpu].fd);
		save->streams[cpu] = (struct stream){ .fd = -1 };
	}
}

static void save_free(struct save *save)
{
	close_streams(save);
	if (save->lock >= 0)
		close(save->lock);
	trace_info_free(save->info);
	free(save->streams);
	free(save->dir);
	free(save->part);
	free(save->moved);
	free(save->buf);
	free(save);
}

static struct save *save_alloc(const char *dir, struct device *dev)
{
	struct save *save = mem_zalloc(1, sizeof(*save));

	save->dev = dev;
	save->lock = -1;
	save->dir = save_dir_name(dir);
	save->part = mem_printf("%s.part", save->dir);
	save->nr_cpus = dev->hello.nr_cpus;
	save->streams = mem_zalloc(save->nr_cpus, sizeof(*save->streams));
	for (uint32_t cpu = 0; cpu < save->nr_cpus; cpu++)
		save->streams[cpu].fd = -1;
	save->info = mem_zalloc(1, sizeof(*save->info));
	trace_info_here(save->info, &dev->hello);
	return save;
}

struct save *save_create(const char *dir, struct device *dev, struct error *err)
{
	struct save *save = save_alloc(dir, dev);

	if (save_dir_usable(save->dir, err) && trace_info_clock(save->info, save->dev, err))
		save->lock = save_dir_create(save->part, &save->moved, err);
	if (save->lock < 0) {
		save_free(save);
		return NULL;
	}
	return save;
}

const char *save_moved(const struct save *save)
{
	return save->moved;
}

void save_show(struct save *save, struct progress_line *line)
{
	save->line = line;
}

void save_abandon(struct save *save)
{
	save_dir_remove(save->part);
	save_free(save);
}

static bool describe(struct save *save, struct error *err)
{
	save->described = save_dir_describe(save->part, save->info, err);
	return save->described;
}

static bool complete(struct save *save, const struct symtab *symbols, struct error *err)
{
	return trace_info_clock(save->info, save->dev, err) && describe(save, err) &&
	       (!symbols || symbols_file_put(save->part, &(struct symbols_source){ .tab = symbols }, err));
}

bool save_finish(struct save *save, const struct symtab *symbols, bool cleared, struct error *err)
{
	/* If this fails, the clock and descriptors of the last round are there: still a complete trace. */
	bool ok = complete(save, symbols, err);

	if (!ok && !(cleared && save->kept.records)) {
		save_abandon(save);
		return false;
	}
	ok = save_dir_replace(save->dir, save->part, err) && ok;
	save_free(save);
	return ok;
}

struct save_totals save_totals(const struct save *save)
{
	return save->kept;
}

bool save_wants_symbols(const struct save *save)
{
	return trace_info_wants_symbols(save->info);
}

/* ----------------------------------------------------------------- streams */

static bool cannot_write(const struct save *save, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: choose another place, or make room there",
			 save->dir, strerror(errno));
}

static bool stream_open(struct save *save, uint32_t cpu, struct error *err)
{
	struct stream *stream = &save->streams[cpu];
	const uint32_t part = save->info->parts - 1;
	AUTO_FREE char *path = part ? mem_printf("%s/cpu%u.%u", save->part, cpu, part)
				    : mem_printf("%s/cpu%u", save->part, cpu);

	if (stream->fd < 0)
		stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return stream->fd >= 0 || cannot_write(save, err);
}

static bool put_packet(struct save *save, uint32_t cpu, struct kt_packet *header, const void *events,
		       size_t len, struct error *err)
{
	struct stream *stream = &save->streams[cpu];
	const size_t bytes = sizeof(*header) + len;

	if (!stream_open(save, cpu, err))
		return false;
	if (bytes > save->room) {
		save->buf = mem_grow(save->buf, bytes, 1);
		save->room = bytes;
	}
	header->magic = KT_CTF_MAGIC;
	header->stream = save->info->parts - 1;
	header->content_bits = header->packet_bits = bytes * 8;
	header->seq = stream->packets;
	header->discarded = stream->lost;
	header->cpu = cpu;
	memcpy(header->uuid, save->info->uuid, sizeof(header->uuid));
	memcpy(save->buf, header, sizeof(*header));
	if (len)
		memcpy(save->buf + sizeof(*header), events, len);
	if (!save_dir_write(stream->fd, save->buf, bytes))
		return cannot_write(save, err);
	stream->bytes += bytes;
	stream->packets++;
	stream->last_ts = header->ts_end;
	save->now.bytes += bytes;
	save->now.records += header->records;
	return true;
}

/*
 * CTF counts losses from packet to packet: an empty first packet is the base for losses in or before the first
 * real one.
 */
static bool put_base(struct save *save, uint32_t cpu, const struct kt_packet *first,
		     uint64_t overwritten, struct error *err)
{
	struct kt_packet none = {
		.ts_begin = first->ts_begin, .ts_end = first->ts_begin,
		.count = first->count - overwritten,
	};

	return save->streams[cpu].bytes || put_packet(save, cpu, &none, NULL, 0, err);
}

/* A packet does not begin before its predecessor ends, unless its first event is earlier. */
static uint64_t begin_of(const struct stream *stream, const struct kept *kept)
{
	const bool late = stream->last_ts > kept->ts_begin &&
			  (!kept->nr || kept->ts_first >= stream->last_ts);

	return late ? stream->last_ts : kept->ts_begin;
}

/*
 * The number of the first record.  Without records it is the number of the next one: the records of a packet
 * that only reports an overwrite are left to the next snapshot; a packet that reports discards is finished.
 */
static uint64_t count_of(const struct packet_copy *copy)
{
	if (copy->kept.nr)
		return copy->kept.number;
	return copy->packet->count + (copy->kept.discarded ? copy->info.records : 0);
}

/* Write the part of a packet that is in the snapshot. */
static bool put_kept(struct save *save, uint32_t cpu, const struct packet_copy *copy,
		     struct error *err)
{
	const struct kept *kept = &copy->kept;
	const uint64_t lost = kept->overwritten + kept->discarded;
	const uint64_t begin = begin_of(&save->streams[cpu], kept);
	const uint64_t last = save->streams[cpu].last_ts;
	const uint64_t end = kept->ts_end > begin ? kept->ts_end : begin;
	struct kt_packet header = {
		.ts_begin = begin, .ts_end = end > last ? end : last,
		.records = kept->nr,
		.count = count_of(copy),
	};

	if (!kept->nr && !lost)
		return true;
	if (lost && !put_base(save, cpu, &header, kept->overwritten, err))
		return false;
	save->streams[cpu].lost += lost;
	save->now.lost += lost;
	return put_packet(save, cpu, &header, (const uint8_t *)copy->packet + kept->from,
			  kept->nr ? kept->to - kept->from : 0, err);
}

/* Report records discarded behind all packets. */
static bool put_last(struct save *save, const struct run *run, struct error *err)
{
	const uint32_t cpu = run->from->cpu;
	struct stream *stream = &save->streams[cpu];
	struct kt_packet header = {
		.ts_begin = run->last_ts, .ts_end = run->last_ts,
		.count = run->to,
	};

	if (!run->last_discarded)
		return true;
	if (!put_base(save, cpu, &header, 0, err))
		return false;
	stream->lost += run->last_discarded;
	save->now.lost += run->last_discarded;
	return put_packet(save, cpu, &header, NULL, 0, err);
}

/* done, of: packets of the snapshot. */
static bool put_run(struct save *save, const struct run *run, size_t *done, size_t of, struct error *err)
{
	for (size_t i = 0; i < run->nr_packets; i++) {
		if (!put_kept(save, run->from->cpu, &run->packets[i], err))
			return false;
		if (save->line)
			progress_part(save->line, "saving", ++*done, of);
	}
	return put_last(save, run, err);
}

/* ------------------------------------------------------------- descriptors */

/* The descriptors that records of the snapshot use, by id; NULL for other ids. */
static const struct desc **used_descs(const struct snapshot *snap)
{
	const struct desc **used = mem_zalloc(snap->nr_descs + 1, sizeof(*used));

	for (size_t i = 0; i < snap->nr; i++) {
		const struct desc *desc = snap->order[i]->type == RECORD_HIT ? snap->order[i]->desc : NULL;

		if (!desc)
			continue;
		used[desc->id] = snap->descs[desc->id];
		if (desc->late_of)
			used[desc->late_of->id] = desc->late_of;
	}
	return used;
}

static bool is_same(const struct desc *a, const struct desc *b)
{
	return a->born == b->born && a->addr == b->addr;
}

/* Add the new descriptors.  If an id has gone to another descriptor, begin a new part. */
static bool learn_descs(struct save *save, const struct snapshot *snap, struct error *err)
{
	AUTO_FREE const struct desc **used = used_descs(snap);
	const struct trace_event *known;
	struct trace_info *info = save->info;
	bool again = false;

	for (size_t id = 0; id < snap->nr_descs && !again; id++) {
		known = used[id] ? trace_info_event(info, info->parts - 1, id) : NULL;
		again = known && !is_same(known->bare, used[id]);
	}
	if (again) {
		info->parts++;
		save->described = false;
		close_streams(save);
	}
	for (size_t id = 0; id < snap->nr_descs; id++) {
		if (!used[id] || trace_info_event(info, info->parts - 1, id))
			continue;
		save->described = false;
		if (!trace_info_add(info, used[id], err))
			return false;
	}
	return true;
}

/* --------------------------------------------------------------- snapshots */

bool save_snapshot(struct save *save, const struct snapshot *snap, struct error *err)
{
	size_t done = 0, of = 0;

	for (size_t i = 0; i < snap->nr_runs; i++)
		of += snap->runs[i].nr_packets;
	if (!learn_descs(save, snap, err))
		return false;
	for (size_t i = 0; i < snap->nr_runs; i++)
		if (!put_run(save, &snap->runs[i], &done, of, err))
			return false;
	return true;
}

bool save_describe(struct save *save, struct error *err)
{
	return save->described || describe(save, err);
}

void save_keep(struct save *save)
{
	for (uint32_t cpu = 0; cpu < save->nr_cpus; cpu++) {
		save->streams[cpu].kept_bytes = save->streams[cpu].bytes;
		save->streams[cpu].kept_lost = save->streams[cpu].lost;
		save->streams[cpu].kept_packets = save->streams[cpu].packets;
	}
	save->kept = save->now;
}

void save_undo(struct save *save)
{
	for (uint32_t cpu = 0; cpu < save->nr_cpus; cpu++) {
		struct stream *stream = &save->streams[cpu];

		if (stream->fd < 0)
			continue;
		/* ftruncate() to a smaller size fails only if the disk fails. */
		if (ftruncate(stream->fd, (off_t)stream->kept_bytes) == 0)
			lseek(stream->fd, (off_t)stream->kept_bytes, SEEK_SET);
		stream->bytes = stream->kept_bytes;
		stream->lost = stream->kept_lost;
		stream->packets = stream->kept_packets;
	}
	save->now = save->kept;
}
