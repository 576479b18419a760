/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * env.h - the environment of core/: the kernel, or user space (the controller, unit tests, user-level tracing).
 *
 * No other file of core/ depends on which of the two it is.
 *
 * "Local" operations are atomic only against interrupts, NMIs and signals on the same CPU (or thread).  They do
 * not lock the bus where the CPU can do without.
 */
#ifndef KTRACE_ENV_H
#define KTRACE_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/local64.h>

#include "kmod/base/clock.h"

struct kt_ring;
void kt_wake_moved(const struct kt_ring *ring);	/* kmod/hit/wake.h */

/* The environment of the capture interpreter: kt_load(), kt_current(), registers. */
#define KT_CAPTURE_ENV			"kmod/records/capture_env.h"

#define kt_cmpxchg(p, old, new)		cmpxchg(p, old, new)
#define kt_store_release(p, v)		smp_store_release(p, v)
#define kt_load_acquire(p)		smp_load_acquire(p)
#define kt_cmpxchg_local(p, old, new)	cmpxchg_local(p, old, new)
/* local64_t is a struct around one 64-bit word on every 64-bit machine. */
#define kt_add_local(p, v)		local64_add(v, (local64_t *)(p))
#define kt_add_return_local(p, v)	((u64)local64_add_return(v, (local64_t *)(p)))
#define kt_smp_wmb()			smp_wmb()
#define kt_smp_rmb()			smp_rmb()
#define kt_irq_save(flags)		raw_local_irq_save(flags)
#define kt_irq_restore(flags)		raw_local_irq_restore(flags)
#define kt_relax()			cpu_relax()
/* A writer has begun another packet. */
#define kt_ring_moved(ring)		kt_wake_moved(ring)
#define kt_noinline			noinline

#else

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

#include "local_ops.h"	/* of the architecture: kt_cmpxchg_local, kt_add_local, kt_relax, the clock */

#define KT_CAPTURE_ENV	"core/capture_user.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* Volatile, as in the kernel: the compiler keeps the order of these accesses and of clock reads. */
#define READ_ONCE(x)		__atomic_load_n((const volatile __typeof__(x) *)&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n((volatile __typeof__(x) *)&(x), v, __ATOMIC_RELAXED)
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#define kt_noinline	__attribute__((__noinline__))
/* In the kernel this protects a function from kprobes; user space needs no such protection. */
#define NOKPROBE_SYMBOL(name)	struct kt_nothing
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" ::: "memory")
#define kt_cmpxchg(p, old, new)		__sync_val_compare_and_swap(p, old, new)
#define kt_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kt_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kt_add_return_local(p, v)	__atomic_add_fetch(p, v, __ATOMIC_RELAXED)
#define kt_smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define kt_smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
/*
 * User space does not mask signals: a handler that interrupts an exchange of sub-buffers is refused and
 * counted.
 */
#define kt_irq_save(flags)	((flags) = 0)
#define kt_irq_restore(flags)	((void)(flags))
#define kt_ring_moved(ring)	((void)(ring))

#endif

/* Four bytes in a packet: the events of a wide ring begin at any even address, what is in them at any address. */
typedef u32 __attribute__((aligned(1), may_alias)) kt_item;
/* Two bytes there. */
typedef u16 __attribute__((aligned(1), may_alias)) kt_item2;

/* A local variable that nobody reads before it is written: kernels would clear it first, which takes long for a buffer. */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define KT_UNINITIALIZED	__attribute__((uninitialized))
#endif
#endif
#ifndef KT_UNINITIALIZED
#define KT_UNINITIALIZED
#endif

/* Unit tests define this to interrupt writers and readers between any two accesses. */
#ifndef KT_STEP
#define KT_STEP()		do { } while (0)
#endif

#endif
