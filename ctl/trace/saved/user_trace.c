// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_trace.c - make a saved trace of the files of processes.  See user_trace.h.
 *
 * Every CPU gets one stream, with the events of the rings that all processes have for it; events of slots go to CPUs behind
 * the last one.  The events are wide, because they also have the ids of process and thread.
 */
#include "ctl/trace/saved/user_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ring.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"
#include "ctl/trace/ctf/trace_info.h"
#include "ctl/trace/user/user_desc.h"

#define MAX_FILES	10000
#define PACKET_BYTES	KT_SUBBUF_WIDE_MAX
#define HEADER_BYTES	12	/* of an event, at most */
/* Two moments that are closer do not tell the rate of the clock well. */
#define FAR_NS		50000000ULL

struct process {
	struct user_file *file;
	uint32_t *ids;		/* in the trace, by those in the file; 0: not yet */
};

struct making {
	struct process *processes;
	size_t nr;
	struct trace_info *info;
	const char *to;
	uint32_t nr_cpus;	/* the most that a process has */
	user_trace_note *note;
	void *note_arg;
};

static void leave_out(const struct making *m, const struct error *why)
{
	if (m->note)
		m->note(m->note_arg, why->text);
}

/* ------------------------------------------------------------------------ files */

static bool is_rings(const char *name)
{
	const size_t len = strlen(name), suffix = strlen(USER_FILE_SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, USER_FILE_SUFFIX);
}

bool user_trace_is(const char *dir)
{
	DIR *at = opendir(dir);
	struct dirent *entry;
	bool found = false;

	while (at && !found && (entry = readdir(at)))
		found = is_rings(entry->d_name);
	if (at)
		closedir(at);
	return found;
}

static struct ktu_anchor anchor(const struct user_file *file, unsigned int n)
{
	return file->head.anchors[n % 3];
}

static struct ktu_anchor newest(const struct user_file *file)
{
	return anchor(file, file->head.newest_anchor);
}

/* Can it be merged with the files before it? */
static bool fits(const struct making *m, const struct user_file *file, struct error *err)
{
	const struct ktu_anchor first = anchor(file, 0), last = newest(file);

	if (file->head.machine != arch_native.elf_machine)
		return error_set(err, STATUS_FAILURE, "%s: recorded on another kind of machine: print it there", file->path);
	if (last.ticks < first.ticks || last.mono_ns < first.mono_ns || first.real_ns > INT64_MAX || last.real_ns > INT64_MAX)
		return error_set(err, STATUS_FAILURE, "%s: damaged: its clock is impossible: it cannot be read", file->path);
	if (!m->nr || (!strcmp(file->head.boot_id, m->processes[0].file->head.boot_id) &&
		       !strcmp(file->head.clock, m->processes[0].file->head.clock)))
		return true;
	return error_set(err, STATUS_FAILURE, "%s: from another boot, or another clock: put it into a directory of its own", file->path);
}

/* False: it cannot be read, err is set. */
static bool add_file(struct making *m, const char *path, struct error *err)
{
	struct user_file *file = user_file_open(path, err);

	if (!file || !fits(m, file, err)) {
		user_file_close(file);
		return false;
	}
	m->processes = MEM_MORE(m->processes, m->nr);
	m->processes[m->nr++] = (struct process){ file, mem_zalloc(file->nr_ids + 1, sizeof(uint32_t)) };
	if (file->head.nr_cpus > m->nr_cpus)
		m->nr_cpus = file->head.nr_cpus;
	return true;
}

static int is_visible(const struct dirent *entry)
{
	return is_rings(entry->d_name);
}

static bool open_files(struct making *m, const char *dir, struct error *err)
{
	struct dirent **entries;
	const int nr = scandir(dir, &entries, is_visible, alphasort);
	bool ok = nr >= 0 || error_set(err, STATUS_FAILURE, "%s: %s", dir, strerror(errno));
	bool is_left_out = false;
	struct error why;

	for (int i = 0; i < nr; i++) {
		AUTO_FREE char *path = mem_printf("%s/%s", dir, entries[i]->d_name);

		free(entries[i]);
		if (!ok || !user_file_is_begun(path))
			continue;
		if (m->nr == MAX_FILES) {
			ok = error_set(err, STATUS_FAILURE, "%s: more than %d processes: read them in parts", path, MAX_FILES);
		} else if (!add_file(m, path, &why)) {
			/* Said once all are known: if there is no other, it is the error. */
			if (is_left_out)
				leave_out(m, err);
			*err = why;
			is_left_out = true;
		}
	}
	if (nr >= 0)
		free(entries);
	if (!ok || m->nr) {
		if (ok && is_left_out)
			leave_out(m, err);
		return ok;
	}
	return !is_left_out && error_set(err, STATUS_FAILURE, "%s: no process has recorded anything", dir);
}

