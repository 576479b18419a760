// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl_map.c - mmap of the rings, and operations on mappings. See ioctl.h. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "ioctl.h"

static sigjmp_buf back;

static void bad_access(int number)
{
	siglongjmp(back, number);
}

/* A read of mapped memory must work, or end in a signal. */
static void look(const struct map *map, uint64_t at)
{
	volatile const uint8_t *p = map->at;

	signal(SIGSEGV, bad_access);
	signal(SIGBUS, bad_access);
	if (sigsetjmp(back, 1) == 0)
		(void)p[at % map->len];
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
}

/* The present size: other processes change it all the time. */
static uint64_t ring_bytes(const struct fuzzer *f, int fd)
{
	struct kt_buffer buffer = { .size = sizeof(buffer) };

	return ioctl(fd, KT_IOC_BUFFER, &buffer) == 0 ? buffer.ring_bytes : f->world->hello.ring_bytes;
}

static void drop(struct map *map)
{
	if (map->at)
		munmap(map->at, map->len);
	*map = (struct map){ 0 };
}

static void map_one(struct fuzzer *f, struct map *map)
{
	static const int prots[] = { PROT_READ, PROT_READ, PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC };
	const struct kt_hello *hello = &f->world->hello;
	int prot = prots[roll(f, 6)], fd = f->fds[roll(f, NR_FDS)];
	int flags = one_in(f, 8) ? MAP_PRIVATE : MAP_SHARED;
	uint64_t offset = roll(f, hello->nr_cpus + 1) * hello->ring_stride;
	size_t len = one_in(f, 4) ? odd_number(f) % (4 * hello->ring_bytes) + 1 : ring_bytes(f, fd);

	if (one_in(f, 6))
		offset = odd_number(f) & ~4095ULL;
	drop(map);
	map->at = mmap(NULL, len, prot, flags | (one_in(f, 4) ? MAP_POPULATE : 0), fd, offset);
	map->len = len;
	f->mapped += map->at != MAP_FAILED;
	if (map->at == MAP_FAILED) {
		map->at = NULL;
		return;
	}
	if (prot & (PROT_WRITE | PROT_EXEC))
		die("a ring was mapped with protection %#x", prot);
	/* Keep only whole readable rings: make_seen() reads their head. */
	if (prot != PROT_READ || len < sizeof(struct kt_ring_ctl))
		drop(map);
}

static void change_one(struct fuzzer *f, struct map *map)
{
	uint64_t what = roll(f, 6);

	if (!map->at)
		return;
	if (what == 0 && mprotect(map->at, map->len, PROT_READ | PROT_WRITE) == 0)
		die("a ring became writable");
	if (what == 1 && mprotect(map->at, map->len, PROT_READ | PROT_EXEC) == 0)
		die("a ring became executable");
	if (what == 2)
		look(map, rng_next(&f->rng));
	if (what == 3 && mremap(map->at, map->len, 2 * map->len + 4096, MREMAP_MAYMOVE) != MAP_FAILED)
		die("a ring's mapping grew");
	if (what == 4) {
		madvise(map->at, map->len, roll(f, 26));
		look(map, rng_next(&f->rng));
	}
	/* Some advice makes the pages disappear. */
	if (what >= 4)
		drop(map);
}

void fuzz_map(struct fuzzer *f)
{
	struct map *map = &f->maps[roll(f, NR_MAPS)];

	if (!map->at || one_in(f, 3))
		map_one(f, map);
	else
		change_one(f, map);
}
