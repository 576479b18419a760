/* SPDX-License-Identifier: MIT */
/* internal.h - what the files of libktrace share. */
#ifndef KTRACE_USER_INTERNAL_H
#define KTRACE_USER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "clock.h"
#include "file.h"
#include "ktrace/ktrace.h"
#include "sequences.h"

#define KTU_HIDDEN	__attribute__((visibility("hidden")))

/* struct rseq, as far as it is used. */
struct ktu_rseq {
	uint32_t cpu_start;	/* always the number of a CPU */
	uint32_t cpu;		/* the CPU; negative: not registered */
	uint64_t sequence;
	uint32_t rest[4];
};

/* What a thread has.  All is 0 at first. */
struct ktu_self {
	struct ktu_rseq none;	/* in place of the area of a C library that has none */
	uint32_t tid;		/* KTU_NO_TID: not known, or the thread is off */
	uint32_t off;		/* nesting of vfork() and its like: the thread records nothing */
	uint32_t slot;		/* the slot that it used last */
	bool makes_file;	/* of this process; or tries to */
	struct ktu_lane *lane;	/* of the CPU on which it wrote last */
	uint32_t generation;	/* ktu.generation when `tid` was asked for */
};

#define KTU_NO_TID	UINT32_MAX
/* No thread, also none whose id is not known yet. */
#define KTU_NOBODY	UINT64_MAX

/*
 * A ring as its writer sees it, for section.S.  The writer takes no address and no size from the file, which others may
 * have changed.
 *
 * While `tid` is that of a thread, the newest packet ends with an event of that thread, `packet` is where that packet is,
 * and `epoch` belongs to the time of that event.  All this becomes true before `tid` is stored, and `tid` is KTU_NOBODY
 * before it becomes false.
 */
struct ktu_lane {
	struct ktu_ring *ring;	/* NULL: not opened */
	uint8_t *data;
	uint64_t sub_bytes;
	uint64_t tid;		/* or KTU_NOBODY */
	uint32_t mask;		/* nr_subbufs - 1 */
	uint32_t sub_units;
	uint32_t number;	/* of the ring in the file */
	uint32_t epoch;		/* ktu_epoch() */
	uint8_t *packet;
	uint16_t last_unit;	/* sub_units - 1 */
	uint8_t taken;		/* somebody opens it; of a slot: somebody writes */
	uint8_t failed;		/* it cannot be opened */
	uint32_t populated;	/* sub-buffers that have their memory */
};

/* The bits of a time that the short header of an event lacks; the same ones come again after 2^56 ticks. */
static inline uint32_t ktu_epoch(uint64_t ts)
{
	return ts >> KTU_TS_BITS;
}

/*
 * Has this process, which may be a forked child, a file of its own?  KTU_OFFERED: it has one, and the module knows it, but
 * nothing has been recorded yet.
 */
enum ktu_life { KTU_NO_FILE, KTU_MAKES_FILE, KTU_HAS_FILE, KTU_CANNOT, KTU_OFFERED };

/* The memory of a process, of which a forked child gets zeros in place of a copy: so it notices that it is a child. */
struct ktu_process {
	uint32_t alive;		/* enum ktu_life */
	uint32_t anchoring;	/* somebody takes an anchor */
	uint64_t lost;		/* before there was a file */
	struct ktu_lane slots[KTU_SLOTS];
	struct ktu_lane lanes[KTU_MAX_CPUS];
};

/* What a child has as well. */
struct ktu {
	bool started;		/* what KTRACE_FILE asks for was tried */
	bool recording;
	bool offered;		/* the module knows this process, and sets site->on; never together with KTRACE_FILE */
	unsigned char any;	/* offered: some site is on; set by the module */
	bool restartable, tested;	/* as far as it was tested */
	enum ktu_mode mode;
	uint32_t sub_bytes, nr_subbufs;
	uint32_t nr_cpus;
	uint32_t generation;	/* changes in a child, where a thread's id is another one */
	uint32_t next_id;
	char dir[4096], path[4096 + 128];	/* of the directory; of the file */
	uint64_t device, inode;			/* of the file */
	const char *events;	/* patterns; NULL: all */
	struct ktu_file *file;	/* mapped; of a child that has not noticed it: its parent's */
	size_t bytes;		/* of the file */
	struct ktu_process *process;
	char error[256];
};

