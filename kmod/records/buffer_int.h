/* SPDX-License-Identifier: GPL-2.0-only */
/* buffer_int.h - declarations that only buffer.c and resize.c use. */
#ifndef KTRACE_BUFFER_INT_H
#define KTRACE_BUFFER_INT_H

#include <linux/mutex.h>

#include "kmod/records/buffer.h"

/* The layout of a ring's memory, in bytes.  The same for all rings. */
struct kt_geometry {
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 data_off;		/* offset of the first sub-buffer in the area */
	u32 area_bytes;
};

/*
 * Hold this lock to read the seen position, or anything of a ring besides its ctl.  mmap() takes it, so do not touch
 * user memory under it.
 */
extern struct mutex kt_buffer_lock;
extern struct kt_geometry kt_geometry;	/* under kt_buffer_lock */
extern enum kt_mode kt_mode;

static inline struct kt_ring *kt_ring_of(unsigned int cpu)
{
	return &per_cpu_ptr(&kt_cpus, cpu)->ring;
}

/* The default sub-buffer size for a ring of so many bytes; both are powers of two. */
u32 kt_subbuf_for(u32 bytes);
/* The layout of a ring of `bytes` with sub-buffers of sub_bytes. */
struct kt_geometry kt_geometry_for(u32 bytes, u32 sub_bytes);

/* Allocate a zeroed area.  NULL: no memory; the OOM killer is not invoked.  Free it with vfree().  Sleepable. */
struct kt_ring_area *kt_area_alloc(const struct kt_geometry *g, u64 generation);

static inline u64 *kt_area_commit(struct kt_ring_area *area)
{
	return (u64 *)(area + 1);
}

static inline u8 *kt_area_data(struct kt_ring_area *area, const struct kt_geometry *g)
{
	return (u8 *)area + g->data_off;
}

/* Number of the oldest packet that the ring still holds, when its newest packet is `newest`. */
u64 kt_ring_oldest(const struct kt_ring *ring, u64 newest);

#endif
