// SPDX-License-Identifier: GPL-2.0-or-later
/* saved.c - a saved trace as a source of snapshots.  See saved.h. */
#include "ctl/trace/saved/saved_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/series.h"
#include "ctl/trace/saved/user_trace.h"

/*
 * Packets of one CPU in a snapshot.  Few, so that the processor's cache still has the records when they are used; with many CPUs
 * more, because each snapshot reads again the packets of CPUs that have few records.
 */
enum { LEAST_PACKETS = 4, MOST_PACKETS = 32 };

static saved_note_fn *told;
static void *told_arg;

void saved_tell(saved_note_fn *note, void *arg)
{
	told = note;
	told_arg = arg;
}

/* ------------------------------------------------------------ open and close */

static bool check_machine(const struct saved *saved, struct error *err)
{
	return saved->info->arch == arch_native.elf_machine ||
	       error_set(err, STATUS_FAILURE,
			 "%s: recorded on another kind of machine: print it there, or with babeltrace2",
			 saved->dir);
}

/* Say what the directory is instead of a trace. */
static bool not_a_trace(const struct saved *saved, int error, struct error *err)
{
	AUTO_FREE char *part = series_newest(saved->dir);
	struct stat st;

	/* A directory of `record --rotate` is no trace, but has some. */
	if (part)
		return error_set(err, STATUS_USAGE, "%s: a series of traces: give one of them, such as %s", saved->dir, part);
	return error_set(err, STATUS_FAILURE, "%s: %s: give one that 'record' or 'save' made", saved->dir,
			 error == ENOTDIR ? "not a directory" :
			 stat(saved->dir, &st) && errno == ENOENT ? "no such directory" : "no trace is there");
}

static bool is_one_trace(const struct saved *saved, const char *info, struct error *err)
{
	/* Other errors are those of reading it. */
	return !access(info, F_OK) || (errno != ENOENT && errno != ENOTDIR) || not_a_trace(saved, errno, err);
}

/* A trace of which nothing is left cannot be read. */
static bool has_rest(const struct saved *saved, struct error *err)
{
	for (size_t i = 0; i < saved->nr_streams; i++)
		if (saved->streams[i].nr_packets)
			return true;
	if (*saved->damage.text && err)
		*err = saved->damage;
	return !*saved->damage.text;
}

static struct saved *open_trace(const char *dir, struct trace_info *info, bool leaves_out, struct error *err)
{
	AUTO_FREE char *path = mem_printf("%s/" SAVE_INFO, dir);
	struct saved *saved = mem_zalloc(1, sizeof(*saved));

	/* Each snapshot takes some megabytes. */
	mem_keep_freed();
	saved->leaves_out = leaves_out;
	saved->note = told;
	saved->note_arg = told_arg;
	saved->dir = save_dir_name(dir);
	saved->symbols = mem_printf("%s/" SAVE_SYMBOLS, saved->dir);
	saved->info_is_given = info;
	saved->info = info ? info : is_one_trace(saved, path, err) ? trace_info_read(path, err) : NULL;
	if (saved->info && check_machine(saved, err) && saved_open_streams(saved, err) && has_rest(saved, err)) {
		saved_rewind(saved);
		return saved;
	}
	saved_close(saved);
	return NULL;
}

/* The files of processes become a trace for as long as it takes to open it. */
static struct saved *open_user(const char *dir, struct error *err)
{
	const char *where = getenv("TMPDIR");
	AUTO_FREE char *temp = mem_printf("%s/ktrace-XXXXXX", where && *where ? where : "/tmp");
	struct saved *saved = NULL;

	if (!mkdtemp(temp)) {
		error_set(err, STATUS_FAILURE, "%s: %s: set TMPDIR to a directory with room for the trace", temp, strerror(errno));
		return NULL;
	}
	/* Ctrl-C must not leave the directory behind. */
	interrupt_catch();
	if (user_trace_make(dir, temp, told, told_arg, err))
		saved = open_trace(temp, NULL, false, err);
	save_dir_remove(temp);
	interrupt_release();
	return saved;
}

struct saved *saved_open(const char *dir, struct error *err)
{
	return user_trace_is(dir) ? open_user(dir, err) : open_trace(dir, NULL, false, err);
}

struct saved *saved_open_as(const char *dir, struct trace_info *info, struct error *err)
{
	return info ? open_trace(dir, info, false, err) : saved_open(dir, err);
}

struct saved *saved_open_readable(const char *dir, struct error *err)
{
	return user_trace_is(dir) ? open_user(dir, err) : open_trace(dir, NULL, true, err);
}

void saved_close(struct saved *saved)
{
	if (!saved)
		return;
	for (size_t i = 0; i < saved->nr_streams; i++) {
		if (saved->streams[i].fd >= 0)
			close(saved->streams[i].fd);
		free(saved->streams[i].path);
		free(saved->streams[i].packets);
	}
	free(saved->streams);
	if (!saved->info_is_given)
		trace_info_free(saved->info);
	free(saved->symbols);
	free(saved->dir);
	free(saved);
}