extern KTU_HIDDEN struct ktu ktu;
extern KTU_HIDDEN struct ktu_lane *ktrace_lanes;	/* ktu.process->lanes, for section.S */
extern KTU_HIDDEN uint64_t ktrace_rseq_offset;		/* of struct ktu_rseq from the thread's pointer, for section.S */
extern KTU_HIDDEN uint32_t ktrace_clock_is_ordered;	/* ktu_clock_is_ordered(), for section.S */
extern KTU_HIDDEN uint32_t ktrace_has_wide;		/* ktu_has_wide(), for section.S */
extern KTU_HIDDEN __thread struct ktu_self ktrace_self __attribute__((tls_model("initial-exec")));

/* The area that ktrace_rseq_offset leads to. */
static inline struct ktu_rseq *ktu_rseq(void)
{
	return (struct ktu_rseq *)((char *)__builtin_thread_pointer() + ktrace_rseq_offset);
}

/* What cannot be done now is said on standard error, once a process, and by ktrace_error().  Returns false. */
bool ktu_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* settings.c: read the environment.  *wanted: KTRACE_FILE is set.  False: it is wrong, ktu_fail() was called. */
bool ktu_settings(bool *wanted);
/* The sizes of the rings.  False: they are wrong, ktu_fail() was called. */
bool ktu_sizes(void);
/* Do the patterns of KTRACE_EVENTS match? */
bool ktu_is_chosen(const char *provider, const char *name);

/* rseq.c: find the area of the C library.  False: there is none, or sequences are not restarted. */
bool ktu_rseq_works(void);

/* rings.c: make the file and the memory of this process.  False: ktu_fail() was called. */
bool ktu_file_make(void);
/* The same in memory, which cannot be made smaller.  Returns a descriptor of it; negative: it cannot be had. */
int ktu_memory_make(void);
/* Make the ring usable, and publish lane->ring.  False: it cannot be had. */
bool ktu_lane_open(struct ktu_lane *lane, uint32_t number);
/* Give sub-buffers their memory before a writer needs it: a fault for each page would cost more. */
void ktu_lane_populate(struct ktu_lane *lane, uint32_t from, uint32_t to);
/* Compare the clocks, now. */
void ktu_anchor(void);

/* describe.c.  Both may be called in a signal handler.  False: there is no room. */
bool ktu_describe(struct ktrace_site *site);
bool ktu_describe_enum(const struct ktrace_enum *from);
/* In the child after a fork: copy the descriptions from its parent's file, because its sites keep the ids that they had there. */
void ktu_describe_as(const struct ktu_file *parent);

/*
 * offer.c: the module's device for processes.  Negative: it is not there, or the user may not open it, which is not said.
 */
int ktu_offer_open(void);
/* Make the memory of this process, and register it.  flags: KT_USER_*.  False: it is not registered. */
bool ktu_offer(int fd, uint32_t flags);
/* Describe the sites of a module, and say where they are.  Those for which there is no room stay off. */
void ktu_offer_sites(int fd, const struct ktrace_module *module);
void ktu_offer_forget(const struct ktrace_module *module);

/* write.c */
KTU_HIDDEN void ktrace_write_slow(struct ktrace_site *site, const void *payload, unsigned int words);
KTU_HIDDEN void ktrace_write_word_slow(struct ktrace_site *site, unsigned int word);
KTU_HIDDEN void ktrace_write_parts_slow(struct ktrace_site *site, const struct ktrace_parts *parts);

/* start.c: make the file of a child, or begin to record as the module wants it.  False: nothing is recorded any more. */
bool ktu_revive(void);

/* threads.c: clone() of the C library, which this library replaces.  NULL: it cannot be found. */
typedef int ktu_clone_fn(int (*fn)(void *), void *stack, int flags, void *arg, ...);
ktu_clone_fn *ktu_clone(void);

/* threads.c: section.S of an architecture calls these. */
KTU_HIDDEN void ktrace_vfork_begin(void);
KTU_HIDDEN int ktrace_vfork_end(long result);

static inline void ktu_add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static inline uint64_t ktu_load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

#endif
