/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * percpu_arch.h - read and change a variable of this CPU in a hit.  Atomic against whatever interrupts the hit, NMIs too.
 *
 * Context: unable to migrate.  The kernel's this_cpu_add() and the like hold off preemption, and a preemptible kernel then
 * asks whether to schedule: that takes time, and preempt_schedule_notrace(), which it calls, may have a tracepoint.
 */
#ifndef KTRACE_PERCPU_ARCH_H
#define KTRACE_PERCPU_ARCH_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/percpu.h>

#define kt_cpu_read(var)	READ_ONCE(*raw_cpu_ptr(&(var)))
#define kt_cpu_write(var, v)	WRITE_ONCE(*raw_cpu_ptr(&(var)), v)
#define kt_cpu_add(var, n)	kt_add_at(raw_cpu_ptr(&(var)), sizeof(var), n)
#define kt_cpu_inc(var)		kt_cpu_add(var, 1)
#define kt_cpu_dec(var)		kt_cpu_add(var, -1)
#define kt_cpu_or(var, bits)	atomic_or(bits, kt_word_at(raw_cpu_ptr(&(var)), sizeof(var)))
#define kt_cpu_and(var, bits)	atomic_and(bits, kt_word_at(raw_cpu_ptr(&(var)), sizeof(var)))

/* Both kinds of atomic_t are a struct around one number. */
static __always_inline atomic_t *kt_word_at(void *at, size_t bytes)
{
	BUILD_BUG_ON(bytes != sizeof(atomic_t));
	return at;
}

static __always_inline void kt_add_at(void *at, size_t bytes, u64 n)
{
	BUILD_BUG_ON(bytes != sizeof(atomic_t) && bytes != sizeof(atomic64_t));
	if (bytes == sizeof(atomic64_t))
		atomic64_add(n, at);
	else
		atomic_add(n, at);
}

#endif
