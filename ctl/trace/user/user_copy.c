// SPDX-License-Identifier: GPL-2.0-or-later
/* user_copy.c - see user_copy.h.  Rings are read by pread(): a look at a mapping would give memory to rings without events. */
#include "ctl/trace/user/user_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "core/ring.h"
#include "ctl/base/memory.h"

#define NAMES	1000	/* files of one program and process: exec() keeps the number */

/* ------------------------------------------------------------------------ clock */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* The clocks must be read close together: take the closest of some tries. */
struct ktu_anchor user_anchor(void)
{
	struct ktu_anchor best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		const uint64_t before = kt_clock_raw_read(), real = clock_ns(CLOCK_REALTIME), mono = clock_ns(CLOCK_MONOTONIC),
			       after = kt_clock_raw_read();

		if (after - before < least) {
			least = after - before;
			best = (struct ktu_anchor){ before + least / 2, real, mono };
		}
	}
	return best;
}

/* ------------------------------------------------------------------------ rings */

static uint64_t ring_at(const struct user_file *file, uint32_t number)
{
	return file->head.rings_off + number * file->head.ring_stride;
}

static uint64_t packet_at(const struct user_file *file, uint32_t number, uint64_t packet)
{
	return ring_at(file, number) + KTU_PAGE + (packet & (file->head.nr_subbufs - 1)) * file->head.subbuf_bytes;
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return pread(fd, to, bytes, at) == (ssize_t)bytes;
}

static bool too_fast(const struct user_file *file, uint32_t number, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: ring %u changes faster than it can be read", file->path, number);
}

/* The start of a ring, and the header of its newest packet.  The header belongs to the word if that is the same afterwards. */
static bool read_newest(const struct user_file *file, int fd, uint32_t number, struct ktu_ring *ring, struct ktu_packet *newest,
			struct error *err)
{
	uint64_t again;

	for (int tries = 0; tries < USER_TRIES; tries++) {
		if (!read_at(fd, ring, sizeof(*ring), ring_at(file, number)))
			break;
		if (!ring->used)
			return true;
		if (!read_at(fd, newest, sizeof(*newest), packet_at(file, number, ring->word >> 32)) ||
		    !read_at(fd, &again, sizeof(again), ring_at(file, number)))
			break;
		if (again >> 32 == ring->word >> 32 && (uint32_t)newest->seq == again >> 32)
			return true;
	}
	return too_fast(file, number, err);
}

bool user_base_read(const struct user_file *file, int fd, struct user_base *base, struct error *err)
{
	const uint32_t nr = user_file_rings(file);
	struct ktu_packet newest;
	struct ktu_ring ring;

	base->rings = mem_zalloc(nr, sizeof(*base->rings));
	base->lost = __atomic_load_n(&((const struct ktu_file *)file->map)->lost, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < nr; i++) {
		if (!read_newest(file, fd, i, &ring, &newest, err))
			return false;
		if (ring.used)
			base->rings[i] = (struct user_since){ newest.seq, newest.count + (ring.word & 0xffff), ring.discarded };
	}
	return true;
}

/* ------------------------------------------------------------------------ copying */

static bool write_at(int fd, const void *from, size_t bytes, uint64_t at)
{
	return pwrite(fd, from, bytes, at) == (ssize_t)bytes;
}

static bool not_written(const char *path, struct error *err)
{
	return error_set(err, STATUS_FAILURE, "%s: %s", path, strerror(errno));
}

static bool copy_part(const struct user_copy *copy, int to, const char *path, uint64_t at, uint64_t bytes, struct error *err)
{
	AUTO_FREE uint8_t *buf = mem_zalloc(1, KTU_SUBBUF_MAX);

	for (uint64_t done = 0; done < bytes;) {
		const size_t n = bytes - done < KTU_SUBBUF_MAX ? bytes - done : KTU_SUBBUF_MAX;

		if (!read_at(copy->fd, buf, n, at + done))
			return error_set(err, STATUS_FAILURE, "%s: its memory cannot be read", copy->file->path);
		if (!write_at(to, buf, n, at + done))
			return not_written(path, err);
		done += n;
	}
	return true;
}

