// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_device.c - /dev/ktrace as the source of a reader.  See reader_int.h. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctl/reader_int.h"

static void *map(void *arg, uint32_t cpu, struct error *err)
{
	const struct device *dev = arg;
	void *mapping = mmap(NULL, dev->hello.ring_bytes, PROT_READ, MAP_SHARED, dev->fd,
			     (off_t)(cpu * dev->hello.ring_stride));

	if (mapping != MAP_FAILED)
		return mapping;
	if (errno != EINVAL)	/* EINVAL: a hole in the numbers of possible CPUs */
		error_set(err, STATUS_FAILURE,
			  "the ring of CPU %u cannot be mapped: %s: see the kernel log (dmesg)",
			  cpu, strerror(errno));
	return NULL;
}

static void unmap(void *arg, uint32_t cpu, void *mapping)
{
	const struct device *dev = arg;

	(void)cpu;
	munmap(mapping, dev->hello.ring_bytes);
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
 * Between reading the clock and taking its place in the ring a writer runs with interrupts
 * off, where RCU waits for it; this call waits for RCU.  Where the kernel
 * refuses it (nohz_full), only the printing order of two rounds can suffer.
 */
static void settle(void *arg)
{
	(void)arg;
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
