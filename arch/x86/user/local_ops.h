/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * local_ops.h - for the ring in user space: read-modify-write that is atomic on its own CPU only, and the
 * clock.
 */
#ifndef KTRACE_LOCAL_OPS_H
#define KTRACE_LOCAL_OPS_H

#include <linux/types.h>

static inline __u64 kt_cmpxchg_local(__u64 *p, __u64 old, __u64 new)
{
	__u64 was;

	__asm__ __volatile__("cmpxchgq %2, %1"
			     : "=a"(was), "+m"(*p)
			     : "r"(new), "0"(old)
			     : "memory", "cc");
	return was;
}

static inline void kt_add_local(__u64 *p, __u64 v)
{
	__asm__ __volatile__("addq %1, %0" : "+m"(*p) : "er"(v) : "memory", "cc");
}

static inline void kt_relax(void)
{
	__builtin_ia32_pause();
}

#ifndef KT_CLOCK_READ
static inline __u64 kt_clock_read(void)
{
	return __builtin_ia32_rdtsc();
}
#else
__u64 kt_clock_read(void);	/* the test defines it */
#endif

#define kt_clock_is_raw()	1
#define kt_clock_raw_read()	kt_clock_read()

#endif