const struct trace_info *saved_info(const struct saved *saved)
{
	return saved->info;
}

uint64_t saved_events(const struct saved *saved)
{
	uint64_t n = 0;

	for (size_t i = 0; i < saved->nr_streams; i++)
		n += saved->streams[i].any_cpu ? 0 : saved->streams[i].records;
	return n;
}

const char *saved_symbols(const struct saved *saved)
{
	return saved->symbols;
}

/* Time of the last event of the state; 0: it has none.  The packet at its end has no events. */
static uint64_t state_read(const struct stream *stream)
{
	for (size_t i = stream->nr_packets; i-- > 0;)
		if (stream->packets[i].records)
			return stream->packets[i].ts_end;
	return 0;
}

uint64_t saved_complete_from(const struct saved *saved)
{
	if (saved->info->complete)
		return saved->info->complete;
	for (size_t i = 0; i < saved->nr_streams; i++)
		if (saved->streams[i].any_cpu)
			return state_read(&saved->streams[i]);
	return 0;
}

void saved_rewind(struct saved *saved)
{
	for (size_t i = 0; i < saved->nr_streams; i++) {
		struct stream *stream = &saved->streams[i];

		stream->next = 0;
		stream->to = stream->count;
		stream->discarded_to = 0;
		stream->stop = (struct stop){ 0 };
		stream->from = (struct reader_cpu){ .cpu = stream->cpu };
		stream->from.ring.sub_bytes = MAX_PACKET;
		stream->from.ring.wide = saved->info->wide;
	}
	saved->part = 0;
}

void saved_gaps(const struct saved *saved, saved_gap_fn *each, void *arg)
{
	for (size_t i = 0; i < saved->nr_streams; i++) {
		const struct stream *stream = &saved->streams[i];
		uint64_t begin = 0, discarded = 0;

		for (const struct indexed *at = stream->packets; at < stream->packets + stream->nr_packets; at++) {
			if (at->overwritten)
				each(arg, stream->cpu, begin, at->ts_begin, at->overwritten);
			if (at->discarded > discarded)
				each(arg, stream->cpu, at->ts_begin, at->ts_end, at->discarded - discarded);
			begin = at->ts_begin;
			discarded = at->discarded;
		}
	}
}

/* ---------------------------------------------------------------- progress */

void saved_show(struct saved *saved, const struct saved_progress *progress)
{
	saved->progress = *progress;
}

/* So many packets were read. */
static void show_read(const struct saved *saved, uint64_t read)
{
	const struct saved_progress *progress = &saved->progress;
	uint64_t all = 0;

	if (!progress->line)
		return;
	for (size_t i = 0; i < saved->nr_streams; i++)
		all += saved->streams[i].nr_packets;
	progress_part(progress->line, progress->what, progress->part * all + read, progress->of * all);
}

static void show_position(const struct saved *saved)
{
	uint64_t read = 0;

	for (size_t i = 0; i < saved->nr_streams; i++)
		read += saved->streams[i].next;
	show_read(saved, read);
}

/* --------------------------------------------------------------- snapshots */

static struct desc *find_desc(void *arg, uint32_t id)
{
	const struct saved *saved = arg;
	const struct trace_event *event = trace_info_event(saved->info, saved->part, id);

	return event ? trace_event_desc(event) : NULL;
}

static bool cannot_parse(void *arg, uint32_t cpu, struct error *err)
{
	const struct saved *saved = arg;

	return error_set(err, STATUS_FAILURE,
			 "%s: damaged: the records of CPU %u do not match its descriptors: the saved trace cannot be read",
			 saved->dir, cpu);
}

/* The caller frees the packet.  NULL: err is set. */
static struct kt_packet *read_packet(const struct saved *saved, const struct stream *stream, const struct indexed *at,
				     struct error *err)
{
	const bool compressed = saved->info->form.compressed;
	struct kt_packet *packet = mem_grow(NULL, 1, at->bytes);

	if (packet_read(stream->fd, compressed, &at->extent, packet, at->bytes) &&
	    packet->content_bits <= (uint64_t)at->bytes * 8)
		return packet;
	saved_damaged(stream, compressed ? "a packet cannot be expanded" : "it has changed meanwhile", err);
	free(packet);
	return NULL;
}

static bool load(const struct saved *saved, const struct stream *stream, const struct indexed *at, struct run *run,
		 struct error *err)
{
	struct packet_copy copy = { .packet = read_packet(saved, stream, at, err) };

	if (!copy.packet)
		return false;
	copy.packet->discarded = at->discarded;
	copy.info = (struct kt_read_info){
		.bytes = copy.packet->content_bits / 8, .records = copy.packet->records,
		.complete = true,
	};
	run->packets = MEM_MORE(run->packets, run->nr_packets);
	run->packets[run->nr_packets++] = copy;
	return true;
}

