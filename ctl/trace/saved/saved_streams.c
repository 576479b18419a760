// SPDX-License-Identifier: GPL-2.0-or-later
/* saved_streams.c - the files of a saved trace, and which packets they have.  See saved_int.h. */
#include "ctl/trace/saved/saved_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"

#define MAX_CPUS	65536
#define ANY_CPU		UINT32_MAX

bool saved_damaged(const struct stream *stream, const char *what, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: damaged: %s: the saved trace cannot be read",
			 stream->path, what);
}

static const char *wrong_packet(const struct saved *saved, const struct stream *stream,
				const struct kt_packet *packet, bool is_whole)
{
	const uint64_t bytes = packet->packet_bits / 8, unit_bits = 8 << kt_unit_shift(saved->info->wide);

	if (packet->magic != KT_CTF_MAGIC)
		return "no packet where one should begin";
	if (memcmp(packet->uuid, saved->info->uuid, sizeof(packet->uuid)) ||
	    packet->cpu != stream->cpu || packet->stream != stream->part)
		return "a packet of another trace or CPU";
	if (packet->packet_bits % unit_bits || packet->content_bits % unit_bits ||
	    packet->content_bits > packet->packet_bits || bytes < sizeof(*packet) ||
	    bytes > MAX_PACKET || packet->content_bits / 8 < sizeof(*packet))
		return "a packet of an impossible size";
	if (!is_whole)
		return "cut off";
	return packet->ts_end < packet->ts_begin ? "a packet that ends before it begins" : NULL;
}

/* Gaps in the record counts were overwritten; the rest of the loss was discarded. */
static const char *index_packet(struct stream *stream, const struct kt_packet *packet,
				const struct packet_extent *extent, uint64_t *gaps)
{
	uint64_t gap;

	if (!stream->nr_packets)
		stream->count = stream->end = packet->count;
	if (packet->count < stream->end)
		return "duplicate records";
	if (stream->nr_packets && packet->ts_end < stream->packets[stream->nr_packets - 1].ts_end)
		return "packets out of order";
	gap = packet->count - stream->end;
	*gaps += gap;
	if (packet->discarded < *gaps)
		return "more records are missing than were counted as lost";
	stream->end = packet->count + packet->records;
	stream->records += packet->records;
	stream->packets = MEM_MORE(stream->packets, stream->nr_packets);
	stream->packets[stream->nr_packets++] = (struct indexed){
		.extent = *extent, .ts_begin = packet->ts_begin, .ts_end = packet->ts_end,
		.discarded = packet->discarded - *gaps, .bytes = packet->packet_bits / 8, .records = packet->records,
		.overwritten = gap,
	};
	return NULL;
}

/* Of a file that is damaged here.  False: err is set. */
static bool leave_out(struct saved *saved, const struct stream *stream, const char *what, struct error *err)
{
	AUTO_FREE char *text = NULL;

	saved_damaged(stream, what, &saved->damage);
	if (!saved->leaves_out)
		return saved_damaged(stream, what, err);
	text = mem_printf("%s: damaged: %s: what is behind its first %llu records is left out", stream->path, what,
			  (unsigned long long)stream->records);
	if (saved->note)
		saved->note(saved->note_arg, text);
	return true;
}

static bool index_stream(struct saved *saved, struct stream *stream, uint64_t size, struct error *err)
{
	struct packet_extent extent = { 0 };
	struct kt_packet packet;
	uint64_t gaps = 0;
	const char *wrong;

	for (; extent.at < size; extent.at += extent.stored) {
		const bool has_header = packet_header(stream->fd, saved->info->form.compressed, &extent, &packet);
		const bool is_whole = has_header && extent.stored <= size - extent.at;

		if (saved->info->is_open && !is_whole)
			return true;
		if (!has_header)
			return leave_out(saved, stream, "cut off", err);
		if (stream->any_cpu && !extent.at)
			stream->cpu = packet.cpu;
		wrong = wrong_packet(saved, stream, &packet, is_whole);
		if (!wrong)
			wrong = index_packet(stream, &packet, &extent, &gaps);
		if (wrong)
			return leave_out(saved, stream, wrong, err);
	}
	return true;
}

static bool open_stream(struct saved *saved, const char *name, uint32_t cpu, uint32_t part,
			struct error *err)
{
	struct stream *stream;
	struct stat st;

	saved->streams = MEM_MORE(saved->streams, saved->nr_streams);
	stream = &saved->streams[saved->nr_streams++];
	*stream = (struct stream){ .cpu = cpu, .part = part, .any_cpu = cpu == ANY_CPU };
	stream->path = mem_printf("%s/%s", saved->dir, name);
	stream->fd = open(stream->path, O_RDONLY | O_CLOEXEC);
	if (stream->fd < 0 || fstat(stream->fd, &st))
		return error_set(err, STATUS_FAILURE, "%s: %s", stream->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return saved_damaged(stream, "no file", err);
	return index_stream(saved, stream, st.st_size, err);
}

/* "cpu3", "cpu3.1", "state"; other spellings are refused. */
static bool is_stream(const char *name, uint32_t *cpu, uint32_t *part)
{
	char again[32];

	*part = 0;
	*cpu = ANY_CPU;
	if (!strcmp(name, SAVE_STATE))
		return true;
	if (sscanf(name, "cpu%u.%u", cpu, part) < 1 || *cpu >= MAX_CPUS)
		return false;
	snprintf(again, sizeof(again), *part ? "cpu%u.%u" : "cpu%u", *cpu, *part);
	return !strcmp(name, again);
}

static int by_part(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

bool saved_open_streams(struct saved *saved, struct error *err)
{
	DIR *dir = opendir(saved->dir);
	struct dirent *entry;
	uint32_t cpu, part;
	bool ok = true;

	if (!dir)
		return error_set(err, STATUS_FAILURE, "%s: %s", saved->dir, strerror(errno));
	while (ok && (entry = readdir(dir)))
		if (is_stream(entry->d_name, &cpu, &part))
			ok = open_stream(saved, entry->d_name, cpu, part, err);
	closedir(dir);
	if (ok && saved->nr_streams)
		qsort(saved->streams, saved->nr_streams, sizeof(*saved->streams), by_part);
	return ok;
}
