/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffer.h - the trace rings and the per-CPU data of the hit path.
 *
 * A set of rings (struct kt_rings) has one ring for each possible CPU; clients map them read-only.  Tracepoints record
 * into the rings of their client: all clients share kt_prompt_rings, unless they have made rings of their own for a
 * recording (recordings.h).  Each set has its own size, mode, seen positions and recording state.
 */
#ifndef KTRACE_BUFFER_H
#define KTRACE_BUFFER_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/percpu.h>

#include "core/call.h"
#include "core/ktrace_abi.h"
#include "core/ring.h"

struct vm_area_struct;

/* Hits nest at most so deep: in a task, a softirq, an interrupt and an NMI. */
#define KT_MAX_NEST	4

/* In kt_cpu.nest: the brake turns hits away (brake.h).  Each hit tests this word anyway, so the flag costs nothing. */
#define KT_NEST_BRAKED	(1U << 31)

/* One ring of a set. */
struct kt_ring_cpu {
	struct kt_ring ring;
	struct kt_rings *rings;		/* the set that it belongs to */
	struct kt_ring_area *area;	/* the pages that hold its packets; ring.ctl has a page of its own */
	u64 no_room;			/* records that the ring discarded */
};

/* The layout of a ring's memory, in bytes. */
struct kt_geometry {
	u32 sub_bytes;
	u32 nr_subbufs;
	u32 data_off;		/* offset of the first sub-buffer in the area */
	u32 area_bytes;
};

/* Room for the records of varying length that a CPU is making, one for each nested hit. */
struct kt_drafts {
	u8 of[KT_MAX_NEST][KT_MAX_PAYLOAD] __aligned(8);
};

#define KT_WAKE_NOBODY	U32_MAX

struct kt_rings {
	/* Read by hits. */
	struct kt_ring_cpu __percpu *cpu;
	struct kt_drafts __percpu *drafts;	/* NULL: narrow rings, whose records do not vary in length */
	atomic64_t recording;	/* see recording.h */
	bool wake_next;		/* wake readers at the next record */
	/* Of the hit that froze recording, or 0 and the time of the command; of the hit that began to count down (LATEFREEZE). */
	u32 frozen_by, late_by;	/* ids of descriptors */
	u64 frozen_at;		/* ticks */
	u32 wake_mark;		/* wake readers once a CPU has this many unread packets; KT_WAKE_NOBODY: nobody waits */

	/*
	 * Hold this lock to read the seen position, or anything of a ring besides its ctl.  mmap() takes it, so do not
	 * touch user memory under it.
	 */
	struct mutex lock;
	struct mutex change_lock;	/* one change of the size or mode at a time; outside of lock */
	struct kt_geometry geometry;	/* the same for all rings of the set; under lock */
	enum kt_mode mode;
	bool wide;		/* which of the two forms of abi_ring.h the events have; never changes */
	u8 uuid[16];
	struct kref users;		/* the client, and each descriptor that records there */
	bool closed;			/* its client is gone: nobody reads these rings any more */
	u64 round;			/* kmod/table/window.c: of the newest record of a window; under the text lock */
};

struct kt_user_stack;

struct kt_cpu {
	struct kt_ring_cpu prompt;	/* of kt_prompt_rings, for the hits that have no time to look for others */
	u64 traps;			/* breakpoints, and hits that cost as much as one */
	/* `busy`, both halves in one: 0 while the CPU is in no hit that has to know of others. */
	union {
		struct {
			u32 nest;	/* hits in progress on this CPU; none while KT_NEST_BRAKED is set */
			u32 loads_at;	/* generated code that does not count in `nest` reads memory: low half of its stack pointer */
		};
		u64 busy;
	};
	u32 context[KT_MAX_NEST];	/* preempt_count() inside each hit in progress; the bits of CONTEXT_BITS count */
	bool failed;			/* a load of generated code failed: the code has to give up */
	struct kt_call call[KT_MAX_NEST];	/* for each hit in progress: the call that it closes */
	u64 faults;			/* loads that failed */
	u64 spent;			/* ticks that dear hits took (KT_DESC_DEAR) */
	u64 spent_most;			/* when `spent` exceeds this, the brake turns the next hits away */
	u64 excused;			/* ticks of calibration; the brake does not count them */
	u64 others;			/* hits of recordings, which are not in the counters of prompt.ring */
	u64 others_braked;		/* those of them that the brake turned away */
	const struct kt_user_stack *user_stack;	/* of the uprobe's hit in progress; NULL: there is none */
};

DECLARE_PER_CPU(struct kt_cpu, kt_cpus);

/* The rings of all clients that have none of their own. */
extern struct kt_rings kt_prompt_rings;

/*
 * Allocate a ring of `bytes`, rounded up to a power of two, for each possible CPU: a CPU that comes up later has
 * its ring already, and the ring of a CPU that goes down stays readable.  -ENOMEM, -EINVAL.  Sleepable.
 */
int kt_buffer_init(u64 bytes, enum kt_mode mode);
void kt_buffer_exit(void);

/* The same for rings of their own, with one reference.  -EINVAL, -ENOMEM as an error pointer.  Sleepable. */
struct kt_rings *kt_rings_create(u64 bytes, enum kt_mode mode, bool wide);
void kt_rings_get(struct kt_rings *rings);
/* The last reference frees them.  No hit can record there any more.  Sleepable. */
void kt_rings_put(struct kt_rings *rings);

/* KT_IOC_BUFFER: change size or mode while hits go on.  -EINVAL, -EOPNOTSUPP, -ENOMEM, -EINTR.  Sleepable. */
int kt_buffer_change(struct kt_rings *rings, struct kt_buffer *arg);

/* Fill in the geometry of the rings for KT_IOC_HELLO.  Sleepable. */
void kt_buffer_describe(struct kt_rings *rings, struct kt_hello *hello);

/* Map one ring.  -EINVAL: no such CPU, or not the current size; -EPERM: writable or executable.  Sleepable. */
int kt_buffer_mmap(struct kt_rings *rings, struct vm_area_struct *vma);

/* Records taken and discarded, over all CPUs.  Never decreases. */
u64 kt_buffer_total(const struct kt_rings *rings);

/* The two figures of that, apart. */
void kt_buffer_sums(const struct kt_rings *rings, u64 *recorded, u64 *discarded);

/* Unread complete packets of the CPU that has most of them.  Any context. */
u64 kt_buffer_backlog(const struct kt_rings *rings);

/* Counters of one CPU.  Takes the lock of the rings: sleepable. */
void kt_buffer_status(struct kt_rings *rings, unsigned int cpu, struct kt_cpu_status *out);

/* KT_IOC_SEEN: move the seen position.  -EINVAL, -EOPNOTSUPP, -ESTALE, -EFAULT, -ENOMEM.  Sleepable. */
int kt_buffer_seen(struct kt_rings *rings, struct kt_seen *arg);

/* Number of the newest packet of a CPU. */
u64 kt_buffer_newest(const struct kt_rings *rings, unsigned int cpu);
/* Number of the oldest packet that a reader may still parse.  Takes the lock of the rings: sleepable. */
u64 kt_buffer_oldest_wanted(struct kt_rings *rings, unsigned int cpu);

#endif