static void close_files(struct making *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		user_file_close(m->processes[i].file);
		free(m->processes[i].ids);
	}
	free(m->processes);
}

/* ------------------------------------------------------------------------ clock */

static struct ktu_anchor now(void)
{
	struct timespec real, mono;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (struct ktu_anchor){ .ticks = kt_clock_raw_read(), .real_ns = real.tv_sec * 1000000000ULL + real.tv_nsec,
				    .mono_ns = mono.tv_sec * 1000000000ULL + mono.tv_nsec };
}

/* A clock of a kilohertz to a terahertz. */
static bool is_after(const struct ktu_anchor *later, const struct ktu_anchor *first)
{
	const uint64_t ticks = later->ticks - first->ticks, ns = later->mono_ns - first->mono_ns;

	return later->ticks > first->ticks && later->mono_ns > first->mono_ns && later->real_ns > first->real_ns &&
	       later->real_ns <= INT64_MAX && ns / 1000000 <= ticks && ticks / 1000 <= ns;
}

/*
 * The rate comes from the earliest and the latest moment that the processes have noted.  If they are close together, and
 * this is still the same boot of the same machine, the present is the later one.
 */
static bool set_clock(struct making *m, struct error *err)
{
	struct trace_info *info = m->info;
	struct ktu_anchor first = anchor(m->processes[0].file, 0), last = first;
	const char *boot = m->processes[0].file->head.boot_id;

	for (size_t i = 0; i < m->nr; i++) {
		const struct ktu_anchor begin = anchor(m->processes[i].file, 0), end = newest(m->processes[i].file);

		first = begin.ticks < first.ticks ? begin : first;
		last = end.ticks > last.ticks ? end : last;
	}
	if (last.mono_ns - first.mono_ns < FAR_NS && info->boot_id && !strcmp(info->boot_id, boot))
		last = now();
	if (!is_after(&last, &first))
		return error_set(err, STATUS_FAILURE, "%s: damaged: its clock is impossible: it cannot be read",
				 m->processes[0].file->path);
	info->clock = (struct kt_clock){ .nr = 2, .ns_num = last.mono_ns - first.mono_ns, .ns_den = last.ticks - first.ticks };
	memcpy(info->clock.name, m->processes[0].file->head.clock, sizeof(info->clock.name));
	info->anchors = mem_zalloc(2, sizeof(*info->anchors));
	info->anchors[0] = (struct kt_anchor){ first.ticks, first.real_ns };
	info->anchors[1] = (struct kt_anchor){ last.ticks, last.real_ns };
	return true;
}

static bool set_info(struct making *m, struct error *err)
{
	const struct ktu_file *head = &m->processes[0].file->head;
	struct kt_hello hello = { .arch = head->machine };

	if (getrandom(hello.uuid, sizeof(hello.uuid), 0) != sizeof(hello.uuid))
		return error_set(err, STATUS_FAILURE, "no random numbers: %s", strerror(errno));
	m->info = mem_zalloc(1, sizeof(*m->info));
	trace_info_here(m->info, &hello);
	m->info->user = m->info->wide = true;
	if (!set_clock(m, err))
		return false;
	free(m->info->host);
	free(m->info->kernel);
	free(m->info->module);
	free(m->info->boot_id);
	m->info->host = mem_strdup(head->host);
	m->info->kernel = mem_strdup(head->kernel);
	m->info->module = mem_strdup(KTRACE_VERSION);
	m->info->boot_id = *head->boot_id ? mem_strdup(head->boot_id) : NULL;
	return true;
}

/* ------------------------------------------------------------------------ descriptors */

