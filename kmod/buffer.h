/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - the rings' memory, one ring for each possible CPU, mapped
 * read-only into controllers; and what the hit path keeps per CPU.
 */
#ifndef KTRACE_BUFFER_H
#define KTRACE_BUFFER_H

#include <linux/percpu.h>

#include "ktrace_abi.h"
#include "ring.h"

struct vm_area_struct;

/* Hits nested in hits: task, softirq, interrupt, NMI. */
#define KT_MAX_NEST	4

struct kt_cpu {
	struct kt_ring ring;
	u64 no_room;			/* records that the ring discarded */
	u32 nest;			/* hits in progress on this CPU */
	u32 context[KT_MAX_NEST];	/* preempt_count() bits inside each of them */
};

DECLARE_PER_CPU(struct kt_cpu, kt_cpus);

/*
 * ring_kb for each possible CPU, rounded up to a power of two.  -ENOMEM,
 * -EINVAL.  Sleepable.
 */
int kt_buffer_init(unsigned int ring_kb);
void kt_buffer_exit(void);

/* The geometry part of KT_IOC_HELLO. */
void kt_buffer_describe(struct kt_hello *hello);

int kt_buffer_mmap(struct vm_area_struct *vma);

/* Records taken and discarded, over all CPUs; grows only. */
u64 kt_buffer_total(void);

/* Counters of one CPU.  The seen lock is taken: sleepable. */
void kt_buffer_status(unsigned int cpu, struct kt_cpu_status *out);

/* KT_IOC_SEEN: -EINVAL, -ESTALE, -EFAULT, -ENOMEM.  Sleepable. */
int kt_buffer_seen(struct kt_seen *arg);

/* The newest packet of a CPU / the oldest packet that a reader may still want to parse. */
u64 kt_buffer_newest(unsigned int cpu);
u64 kt_buffer_oldest_wanted(unsigned int cpu);

#endif