/* How many packets of each CPU a snapshot of this part has at most. */
static size_t packets_each(const struct saved *saved)
{
	size_t n = 0;

	for (size_t i = 0; i < saved->nr_streams; i++)
		n += saved->streams[i].part == saved->part;
	return n < LEAST_PACKETS ? LEAST_PACKETS : n > MOST_PACKETS ? MOST_PACKETS : n;
}

/* The latest time for which all packets are loaded: no packet of this part that is not loaded begins earlier. */
static uint64_t stretch_end(const struct saved *saved, size_t each)
{
	uint64_t until = UINT64_MAX;

	for (size_t i = 0; i < saved->nr_streams; i++) {
		const struct stream *stream = &saved->streams[i];
		const size_t last = stream->next + each - 1;

		if (stream->part == saved->part && last + 1 < stream->nr_packets &&
		    stream->packets[last].ts_end < until)
			until = stream->packets[last].ts_end;
	}
	return until;
}

static bool load_run(const struct saved *saved, struct stream *stream, size_t each, struct run *run, uint64_t until,
		     struct error *err)
{
	const size_t end = stream->next + each;

	*run = (struct run){
		.from = &stream->from, .to = stream->to, .discarded_to = stream->discarded_to, .begin = stream->stop,
	};
	for (size_t i = stream->next; i < stream->nr_packets && i < end; i++) {
		if (stream->packets[i].ts_begin > until)
			break;
		if (!load(saved, stream, &stream->packets[i], run, err))
			return false;
	}
	return true;
}

/*
 * Remember the position, and drop packets that no later snapshot needs.  The packet behind the loaded ones may end at the same time as
 * they do.
 */
static void pass(struct stream *stream, const struct run *run, uint64_t until)
{
	const size_t stopped = stream->next + run->stop.packet, loaded = stream->next + run->nr_packets;

	stream->to = run->to;
	stream->discarded_to = run->discarded_to;
	while (stream->next < loaded && stream->packets[stream->next].ts_end <= until)
		stream->next++;
	stream->stop = stopped == stream->next ? run->stop : (struct stop){ 0 };
}

static bool fill(struct saved *saved, struct snapshot *snap, struct error *err)
{
	const size_t each = packets_each(saved);
	const struct reader_source source = {
		.lasting_desc = find_desc, .damaged = cannot_parse, .arg = saved,
	};

	snap->descs_last = true;
	snap->now = 0;
	snap->until = stretch_end(saved, each);
	snap->runs = mem_zalloc(saved->nr_streams + 1, sizeof(*snap->runs));
	for (size_t i = 0; i < saved->nr_streams; i++) {
		struct stream *stream = &saved->streams[i];

		if (stream->part != saved->part || stream->next == stream->nr_packets)
			continue;
		snap->nr_runs++;
		if (!load_run(saved, stream, each, &snap->runs[snap->nr_runs - 1], snap->until, err) ||
		    !run_parse(&snap->runs[snap->nr_runs - 1], snap, &source, err))
			return false;
		pass(stream, &snap->runs[snap->nr_runs - 1], snap->until);
	}
	snapshot_merge(snap);
	return true;
}

static bool part_ended(const struct saved *saved)
{
	for (size_t i = 0; i < saved->nr_streams; i++)
		if (saved->streams[i].part == saved->part &&
		    saved->streams[i].next < saved->streams[i].nr_packets)
			return false;
	return true;
}

bool saved_next(struct saved *saved, struct snapshot **out, struct error *err)
{
	struct snapshot *snap;

	*out = NULL;
	show_position(saved);
	while (part_ended(saved) && saved->part < saved->info->parts)
		saved->part++;
	if (saved->part == saved->info->parts)
		return true;
	snap = mem_zalloc(1, sizeof(*snap));
	if (!fill(saved, snap, err)) {
		snapshot_free(snap);
		return false;
	}
	*out = snap;
	return true;
}

/* ---------------------------------------------------------------- all packets */

static bool stream_packets(const struct saved *saved, const struct stream *stream, saved_packet_fn *each, void *arg,
			   uint64_t *read, struct error *err)
{
	const char *name = strrchr(stream->path, '/') + 1;

	for (size_t i = 0; i < stream->nr_packets; i++) {
		AUTO_FREE struct kt_packet *packet = read_packet(saved, stream, &stream->packets[i], err);

		show_read(saved, (*read)++);
		if (!packet || !each(arg, name, packet, stream->packets[i].bytes, err))
			return false;
	}
	return true;
}

bool saved_packets(struct saved *saved, saved_packet_fn *each, void *arg, struct error *err)
{
	uint64_t read = 0;

	for (size_t i = 0; i < saved->nr_streams; i++)
		if (!stream_packets(saved, &saved->streams[i], each, arg, &read, err))
			return false;
	return true;
}