/*
 * Copy a packet, with zeros behind its events: what is there is of events that are not in the ring any more.  newest: bytes of
 * the packet that is still being written; 0: the packet itself tells them.
 */
static bool copy_packet(const struct user_copy *copy, int to, const char *path, uint64_t at, uint64_t newest, struct error *err)
{
	const uint32_t bytes = copy->file->head.subbuf_bytes;
	AUTO_FREE struct ktu_packet *packet = mem_zalloc(1, bytes);
	uint64_t used;

	if (!read_at(copy->fd, packet, bytes, at))
		return error_set(err, STATUS_FAILURE, "%s: its memory cannot be read", copy->file->path);
	used = newest ? newest : packet->content_bits / 8;
	if (used < bytes)
		memset((uint8_t *)packet + used, 0, bytes - used);
	return write_at(to, packet, bytes, at) || not_written(path, err);
}

/* *gone: the ring has gone round meanwhile. */
static bool copy_packets(const struct user_copy *copy, int to, const char *path, uint32_t number, const struct ktu_ring *ring,
			 uint64_t last, bool *gone, struct error *err)
{
	const uint64_t nr = copy->file->head.nr_subbufs, first = last >= nr ? last - nr + 1 : 0;
	const uint64_t since = copy->base->rings ? copy->base->rings[number].packet : 0;
	const uint64_t filled = 4 * (ring->word >> 16 & 0xffff);
	struct ktu_ring again, out = *ring;
	uint64_t from = ring->oldest > first ? ring->oldest : first;

	from = since > from ? since : from;
	*gone = from > last;
	for (uint64_t packet = from; !*gone && packet <= last; packet++)
		if (!copy_packet(copy, to, path, packet_at(copy->file, number, packet), packet == last ? filled : 0, err))
			return false;
	if (*gone)
		return true;
	if (!read_at(copy->fd, &again, sizeof(again), ring_at(copy->file, number)))
		return too_fast(copy->file, number, err);
	/* Pairs with the order in which the writer raises `oldest` and then overwrites. */
	out.oldest = again.oldest > from ? again.oldest : from;
	out.used = 1;
	out.skip = copy->base->rings ? copy->base->rings[number].count : 0;
	out.discarded -= copy->base->rings ? copy->base->rings[number].discarded : 0;
	*gone = out.oldest > last;
	return *gone || write_at(to, &out, sizeof(out), ring_at(copy->file, number)) || not_written(path, err);
}

static bool copy_ring(const struct user_copy *copy, int to, const char *path, uint32_t number, struct error *err)
{
	struct ktu_packet newest;
	struct ktu_ring ring;
	bool gone = true;

	for (int tries = 0; gone && tries < USER_TRIES; tries++) {
		if (!read_newest(copy->file, copy->fd, number, &ring, &newest, err))
			return false;
		if (!ring.used)
			return true;
		if (!copy_packets(copy, to, path, number, &ring, newest.seq, &gone, err))
			return false;
	}
	return !gone || too_fast(copy->file, number, err);
}

/* Behind the rings, so that each event has its description. */
static bool copy_descs(const struct user_copy *copy, int to, const char *path, struct ktu_file *head, struct error *err)
{
	const struct ktu_file *now = (const struct ktu_file *)copy->file->map;
	const uint64_t used = __atomic_load_n(&now->desc_used, __ATOMIC_ACQUIRE);

	head->desc_used = used < head->desc_bytes ? used : head->desc_bytes;
	head->lost = __atomic_load_n(&now->lost, __ATOMIC_RELAXED) - copy->base->lost;
	return copy_part(copy, to, path, head->desc_off, head->desc_used, err);
}

