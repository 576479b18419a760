/* SPDX-License-Identifier: GPL-2.0-only */
/* buffer_int.h - shared by buffer.c and resize.c only. */
#ifndef KTRACE_BUFFER_INT_H
#define KTRACE_BUFFER_INT_H

#include <linux/mutex.h>

#include "kmod/records/buffer.h"

/* How the memory of every ring is divided. */
struct kt_geometry {
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 data_off;		/* of the first sub-buffer in the area */
	u32 area_bytes;
};

/*
 * Whoever reads more of a ring than its ctl, or the seen position, holds this lock: also
 * mmap(), so that no user memory is touched under it.
 */
extern struct mutex kt_buffer_lock;
extern struct kt_geometry kt_geometry;	/* of all rings; under kt_buffer_lock */
extern enum kt_mode kt_mode;

static inline struct kt_ring *kt_ring_of(unsigned int cpu)
{
	return &per_cpu_ptr(&kt_cpus, cpu)->ring;
}

/* The usual size of sub-buffers in a ring of so many bytes, both powers of two; and how it is divided. */
u32 kt_subbuf_for(u32 bytes);
struct kt_geometry kt_geometry_for(u32 bytes, u32 sub_bytes);

/* Zeroed; NULL without memory: nobody is killed for it.  Sleepable. */
struct kt_ring_area *kt_area_alloc(const struct kt_geometry *g, u64 generation);

static inline u64 *kt_area_commit(struct kt_ring_area *area)
{
	return (u64 *)(area + 1);
}

static inline u8 *kt_area_data(struct kt_ring_area *area, const struct kt_geometry *g)
{
	return (u8 *)area + g->data_off;
}

/* The oldest packet that is there. */
u64 kt_ring_oldest(const struct kt_ring *ring, u64 newest);

#endif