/* Sites of several processes that look the same are one event. */
static bool find_id(struct making *m, struct process *process, const struct user_site *site, uint32_t *id, struct error *err)
{
	struct desc *desc = user_desc(process->file, site);
	bool ok = desc_encode(desc, &desc->blob, &desc->blob_len, err);

	*id = 0;
	for (size_t i = 0; ok && i < m->info->nr_events && !*id; i++)
		if (desc_is_same(m->info->events[i].bare, desc))
			*id = m->info->events[i].bare->id;
	if (ok && !*id) {
		*id = desc->id = m->info->nr_events + 1;
		ok = (*id <= KT_WIDE_MAX_ID || error_set(err, STATUS_FAILURE, "%s: too many tracepoints", m->to)) &&
		     trace_info_add(m->info, desc, err);
	}
	desc_free(desc);
	return ok;
}

/* ------------------------------------------------------------------------ a stream */

struct source {
	struct process *process;
	struct user_ring ring;
	bool more;
};

struct stream {
	struct making *making;
	uint32_t cpu;
	struct source *sources;
	size_t nr;
	char *path;
	int fd;
	struct kt_packet *packet;	/* PACKET_BYTES of room */
	uint32_t filled;		/* bytes of it; 0: none has begun */
	uint64_t last;			/* time of the newest event */
	uint64_t seq, count;
	uint64_t lost;
};

static bool flush(struct stream *stream, struct error *err)
{
	struct kt_packet *packet = stream->packet;

	if (!stream->filled)
		return true;
	if (interrupt_pending())
		return error_set(err, STATUS_FAILURE, "interrupted while the events of processes were merged");
	packet->ts_end = stream->last;
	packet->content_bits = packet->packet_bits = 8ULL * stream->filled;
	packet->discarded = stream->lost;
	stream->count += packet->records;
	stream->filled = 0;
	if (stream->fd < 0)
		stream->fd = open(stream->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return (stream->fd >= 0 && save_dir_write(stream->fd, packet, packet->packet_bits / 8)) ||
	       error_set(err, STATUS_FAILURE, "%s: %s: make room there, or set TMPDIR", stream->path, strerror(errno));
}

static void begin(struct stream *stream, uint64_t ticks)
{
	*stream->packet = (struct kt_packet){
		.magic = KT_CTF_MAGIC, .ts_begin = ticks, .seq = stream->seq++, .count = stream->count, .cpu = stream->cpu,
	};
	memcpy(stream->packet->uuid, stream->making->info->uuid, sizeof(stream->packet->uuid));
	stream->filled = sizeof(*stream->packet);
	stream->last = ticks;
}

/* Lost events are between the last packet and the next one, as a gap in the numbers. */
static bool lose(struct stream *stream, uint64_t lost, uint64_t ticks, struct error *err)
{
	if (!lost)
		return true;
	if (!stream->seq)
		begin(stream, ticks);
	if (!flush(stream, err))
		return false;
	stream->lost += lost;
	stream->count += lost;
	return true;
}

static uint8_t *put_header(struct stream *stream, uint8_t *at, uint32_t id, uint64_t ticks)
{
	const uint16_t words[2] = { KT_WIDE_ID_EXT, id };

	if (!((ticks - stream->last) >> KT_WIDE_TS_BITS))
		return kt_put_compact(true, at, id, ticks);
	memcpy(at, words, sizeof(words));
	memcpy(at + sizeof(words), &ticks, sizeof(ticks));
	return at + sizeof(words) + sizeof(ticks);
}

static bool put(struct stream *stream, struct source *from, struct error *err)
{
	const struct user_ring *ring = &from->ring;
	uint32_t *id = &from->process->ids[ring->site->id];
	uint8_t *start = (uint8_t *)stream->packet, *at;

	if (!lose(stream, ring->lost, ring->ticks, err) || (!*id && !find_id(stream->making, from->process, ring->site, id, err)))
		return false;
	if (stream->filled + HEADER_BYTES + USER_MAX_PAYLOAD > PACKET_BYTES && !flush(stream, err))
		return false;
	if (!stream->filled)
		begin(stream, ring->ticks);
	at = put_header(stream, start + stream->filled, *id, ring->ticks);
	at += user_record(ring, at);
	stream->filled = at - start;
	stream->last = ring->ticks;
	stream->packet->records++;
	return true;
}

static struct source *earliest(const struct stream *stream)
{
	struct source *first = NULL;

	for (size_t i = 0; i < stream->nr; i++)
		if (stream->sources[i].more && (!first || stream->sources[i].ring.ticks < first->ring.ticks))
			first = &stream->sources[i];
	return first;
}

/* The next event of a source; behind its last one, tell what was lost there. */
static bool advance(struct stream *stream, struct source *source, struct error *err)
{
	struct error why;

	if (!user_ring_next(&source->ring, &source->more, &why)) {
		leave_out(stream->making, &why);
		source->more = false;
		return true;
	}
	return source->more || lose(stream, source->ring.lost, stream->last, err);
}

static bool merge(struct stream *stream, struct error *err)
{
	struct source *source;
	bool ok = true;

	for (size_t i = 0; ok && i < stream->nr; i++)
		ok = advance(stream, &stream->sources[i], err);
	while (ok && (source = earliest(stream)))
		ok = put(stream, source, err) && advance(stream, source, err);
	return ok;
}

/* What was lost behind the last event needs a packet, too. */
static bool finish(struct stream *stream, struct error *err)
{
	if (!stream->filled && stream->seq && stream->lost != stream->packet->discarded)
		begin(stream, stream->last);
	return flush(stream, err);
}

/* The ring of a process for this stream.  Slots are behind the CPUs of the process that has most. */
static bool ring_number(const struct making *m, const struct user_file *file, uint32_t cpu, uint32_t *number)
{
	const bool is_slot = cpu >= m->nr_cpus;

	*number = is_slot ? cpu - m->nr_cpus + file->head.nr_cpus : cpu;
	return is_slot ? *number < user_file_rings(file) : *number < file->head.nr_cpus;
}

static void begin_sources(struct stream *stream)
{
	struct making *m = stream->making;
	struct error why;
	uint32_t number;

	for (size_t i = 0; i < m->nr; i++) {
		struct source *source = &stream->sources[stream->nr];

		if (!ring_number(m, m->processes[i].file, stream->cpu, &number))
			continue;
		source->process = &m->processes[i];
		if (user_ring_begin(&source->ring, source->process->file, number, &why))
			stream->nr += source->process->file->ends[number].used;
		else
			leave_out(m, &why);
	}
}

/* Events that are in no ring are lost on the first CPU. */
static uint64_t nowhere(const struct making *m, uint32_t cpu)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < m->nr && !cpu; i++)
		lost += m->processes[i].file->head.lost & INT32_MAX;
	return lost;
}

