/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local_ops.h - for the ring in user space: read-modify-write that is atomic on its own CPU only, and the
 * clock.  The CPU has only operations that are atomic across CPUs; without memory order they cost little more.
 */
#ifndef KTRACE_LOCAL_OPS_H
#define KTRACE_LOCAL_OPS_H

#include <linux/types.h>

/* The compiler must keep the order of local operations. */
#define kt_compiler_barrier()	__asm__ __volatile__("" : : : "memory")

static inline __u64 kt_cmpxchg_local(__u64 *p, __u64 old, __u64 new)
{
	kt_compiler_barrier();
	__atomic_compare_exchange_n(p, &old, new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	kt_compiler_barrier();
	return old;
}

static inline void kt_add_local(__u64 *p, __u64 v)
{
	kt_compiler_barrier();
	__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
	kt_compiler_barrier();
}

static inline void kt_relax(void)
{
	__asm__ __volatile__("yield" : : : "memory");
}

#ifndef KT_CLOCK_READ
static inline __u64 kt_clock_read(void)
{
	__u64 ticks;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}
#else
__u64 kt_clock_read(void);	/* the test defines it */
#endif

#define kt_clock_is_raw()	1
#define kt_clock_raw_read()	kt_clock_read()

#endif
