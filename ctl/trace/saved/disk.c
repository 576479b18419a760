// SPDX-License-Identifier: GPL-2.0-or-later
/* disk.c - move the packets of a recording to a directory.  See disk.h. */
#include "ctl/trace/saved/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"
#include "ctl/trace/saved/packet_io.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/saved/symbols_file.h"
#include "ctl/trace/saved/state_file.h"
#include "ctl/trace/ctf/trace_info.h"

/* The file of one CPU. */
struct stream {
	int fd;			/* -1: nothing written yet */
	uint64_t bytes;		/* of whole packets, in the file */
	uint64_t next;		/* the packet to write next */
	uint64_t records;	/* in the packets written */
	uint64_t discarded;	/* told in the packets written */
	uint64_t last_ts;
};

struct disk {
	struct device *dev;
	struct reader *reader;	/* the mapped rings */
	struct stream *streams;	/* by index in the reader */
	char *dir;
	int lock;
	struct trace_info *info;
	struct packet_writer *writer;	/* made for the first packet */
	struct state_file *state;	/* NULL: none */
};

/* ------------------------------------------------------------ begin and end */

static bool make_directory(struct disk *disk, struct error *err)
{
	char *moved = NULL;

	if (!save_dir_free(disk->dir, err))
		return false;
	disk->lock = save_dir_create(disk->dir, &moved, err);
	free(moved);
	return disk->lock >= 0;
}

struct disk *disk_create(const char *dir, struct device *dev, struct error *err)
{
	struct disk *disk = mem_zalloc(1, sizeof(*disk));

	disk->dev = dev;
	disk->lock = -1;
	disk->dir = save_dir_name(dir);
	disk->info = mem_zalloc(1, sizeof(*disk->info));
	trace_info_here(disk->info, &dev->hello);
	disk->info->is_open = true;
	disk->reader = reader_create(dev, err);
	if (!disk->reader || !trace_info_clock(disk->info, disk->dev, err) || !make_directory(disk, err)) {
		disk_free(disk);
		return NULL;
	}
	disk->streams = mem_zalloc(disk->reader->nr_cpus + 1, sizeof(*disk->streams));
	for (size_t i = 0; i < disk->reader->nr_cpus; i++)
		disk->streams[i].fd = -1;
	return disk;
}

void disk_free(struct disk *disk)
{
	if (!disk)
		return;
	for (size_t i = 0; disk->streams && i < disk->reader->nr_cpus; i++)
		if (disk->streams[i].fd >= 0)
			close(disk->streams[i].fd);
	if (disk->lock >= 0)
		close(disk->lock);
	reader_destroy(disk->reader);
	state_file_free(disk->state);
	packet_writer_free(disk->writer);
	trace_info_free(disk->info);
	free(disk->streams);
	free(disk->dir);
	free(disk);
}

void disk_abandon(struct disk *disk)
{
	save_dir_remove(disk->dir);
	disk_free(disk);
}

struct disk_totals disk_totals(const struct disk *disk)
{
	struct disk_totals totals = { 0 };

	for (size_t i = 0; i < disk->reader->nr_cpus; i++) {
		totals.records += disk->streams[i].records;
		totals.lost += disk->streams[i].discarded;
		totals.bytes += disk->streams[i].bytes;
		totals.braked += READ_ONCE(disk->reader->cpus[i].ring.ctl->braked);
	}
	totals.off = disk->info->off;
	if (disk->state)
		totals.state_bytes = state_file_bytes(disk->state);
	totals.bytes += totals.state_bytes;
	return totals;
}

uint64_t disk_unwritten(const struct disk *disk)
{
	uint64_t sum = 0;
	u64 total, newest;

	for (size_t i = 0; i < disk->reader->nr_cpus; i++) {
		const struct kt_ring *ring = &disk->reader->cpus[i].ring;

		if (ring_newest(ring, &total, &newest))
			sum += total - disk->streams[i].records + READ_ONCE(ring->ctl->discarded) - disk->streams[i].discarded;
	}
	return sum;
}

void disk_confine(struct disk *disk, char *text)
{
	free(disk->info->tasks);
	disk->info->tasks = text;
}

void disk_form(struct disk *disk, const struct trace_form *form)
{
	disk->info->form = *form;
}

void disk_switched_off(struct disk *disk, uint32_t off)
{
	disk->info->off = off;
}

bool disk_wants_symbols(const struct disk *disk)
{
	return trace_info_wants_symbols(disk->info);
}

