/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - the rings' memory, one ring for each possible CPU, mapped
 * read-only into controllers; and what the hit path keeps per CPU.
 */
#ifndef KTRACE_BUFFER_H
#define KTRACE_BUFFER_H

#include <linux/percpu.h>

#include "core/call.h"
#include "core/ktrace_abi.h"
#include "core/ring.h"

struct vm_area_struct;

/* Hits nested in hits: task, softirq, interrupt, NMI. */
#define KT_MAX_NEST	4

/* In kt_cpu.nest: hits are turned away, see brake.h.  It stands in the word that each hit tests anyway. */
#define KT_NEST_BRAKED	(1U << 31)

struct kt_cpu {
	struct kt_ring ring;
	struct kt_ring_area *area;	/* the pages that hold its packets; ring.ctl has one of its own */
	u64 no_room;			/* records that the ring discarded */
	u64 traps;			/* breakpoints, and what costs as much */
	u32 nest;			/* hits in progress on this CPU, and KT_NEST_BRAKED while there is none */
	u32 context[KT_MAX_NEST];	/* preempt_count() bits inside each of them */
	struct kt_call call[KT_MAX_NEST];
	u64 faults;			/* loads that failed */
	u64 spent;			/* ticks that dear hits took */
	u64 spent_most;			/* more turns the next hits away */
	u64 excused;			/* ticks of calibration */
};

DECLARE_PER_CPU(struct kt_cpu, kt_cpus);

/*
 * A ring of `bytes`, rounded up to a power of two, for each possible CPU: one that comes up later
 * has its ring, and that of one that goes down stays readable.  -ENOMEM, -EINVAL.  Sleepable.
 */
int kt_buffer_init(u64 bytes, enum kt_mode mode);
void kt_buffer_exit(void);

/* KT_IOC_BUFFER: -EINVAL, -EOPNOTSUPP, -ENOMEM, -EINTR.  Sleepable. */
int kt_buffer_change(struct kt_buffer *arg);

/* The geometry part of KT_IOC_HELLO. */
void kt_buffer_describe(struct kt_hello *hello);

int kt_buffer_mmap(struct vm_area_struct *vma);

/* Records taken and discarded, over all CPUs; grows only. */
u64 kt_buffer_total(void);

/* The most packets of any CPU that are complete and not yet seen.  Any context. */
u64 kt_buffer_backlog(void);

/* Counters of one CPU.  The seen lock is taken: sleepable. */
void kt_buffer_status(unsigned int cpu, struct kt_cpu_status *out);

/* KT_IOC_SEEN: -EINVAL, -ESTALE, -EFAULT, -ENOMEM.  Sleepable. */
int kt_buffer_seen(struct kt_seen *arg);

/* The newest packet of a CPU / the oldest packet that a reader may still want to parse: sleepable. */
u64 kt_buffer_newest(unsigned int cpu);
u64 kt_buffer_oldest_wanted(unsigned int cpu);

#endif
