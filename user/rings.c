/* SPDX-License-Identifier: MIT */
/* rings.c - the file of a process, and its rings. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define NAMES		10000	/* processes with one name and number: exec() keeps the number */
#define POPULATE	(1024U << 20)	/* bytes of all rings together that get their memory at the start */

/* ------------------------------------------------------------------------ clock */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* The clocks must be read close together: take the closest of some tries. */
static struct ktu_anchor take_anchor(void)
{
	struct ktu_anchor best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		const uint64_t before = ktu_ticks(), real = clock_ns(CLOCK_REALTIME), mono = clock_ns(CLOCK_MONOTONIC),
			       after = ktu_ticks();

		if (after - before < least) {
			least = after - before;
			best = (struct ktu_anchor){ before + least / 2, real, mono };
		}
	}
	return best;
}

void ktu_anchor(void)
{
	struct ktu_file *file = ktu.file;
	uint64_t next;

	if (__atomic_exchange_n(&ktu.process->anchoring, 1, __ATOMIC_ACQUIRE))
		return;
	/* The other one stays valid, in case that the process is killed here. */
	next = file->newest_anchor % 2 + 1;
	file->anchors[next] = take_anchor();
	__atomic_store_n(&file->newest_anchor, next, __ATOMIC_RELEASE);
	__atomic_store_n(&ktu.process->anchoring, 0, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------ file */

static void read_line(const char *path, char *out, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* "prog.1234.rings"; if that is there, "prog.1234-2.rings". */
static int create(void)
{
	char program[64];
	int fd = -1;

	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	for (char *at = program; *at; at++)
		if (*at == '/' || (unsigned char)*at <= ' ' || *at == 0x7f)
			*at = '_';
	for (int n = 1; n < NAMES; n++) {
		char again[16] = "";

		if (n > 1)
			snprintf(again, sizeof(again), "-%d", n);
		snprintf(ktu.path, sizeof(ktu.path), "%s/%s.%d%s.rings", ktu.dir, program, getpid(), again);
		fd = open(ktu.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

static void fill_header(struct ktu_file *file)
{
	struct utsname name;

	*file = (struct ktu_file){
		.version = KTU_VERSION, .machine = KTU_MACHINE, .pid = getpid(), .parent = getppid(), .mode = ktu.mode,
		.subbuf_bytes = ktu.sub_bytes, .nr_subbufs = ktu.nr_subbufs, .nr_cpus = ktu.nr_cpus, .nr_slots = KTU_SLOTS,
		.restartable = ktu.restartable, .desc_off = KTU_PAGE, .desc_bytes = KTU_MAX_DESCS,
		.rings_off = KTU_PAGE + KTU_MAX_DESCS, .ring_stride = KTU_PAGE + (uint64_t)ktu.sub_bytes * ktu.nr_subbufs,
		.clock = KTU_CLOCK,
	};
	uname(&name);
	snprintf(file->host, sizeof(file->host), "%s", name.nodename);
	snprintf(file->kernel, sizeof(file->kernel), "%s", name.release);
	snprintf(file->program, sizeof(file->program), "%s", program_invocation_short_name);
	read_line("/proc/sys/kernel/random/boot_id", file->boot_id, sizeof(file->boot_id));
	file->anchors[0] = take_anchor();
}

/* A larger file would be answered by a signal. */
static bool is_allowed(size_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

/* Blocks of the disk for a part of the file: a store there must not fail later.  errno is set. */
static bool reserve(int fd, uint64_t at, uint64_t bytes)
{
	static const char zeros[KTU_PAGE];

	if (fallocate(fd, 0, at, bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP)
		return false;
	for (uint64_t done = 0; done < bytes; done += sizeof(zeros))
		if (pwrite(fd, zeros, sizeof(zeros), at + done) != sizeof(zeros))
			return false;
	return true;
}

static bool map_file(int fd)
{
	const uint64_t stride = KTU_PAGE + (uint64_t)ktu.sub_bytes * ktu.nr_subbufs;
	struct stat st;
	void *map;

	ktu.bytes = KTU_PAGE + KTU_MAX_DESCS + stride * (ktu.nr_cpus + KTU_SLOTS);
	if (!is_allowed(ktu.bytes))
		errno = EFBIG;
	else if (ftruncate(fd, ktu.bytes) == 0 && reserve(fd, 0, 2 * KTU_PAGE) && fstat(fd, &st) == 0 &&
		 (map = mmap(NULL, ktu.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0)) != MAP_FAILED) {
		ktu.file = map;
		ktu.device = st.st_dev;
		ktu.inode = st.st_ino;
		return true;
	}
	return false;
}

/* Returns what is wrong, or NULL. */
static const char *make_process(void)
{
	struct ktu_process *process = ktu.process;

	if (process)
		return NULL;
	process = mmap(NULL, sizeof(*process), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (process == MAP_FAILED)
		return "no memory";
	if (madvise(process, sizeof(*process), MADV_WIPEONFORK)) {
		munmap(process, sizeof(*process));
		return "this kernel is too old: Linux 4.14 is needed";
	}
	ktu.process = process;
	ktrace_lanes = process->lanes;
	return NULL;
}

/* Of this process, which may be a child. */
static void number_slots(void)
{
	for (uint32_t i = 0; i < KTU_SLOTS; i++)
		ktu.process->slots[i].number = ktu.nr_cpus + i;
}

/* The CPUs that the process may use have their rings from the start: so a lack of room is known then. */
static bool open_rings(void)
{
	cpu_set_t cpus;

	number_slots();
	if (!ktu.restartable)
		return ktu_lane_open(&ktu.process->slots[0], ktu.nr_cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return true;
	for (uint32_t cpu = 0; cpu < ktu.nr_cpus && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && !ktu_lane_open(&ktu.process->lanes[cpu], cpu))
			return false;
	return true;
}

bool ktu_file_make(void)
{
	const char *wrong = make_process();
	int fd, error;
	bool ok;

	if (wrong)
		return ktu_fail("%s", wrong);
	fd = create();
	if (fd < 0)
		return ktu_fail("%s: %s", ktu.dir, strerror(errno));
	ok = map_file(fd);
	error = errno;
	close(fd);
	if (ok) {
		fill_header(ktu.file);
		ok = open_rings();
		error = errno;
	}
	if (!ok) {
		unlink(ktu.path);
		return ktu_fail("%s: a buffer of %llu bytes for each CPU cannot be had: %s: see KTRACE_SIZE", ktu.path,
				(unsigned long long)ktu.sub_bytes * ktu.nr_subbufs, strerror(error));
	}
	__atomic_store_n(&ktu.file->magic, KTU_MAGIC, __ATOMIC_RELEASE);
	return true;
}

/* The controller reads it while this process does what it likes, so the seal protects the controller. */
int ktu_memory_make(void)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	const int fd = make_process() ? -1 : memfd_create("ktrace", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return fd;
	if (!map_file(fd)) {
		close(fd);
		return -1;
	}
	fill_header(ktu.file);
	number_slots();
	__atomic_store_n(&ktu.file->magic, KTU_MAGIC, __ATOMIC_RELEASE);
	if (fcntl(fd, F_ADD_SEALS, seals) == 0)
		return fd;
	munmap(ktu.file, ktu.bytes);
	close(fd);
	return -1;
}

/* ------------------------------------------------------------------------ rings */

/* No descriptor is kept: the program might close it, and use its number for another file. */
static int open_again(void)
{
	const int fd = open(ktu.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_dev == ktu.device && st.st_ino == ktu.inode))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

static void begin(struct ktu_lane *lane, struct ktu_ring *ring)
{
	const uint64_t now = ktu_ticks();

	*(struct ktu_packet *)lane->data = (struct ktu_packet){
		.magic = KTU_PACKET_MAGIC, .ts_begin = now, .packet_bits = 8 * lane->sub_bytes, .cpu = lane->number,
	};
	ring->last_ts = now;
	ring->word = sizeof(struct ktu_packet) / 4 << 16;
	__atomic_store_n(&ring->used, 1, __ATOMIC_RELEASE);
}

void ktu_lane_populate(struct ktu_lane *lane, uint32_t from, uint32_t to)
{
	const int before = errno;

	if (to > lane->mask + 1)
		to = lane->mask + 1;
#ifdef MADV_POPULATE_WRITE
	if (from < to)
		madvise(lane->data + from * lane->sub_bytes, (to - from) * lane->sub_bytes, MADV_POPULATE_WRITE);
#endif
	lane->populated = to;
	errno = before;
}

static bool reserve_in_file(uint64_t at, uint64_t bytes)
{
	const int fd = open_again();
	const bool ok = fd >= 0 && reserve(fd, at, bytes);

	if (fd >= 0)
		close(fd);
	return ok;
}

/*
 * The same for memory without a file.  Before Linux 5.14 let the kernel write to each page: it returns an error where it
 * would answer a store of ours by a signal.
 */
static bool reserve_memory(uint8_t *at, uint64_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
		return true;
	if (errno != EINVAL)
		return false;
#endif
	for (uint64_t done = 0; done < bytes; done += KTU_PAGE) {
		if (syscall(SYS_getcpu, at + done, NULL, NULL))
			return false;
		memset(at + done, 0, sizeof(unsigned int));
	}
	return true;
}

bool ktu_lane_open(struct ktu_lane *lane, uint32_t number)
{
	const uint64_t stride = KTU_PAGE + (uint64_t)ktu.sub_bytes * ktu.nr_subbufs;
	const uint64_t at = KTU_PAGE + KTU_MAX_DESCS + number * stride;
	struct ktu_ring *ring = (void *)((char *)ktu.file + at);
	const int before = errno;
	const bool ok = ktu.offered ? reserve_memory((uint8_t *)ring, stride) : reserve_in_file(at, stride);

	if (!ok) {
		lane->failed = true;
		return false;
	}
	lane->data = (uint8_t *)ring + KTU_PAGE;
	lane->sub_bytes = ktu.sub_bytes;
	lane->mask = ktu.nr_subbufs - 1;
	lane->sub_units = ktu.sub_bytes / 4;
	lane->last_unit = lane->sub_units - 1;
	lane->number = number;
	lane->tid = KTU_NOBODY;
	if (ktu.offered)
		lane->populated = ktu.nr_subbufs;
	else
		ktu_lane_populate(lane, 0, POPULATE / ktu.nr_cpus / ktu.sub_bytes);
	errno = before;
	begin(lane, ring);
	__atomic_store_n(&lane->ring, ring, __ATOMIC_RELEASE);
	return true;
}
