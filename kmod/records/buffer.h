/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - the trace rings and the per-CPU data of the hit path.  Each possible CPU has one ring; controllers map
 * it read-only.
 */
#ifndef KTRACE_BUFFER_H
#define KTRACE_BUFFER_H

#include <linux/percpu.h>

#include "core/call.h"
#include "core/ktrace_abi.h"
#include "core/ring.h"

struct vm_area_struct;

/* Hits nest at most so deep: in a task, a softirq, an interrupt and an NMI. */
#define KT_MAX_NEST	4

/* In kt_cpu.nest: the brake turns hits away (brake.h).  Each hit tests this word anyway, so the flag is free. */
#define KT_NEST_BRAKED	(1U << 31)

struct kt_cpu {
	struct kt_ring ring;
	struct kt_ring_area *area;	/* the pages that hold its packets; ring.ctl has a page of its own */
	u64 no_room;			/* records that the ring discarded */
	u64 traps;			/* breakpoints, and hits that cost as much as one */
	u32 nest;			/* hits in progress on this CPU; none while KT_NEST_BRAKED is set */
	u32 context[KT_MAX_NEST];	/* preempt_count() bits inside each hit in progress */
	struct kt_call call[KT_MAX_NEST];	/* for each hit in progress: the call that it closes */
	u64 faults;			/* loads that failed */
	u64 spent;			/* ticks that dear hits took (KT_DESC_DEAR) */
	u64 spent_most;			/* when `spent` exceeds this, the brake turns the next hits away */
	u64 excused;			/* ticks of calibration; the brake does not count them */
};

DECLARE_PER_CPU(struct kt_cpu, kt_cpus);

/*
 * Allocate a ring of `bytes`, rounded up to a power of two, for each possible CPU: a CPU that comes up later has
 * its ring already, and the ring of a CPU that goes down stays readable.  -ENOMEM, -EINVAL.  Sleepable.
 */
int kt_buffer_init(u64 bytes, enum kt_mode mode);
void kt_buffer_exit(void);

/* KT_IOC_BUFFER: change size or mode while hits go on.  -EINVAL, -EOPNOTSUPP, -ENOMEM, -EINTR.  Sleepable. */
int kt_buffer_change(struct kt_buffer *arg);

/* Fill in the geometry of the rings for KT_IOC_HELLO.  Sleepable. */
void kt_buffer_describe(struct kt_hello *hello);

/* Map one ring.  -EINVAL: no such CPU, or not the current size; -EPERM: writable or executable.  Sleepable. */
int kt_buffer_mmap(struct vm_area_struct *vma);

/* Records taken and discarded, over all CPUs.  Never decreases. */
u64 kt_buffer_total(void);

/* Unread complete packets of the CPU that has most of them.  Any context. */
u64 kt_buffer_backlog(void);

/* Counters of one CPU.  Takes kt_buffer_lock: sleepable. */
void kt_buffer_status(unsigned int cpu, struct kt_cpu_status *out);

/* KT_IOC_SEEN: move the seen position.  -EINVAL, -EOPNOTSUPP, -ESTALE, -EFAULT, -ENOMEM.  Sleepable. */
int kt_buffer_seen(struct kt_seen *arg);

/* Number of the newest packet of a CPU. */
u64 kt_buffer_newest(unsigned int cpu);
/* Number of the oldest packet that a reader may still parse.  Takes kt_buffer_lock: sleepable. */
u64 kt_buffer_oldest_wanted(unsigned int cpu);

#endif
