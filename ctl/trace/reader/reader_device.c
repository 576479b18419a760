// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_device.c - /dev/ktrace as the source of a reader.  See reader_int.h. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctl/trace/reader/reader_int.h"

#define MAX_TRIES	16	/* to map rings that are changing */

/* Has the mapping the geometry of hello?  The rings may have changed in between. */
static bool is_described(const struct kt_hello *hello, const void *mapping)
{
	const struct kt_ring_area *area =
		(const void *)((const uint8_t *)mapping + hello->off_area);

	return area->subbuf_bytes == hello->subbuf_bytes && area->nr_subbufs == hello->nr_subbufs;
}

/* MAP_FAILED with errno EAGAIN: the rings have changed. */
static void *map_as_described(const struct device *dev, uint32_t cpu)
{
	const struct kt_hello *hello = &dev->hello;
	void *mapping = mmap(NULL, hello->ring_bytes, PROT_READ, MAP_SHARED, dev->fd,
			     (off_t)(cpu * hello->ring_stride));

	if (mapping == MAP_FAILED)
		return mapping;
	/* A process that makes an index may outlive ktrace, and must not keep the device open. */
	madvise(mapping, hello->ring_bytes, MADV_DONTFORK);
	if (is_described(hello, mapping))
		return mapping;
	munmap(mapping, hello->ring_bytes);
	errno = EAGAIN;
	return MAP_FAILED;
}

static bool refresh(void *arg, struct error *err)
{
	struct kt_buffer buffer = { 0 };

	return device_buffer(arg, &buffer, err);
}

/*
 * mmap refuses a wrong length and a CPU that does not exist in the same way: read the length again to tell them
 * apart.
 */
static void *map(void *arg, uint32_t cpu, struct error *err)
{
	const struct device *dev = arg;
	void *mapping = map_as_described(dev, cpu);
	uint64_t bytes;

	for (int i = 0; mapping == MAP_FAILED && (errno == EAGAIN || errno == EINVAL); i++) {
		const int no = errno;

		bytes = dev->hello.ring_bytes;
		if (!refresh(arg, err))
			return NULL;
		if ((no == EINVAL && dev->hello.ring_bytes == bytes) || i == MAX_TRIES)
			return NULL;	/* the numbers of possible CPUs have a hole here */
		mapping = map_as_described(dev, cpu);
	}
	if (mapping != MAP_FAILED)
		return mapping;
	if (errno == EPERM)
		device_fail(err, "the records cannot be read", errno);
	else
		error_set(err, STATUS_FAILURE, "the ring of CPU %u cannot be mapped: %s: see the kernel log (dmesg)", cpu,
			  strerror(errno));
	return NULL;
}

static void unmap(void *arg, uint32_t cpu, void *mapping, size_t bytes)
{
	munmap(mapping, bytes);
}

static bool now(void *arg, uint64_t *ticks, struct error *err)
{
	struct kt_anchor *anchors;
	struct kt_clock clock;

	if (!device_clock(arg, &clock, &anchors, err))
		return false;
	free(anchors);
	*ticks = clock.now;
	return true;
}

/*
 * A writer has interrupts off from reading the clock until its record is reserved, and RCU waits for it.
 * membarrier(2) waits for RCU.  Where the kernel refuses it (nohz_full), only the printing order between two
 * rounds can suffer.
 */
static void settle(void *arg)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static bool desc(void *arg, uint32_t id, struct kt_desc_req **out, size_t *len, uint64_t *addr,
		 uint64_t *born, struct error *err)
{
	return device_desc(arg, id, out, len, addr, born, err);
}

static bool seen(void *arg, struct kt_seen_cpu *cpus, size_t nr, struct error *err)
{
	bool stale;

	return device_seen(arg, cpus, nr, &stale, err);
}

void reader_source_device(struct device *dev, struct reader_source *out)
{
	*out = (struct reader_source){
		.hello = &dev->hello,
		.map = map,
		.unmap = unmap,
		.refresh = refresh,
		.now = now,
		.settle = settle,
		.desc = desc,
		.seen = seen,
		.arg = dev,
	};
}

struct reader *reader_create(struct device *dev, struct error *err)
{
	struct reader_source source;

	reader_source_device(dev, &source);
	return reader_create_from(&source, err);
}