/* -------------------------------------------------------------- description */

bool disk_add(struct disk *disk, uint32_t id, const struct desc *planned, struct error *err)
{
	return trace_info_learn(disk->info, disk->dev, id, planned, err);
}

static bool describe(struct disk *disk, struct error *err)
{
	return save_dir_describe(disk->dir, disk->info, err);
}

bool disk_describe(struct disk *disk, bool with_state, struct error *err)
{
	if (with_state) {
		disk->state = state_file_create(disk->dir, disk->info, err);
		if (!disk->state)
			return false;
		/* When the directory was made: no tracepoint was set yet. */
		state_file_begins(disk->state, disk->info->clock.now);
	}
	return describe(disk, err);
}

/* ------------------------------------------------------------------- writing */

static bool cannot_write(const struct disk *disk, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s: the trace ends here: make room there, or choose another place",
			 disk->dir, strerror(errno));
}

static bool stream_open(struct disk *disk, size_t i, struct error *err)
{
	struct stream *stream = &disk->streams[i];
	AUTO_FREE char *path = mem_printf("%s/cpu%u", disk->dir, disk->reader->cpus[i].cpu);

	if (stream->fd < 0)
		stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return stream->fd >= 0 || cannot_write(disk, err);
}

/* Write whole packets of that many bytes each, or none. */
static bool stream_put(struct disk *disk, size_t i, const void *packets, size_t bytes, size_t nr, struct error *err)
{
	struct stream *stream = &disk->streams[i];

	if (!stream_open(disk, i, err))
		return false;
	if (!disk->writer)
		disk->writer = packet_writer_create(disk->info->form.compressed);
	if (!packet_write(disk->writer, stream->fd, packets, bytes, nr, &stream->bytes)) {
		cannot_write(disk, err);
		/* A smaller size fails only if the disk fails; a reader of an unfinished trace ignores the rest. */
		if (ftruncate(stream->fd, (off_t)stream->bytes) == 0)
			lseek(stream->fd, (off_t)stream->bytes, SEEK_SET);
		return false;
	}
	return true;
}

static const struct kt_packet *packet_at(const struct kt_ring *ring, uint64_t seq)
{
	return (const struct kt_packet *)kt_ring_subbuf(ring, seq);
}

/* Is the packet complete?  In KT_MODE_DISCARD it then stays as it is until it is released. */
static bool is_complete(const struct kt_ring *ring, uint64_t seq)
{
	const bool complete = READ_ONCE(*kt_ring_count(ring, seq)) - kt_ring_count_base(ring, seq) == ring->sub_bytes;

	/* The count before the packet.  Pairs with the kt_smp_wmb() of packet_close(). */
	kt_smp_rmb();
	return complete;
}

/* Number of complete packets from seq on that lie behind each other in the ring. */
static size_t run_length(const struct kt_ring *ring, uint64_t seq, uint64_t newest)
{
	const size_t most = ring->nr_subbufs - (seq & ring->mask);
	size_t n = 0;

	while (n < most && seq + n < newest && is_complete(ring, seq + n))
		n++;
	return n;
}

/* The packets [stream->next, seq) are written: what the reader's position becomes. */
static struct kt_seen_cpu release_until(const struct disk *disk, size_t i, uint64_t seq)
{
	const struct kt_ring *ring = &disk->reader->cpus[i].ring;
	const struct stream *stream = &disk->streams[i];
	struct kt_seen_cpu move = {
		.cpu = ring->cpu, .from = stream->records, .to = stream->records, .seq = seq,
		.discarded_from = stream->discarded, .discarded_to = stream->discarded,
	};

	for (uint64_t n = stream->next; n < seq; n++) {
		move.printed += packet_at(ring, n)->records;
		move.discarded_to = packet_at(ring, n)->discarded;
	}
	move.to += move.printed;
	return move;
}

static bool release(struct disk *disk, size_t i, uint64_t seq, struct error *err)
{
	struct kt_seen_cpu move = release_until(disk, i, seq);
	struct stream *stream = &disk->streams[i];
	bool stale;

	stream->last_ts = packet_at(&disk->reader->cpus[i].ring, seq - 1)->ts_end;
	if (!device_seen(disk->dev, &move, 1, &stale, err))
		return false;
	stream->records = move.to;
	stream->discarded = move.discarded_to;
	stream->next = seq;
	return true;
}