static bool make_stream(struct making *m, uint32_t cpu, struct error *err)
{
	struct stream stream = {
		.making = m, .cpu = cpu, .fd = -1, .path = mem_printf("%s/cpu%u", m->to, cpu),
		.sources = mem_zalloc(m->nr, sizeof(*stream.sources)), .packet = mem_zalloc(1, PACKET_BYTES),
	};
	bool ok;

	begin_sources(&stream);
	ok = merge(&stream, err) && lose(&stream, nowhere(m, cpu), newest(m->processes[0].file).ticks, err) && finish(&stream, err);

	for (size_t i = 0; i < m->nr; i++)
		user_ring_end(&stream.sources[i].ring);
	if (stream.fd >= 0)
		close(stream.fd);
	free(stream.packet);
	free(stream.sources);
	free(stream.path);
	return ok;
}

static bool make_streams(struct making *m, struct error *err)
{
	AUTO_FREE char *own = mem_printf("%s/ktrace", m->to);

	for (uint32_t cpu = 0; cpu < m->nr_cpus + KTU_SLOTS; cpu++)
		if (!make_stream(m, cpu, err))
			return false;
	if (mkdir(own, 0700))
		return error_set(err, STATUS_FAILURE, "%s: %s", own, strerror(errno));
	return save_dir_describe(m->to, m->info, err);
}

bool user_trace_make(const char *dir, const char *to, user_trace_note *note, void *arg, struct error *err)
{
	struct making m = { .to = to, .note = note, .note_arg = arg };
	const bool ok = open_files(&m, dir, err) && set_info(&m, err) && make_streams(&m, err);

	close_files(&m);
	trace_info_free(m.info);
	return ok;
}
