/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ring_env.h - the few primitives under ring.[ch], for the kernel and for
 * user space (unit tests, the controller, user-level tracing).
 *
 * "Local" operations are atomic against interrupts, NMIs and signals on the
 * same CPU (or thread) only: no bus is locked where the processor can do without.
 */
#ifndef KTRACE_RING_ENV_H
#define KTRACE_RING_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <asm/local64.h>

#include "kmod/base/clock.h"

#define kt_cmpxchg_local(p, old, new)	cmpxchg_local(p, old, new)
/* local64_t is a struct around one 64-bit word on every 64-bit machine. */
#define kt_add_local(p, v)		local64_add(v, (local64_t *)(p))
#define kt_smp_wmb()			smp_wmb()
#define kt_smp_rmb()			smp_rmb()
#define kt_irq_save(flags)		raw_local_irq_save(flags)
#define kt_irq_restore(flags)		raw_local_irq_restore(flags)
#define kt_relax()			cpu_relax()

#else

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

#include "local_ops.h"	/* of the architecture: kt_cmpxchg_local, kt_add_local, kt_relax, the clock */

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* Volatile, as in the kernel: the compiler keeps their order, and that of the clock among them. */
#define READ_ONCE(x)		__atomic_load_n((const volatile __typeof__(x) *)&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n((volatile __typeof__(x) *)&(x), v, __ATOMIC_RELAXED)
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" ::: "memory")
#define kt_smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define kt_smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* A signal handler that interrupts an exchange of sub-buffers is refused and counted. */
#define kt_irq_save(flags)	((flags) = 0)
#define kt_irq_restore(flags)	((void)(flags))

#endif

/* Unit tests define this to interrupt writers and readers between any two accesses. */
#ifndef KT_STEP
#define KT_STEP()		do { } while (0)
#endif

#endif