static void read_boot_id(char *to, size_t size)
{
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	to[strcspn(to, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static struct ktu_file head_of(const struct user_copy *copy)
{
	struct ktu_file head = copy->file->head;
	struct utsname name;

	uname(&name);
	head.machine = arch_native.elf_machine;
	head.pid = copy->pid;
	read_boot_id(head.boot_id, sizeof(head.boot_id));
	snprintf(head.host, sizeof(head.host), "%s", name.nodename);
	snprintf(head.kernel, sizeof(head.kernel), "%s", name.release);
	snprintf(head.clock, sizeof(head.clock), "%s", arch_native.clock_source);
	head.newest_anchor = 1;
	head.anchors[0] = copy->anchors[0];
	head.anchors[1] = head.anchors[2] = copy->anchors[1];
	return head;
}

/*
 * libktrace gives a ring its memory before it uses it.  A ring that is said to be used, and has none, would be read and written
 * all the same: much work, and much of the disk, for a process that only claims something.
 */
static bool check_memory(const struct user_copy *copy, struct error *err)
{
	const struct user_file *file = copy->file;
	struct ktu_ring ring;
	uint64_t used = 0;
	struct stat st;

	for (uint32_t i = 0; i < user_file_rings(file); i++)
		if (read_at(copy->fd, &ring, sizeof(ring), ring_at(file, i)) && ring.used)
			used += file->head.ring_stride;
	if (!fstat(copy->fd, &st) && used <= 512ULL * st.st_blocks)
		return true;
	return error_set(err, STATUS_FAILURE, "%s: damaged: rings that have no memory", file->path);
}

static bool write_all(const struct user_copy *copy, int to, const char *path, struct error *err)
{
	struct ktu_file head = head_of(copy);

	if (!check_memory(copy, err))
		return false;
	if (ftruncate(to, ring_at(copy->file, user_file_rings(copy->file))))
		return not_written(path, err);
	for (uint32_t i = 0; i < user_file_rings(copy->file); i++)
		if (!copy_ring(copy, to, path, i, err))
			return false;
	return copy_descs(copy, to, path, &head, err) && (write_at(to, &head, sizeof(head), 0) || not_written(path, err));
}

/* ------------------------------------------------------------------------ reading it once */

/* All events: what the process has forged must not make the other files of the directory unreadable. */
static bool count_ring(const struct user_file *file, uint32_t number, uint64_t *events, uint64_t *lost, struct error *err)
{
	struct user_ring ring;
	bool more = true, ok = user_ring_begin(&ring, file, number, err);

	while (ok && more) {
		ok = user_ring_next(&ring, &more, err);
		*events += ok && more;
		*lost += ok ? ring.lost : 0;
	}
	user_ring_end(&ring);
	return ok;
}

static bool count_all(const char *path, uint64_t *events, uint64_t *lost, struct error *err)
{
	struct user_file *file = user_file_open(path, err);
	bool ok = file;

	*events = 0;
	*lost = file ? file->head.lost & INT32_MAX : 0;
	for (uint32_t i = 0; ok && i < user_file_rings(file); i++)
		ok = count_ring(file, i, events, lost, err);
	user_file_close(file);
	return ok;
}

/* ------------------------------------------------------------------------ the file */

/* NULL: errno is set.  The caller frees it. */
static char *create(const struct user_copy *copy, const char *dir, int *fd)
{
	char program[sizeof(copy->file->head.program)];
	char *path = NULL;

	snprintf(program, sizeof(program), "%s", copy->file->head.program);
	for (char *at = program; *at; at++)
		if (*at == '/' || *at == ' ')
			*at = '_';
	*fd = -1;
	for (int n = 1; *fd < 0 && n < NAMES && (n == 1 || errno == EEXIST); n++) {
		AUTO_FREE char *again = n > 1 ? mem_printf("-%d", n) : mem_strdup("");

		free(path);
		path = mem_printf("%s/%s.%d%s" USER_FILE_SUFFIX, dir, program, copy->pid, again);
		*fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	return path;
}

bool user_copy_write(const struct user_copy *copy, const char *dir, uint64_t *events, uint64_t *lost, struct error *err)
{
	int fd;
	AUTO_FREE char *path = create(copy, dir, &fd);
	bool ok;

	if (fd < 0)
		return not_written(path, err);
	ok = write_all(copy, fd, path, err);
	close(fd);
	ok = ok && count_all(path, events, lost, err);
	if (!ok)
		unlink(path);
	return ok;
}
