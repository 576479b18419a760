/* SPDX-License-Identifier: GPL-2.0-only */
/* buffer_int.h - declarations that only buffer.c and resize.c use. */
#ifndef KTRACE_BUFFER_INT_H
#define KTRACE_BUFFER_INT_H

#include "kmod/records/buffer.h"

static inline struct kt_ring *kt_ring_of(const struct kt_rings *rings, unsigned int cpu)
{
	return &per_cpu_ptr(rings->cpu, cpu)->ring;
}

/* The default sub-buffer size for a ring of so many bytes; both are powers of two. */
u32 kt_subbuf_for(u32 bytes, bool wide);
/* The layout of a ring of `bytes` with sub-buffers of sub_bytes. */
struct kt_geometry kt_geometry_for(u32 bytes, u32 sub_bytes);

/* Allocate a zeroed area.  NULL: see kt_memory_alloc().  Free it with vfree().  Sleepable. */
struct kt_ring_area *kt_area_alloc(const struct kt_geometry *g, u64 generation, size_t freed);

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