/* Write n packets, and release them. If they do not fit on the disk, write as many of them as do. */
static bool write_packets(struct disk *disk, size_t i, size_t n, struct error *err)
{
	const struct kt_ring *ring = &disk->reader->cpus[i].ring;
	struct stream *stream = &disk->streams[i];
	const uint64_t end = stream->next + n;

	if (stream_put(disk, i, packet_at(ring, stream->next), ring->sub_bytes, n, err))
		return release(disk, i, end, err);
	while (stream->next < end)
		if (!stream_put(disk, i, packet_at(ring, stream->next), ring->sub_bytes, 1, err) ||
		    !release(disk, i, stream->next + 1, err))
			return false;
	return true;
}

static bool write_cpu(struct disk *disk, size_t i, struct error *err)
{
	const struct kt_ring *ring = &disk->reader->cpus[i].ring;
	struct stream *stream = &disk->streams[i];
	u64 total, newest;
	size_t n;

	if (!ring_newest(ring, &total, &newest))
		return error_set(err, STATUS_FAILURE, "the ring of CPU %u is damaged: reload the module (rmmod ktrace; modprobe ktrace)",
				 ring->cpu);
	while ((n = run_length(ring, stream->next, newest)))
		if (!write_packets(disk, i, n, err))
			return false;
	return true;
}

bool disk_round(struct disk *disk, struct error *err)
{
	for (size_t i = 0; i < disk->reader->nr_cpus; i++)
		if (!write_cpu(disk, i, err))
			return false;
	return true;
}

struct meanwhile {
	struct disk *disk;
	struct progress_line *line;
};

static bool round_meanwhile(void *arg, struct error *err)
{
	const struct meanwhile *meanwhile = arg;

	progress_wait(meanwhile->line, "reading the state of the system");
	return disk_round(meanwhile->disk, err);
}

bool disk_state(struct disk *disk, struct progress_line *line, struct error *why, struct error *err)
{
	struct meanwhile meanwhile = { disk, line };
	struct error wrong;

	*why->text = '\0';
	if (state_file_dump(disk->state, disk->dev, round_meanwhile, &meanwhile, &wrong))
		return true;
	*(state_file_failed(disk->state) ? err : why) = wrong;
	return !state_file_failed(disk->state);
}

/* -------------------------------------------------------------------- finish */

/* The last packet of a CPU, cut to what is in it. */
static bool write_last(struct disk *disk, size_t i, struct error *err)
{
	const struct kt_ring *ring = &disk->reader->cpus[i].ring;
	struct stream *stream = &disk->streams[i];
	AUTO_FREE struct kt_packet *packet = mem_zalloc(1, ring->sub_bytes);
	const uint64_t discarded = READ_ONCE(ring->ctl->discarded);
	struct kt_read_info info;

	if (kt_ring_read(ring, stream->next, packet, &info) != KT_READ_OK)
		return error_set(err, STATUS_FAILURE, "the last records of CPU %u cannot be read", ring->cpu);
	if (!info.records && discarded == stream->discarded)
		return true;
	packet->content_bits = packet->packet_bits = (uint64_t)info.bytes * 8;
	packet->records = info.records;
	packet->discarded = discarded;
	packet->ts_end = disk->info->clock.now > stream->last_ts ? disk->info->clock.now : stream->last_ts;
	if (!stream_put(disk, i, packet, info.bytes, 1, err))
		return false;
	stream->records += info.records;
	stream->discarded = discarded;
	return true;
}

static bool put_symbols(struct disk *disk, const struct symbols_source *symbols, struct error *err)
{
	struct symbols_source from;

	if (!symbols)
		return true;
	from = *symbols;
	from.info = disk->info;
	return symbols_file_put(disk->dir, &from, err);
}

bool disk_finish(struct disk *disk, const struct symbols_source *symbols, struct error *err)
{
	bool ok = disk_round(disk, err) && trace_info_clock(disk->info, disk->dev, err);

	for (size_t i = 0; ok && i < disk->reader->nr_cpus; i++)
		ok = write_last(disk, i, err);
	if (ok && disk->state)
		ok = state_file_ends(disk->state, disk->info->clock.now, err);
	disk->info->is_open = !ok;
	disk->info->braked = disk_totals(disk).braked;
	ok = ok && put_symbols(disk, symbols, err) && describe(disk, err);
	if (ok) {
		AUTO_FREE char *lock = mem_printf("%s/" SAVE_LOCK, disk->dir);

		unlink(lock);
	}
	return ok;
}
