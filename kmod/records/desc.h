/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * desc.h - descriptors.  A descriptor says what a tracepoint records and under which conditions, and keeps the text
 * that the user typed.  It is immutable, except for the counters of EVERY and LIMIT: an update of a tracepoint
 * publishes a new descriptor.
 *
 * A descriptor lives as long as a reader may need it to parse the rings: created -> published in a site -> retired
 * (no hit can use it any more) -> freed.  It is freed when, on every CPU, each packet that may contain its id is
 * completely seen or overwritten.  Only then can its id be used again.
 */
#ifndef KTRACE_DESC_H
#define KTRACE_DESC_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "core/capture.h"
#include "core/ktrace_abi.h"
#include "kmod/text/code.h"

/* Flags of the module, in the bits that KT_DESC_FLAGS of the ABI does not use. */
#define KT_DESC_FILTERED	(1U << 31)	/* the program begins with a filter */
#define KT_DESC_COUNTED		(1U << 30)	/* EVERY or LIMIT */
#define KT_DESC_MEASURED	(1U << 29)	/* it has a role in a measurement */
#define KT_DESC_SHARED		(1U << 28)	/* only kt_shared_desc: stands for all consumers of the site */
#define KT_DESC_DEAR		(1U << 27)	/* its hits walk the stack or copy long strings; the brake times them */
#define KT_DESC_RECORDING	(1U << 26)	/* it does not record into kt_prompt_rings */
#define KT_DESC_WIDE		(1U << 25)	/* its rings are wide */
#define KT_DESC_VARIES		(1U << 24)	/* the payload of its records varies; `units` is the most of them */

#define KT_DESC_CASES		(1U << 23)	/* each hit records under one of its cases */
#define KT_DESC_AGGREGATE	(1U << 22)	/* its hits count in an aggregate and write no records */

struct kt_consumer;
struct kt_counts;
struct kt_task_set;
struct kt_rings;
struct kt_measurement;
struct kt_client;
struct kt_aggregate;

struct kt_desc;

/* The cases of a descriptor: see struct kt_case.  They live exactly as long as it does. */
struct kt_cases {
	struct kt_desc *other;
	void **hits;			/* [kt_hits_room(nr)]; the code for hits of each, behind by[] */
	u32 nr;				/* numbers, not cases */
	u32 nr_compat;			/* the same for calls of 32-bit programs */
	struct kt_desc **compat;	/* [nr_compat]; NULL: other.  Behind hits[] */
	bool call_given;		/* the static tracepoint passes the registers of the system call */
	struct kt_desc *by[];		/* [nr]; NULL: other */
};

struct kt_desc {
	/* Every hit reads these. */
	u32 id;
	u32 flags;		/* KT_DESC_* of the ABI and of this file */
	const struct kt_insn *record;	/* the part of the program after its filter */
	u32 units;		/* size of the payload that it emits, in units of its rings (kt_unit_shift()) */
	bool all_regs;		/* a hit needs more than the scratch registers */
	bool has_hit;		/* trampolines call code.hit */
	bool plain;		/* KT_DESC_PLAIN, which is not in `flags`, as the next */
	bool others;		/* KT_DESC_OTHERS, which is not in `flags`: most descriptors have it and are plain */
	struct kt_code code;	/* the recording part of the program, and hits of static tracepoints, as machine code */
	struct kt_consumer *consumer;	/* the consumer for which it was published; frame.h has its offset */
	struct kt_counts __percpu *counts;	/* of its consumer */
	struct kt_task_set *tasks;	/* KT_DESC_TASKS; a reference until it is retired or freed */
	u16 about;	/* KT_DESC_ABOUT: offset in pt_regs of the task that the event is about; 0: none */
	struct kt_rings *rings;	/* where it records; a reference */
	struct kt_cases *cases;	/* KT_DESC_CASES; owned */
	struct kt_aggregate *aggregate;	/* KT_DESC_AGGREGATE; a reference, put together with the tasks */

	struct kt_program *program;

	/* Its role in a measurement: struct kt_role. */
	struct kt_measurement *measurement;	/* NULL: it has no role; a reference, put together with the tasks */
	u32 role;
	u8 path;		/* enum kt_hit_path */
	u16 key_reg;		/* offset in pt_regs of the register with the key, unless key_is_sp */
	bool key_is_sp;
	bool loads;		/* its program reads memory, which may fail */
	bool reads_texts;	/* its program reads texts or bytes */
	bool confined;		/* KT_SITE_USER: it reads only memory of the program that is traced */
	bool brings_in;		/*  and needs some of it */
	bool uses_call;		/* its program reads what the opening of the call saved, or its time */
	bool filter_uses_call;	/* a hit runs the filter after it has looked up its call */
	u16 group, saved, by, by_at;
	u8 body, to;
	s32 key_bias;

	u64 late;
	u64 every;
	atomic64_t turn;	/* hits that EVERY has counted */
	u64 limit;
	atomic64_t left;	/* records that LIMIT still allows */
	u64 addr;
	u64 born;
	u64 records_before;	/* records of this consumer until then */
	struct list_head retired;
	void *blob;		/* the request as user space passed it, for KT_IOC_DESC */
	u32 blob_len;
	struct kt_code direct;	/* of jumps of the prompt */
	u8 no_code;		/* KT_NO_CODE_* */
	struct rb_node by_program;
	u64 last_packet[];	/* [nr_cpu_ids] once it is retired: the newest packet that can contain its id; ktrace's own have none */
};

/*
 * Give a descriptor that is being created the role at this user address.  -EINVAL with KT_REFUSE_ROLE; -EFAULT.  Sleepable.
 */
int kt_desc_role(struct kt_desc *desc, u64 user, const struct kt_client *client, u8 *refusal);

/* Does each of its hits end a call in the usual way, and count in its aggregate, but not in the measurement: HIST ELAPSED? */
bool kt_desc_counts_calls(const struct kt_desc *desc);

/*
 * Copy the descriptor at the user address, check it, and allocate an id.  On an error *refusal is the reason: -EINVAL
 * with KT_REFUSE_DESC, _PROGRAM or _ROLE; -ENOMEM with _NOMEM; -ENOSPC with _NOSLOT; -EFAULT.  client may be NULL; role
 * is the user address of a struct kt_role, or 0.  The caller owns *out.  Sleepable.
 */
int kt_desc_create(u64 user, u32 len, u64 addr, struct kt_client *client, u64 role,
		   struct kt_desc **out, u8 *refusal);

/*
 * Give a descriptor its id: for own_desc.c, whose descriptor has no rings, is in no list, and keeps its id until
 * kt_desc_exit().  -ENOMEM, -ENOSPC.  Sleepable.
 */
int kt_desc_id_alloc(struct kt_desc *desc);

/*
 * Generate code for hits.  of: the descriptor of which they are hits, itself or the one with this case; it need not have its
 * consumer yet.  For a descriptor with cases after these.  Sleepable, before the descriptor is published.
 */
void kt_desc_generate(struct kt_desc *desc, const struct kt_desc *of, enum kt_code_for what);

/*
 * Let the hits of a descriptor that is not published yet count in an aggregate that the client holds.  On an error the
 * descriptor stays the caller's.  -EINVAL, with *refusal KT_REFUSE_DESC: it holds none with this id, or the program does
 * not emit its key and value, or the descriptor belongs to a recording.  Sleepable.
 */
int kt_desc_aggregate(struct kt_desc *desc, u32 id, const struct kt_client *client, u8 *refusal);

/* Free it at once.  It was never published, or nothing was recorded under it and no hit can use it.  Sleepable. */
void kt_desc_destroy(struct kt_desc *desc);

/* No hit can use it any more: keep it only as long as readers need it.  Sleepable. */
void kt_desc_retire(struct kt_desc *desc);

/* Free retired descriptors that no reader needs any more.  Sleepable. */
void kt_desc_collect(void);

/*
 * Call these around a move of the records of these rings to other packets.  In between no id is allocated, and no
 * descriptor is retired or freed.  The release keeps each retired descriptor until the packet that is then the newest
 * is seen or overwritten.  Sleepable.
 */
void kt_desc_hold(void);
void kt_desc_release(const struct kt_rings *rings);

/* Payload size of this descriptor, in units of its rings.  False: no such id.  Only between hold and release; any context. */
bool kt_desc_units(u32 id, u32 *units);

/*
 * Call do_it() with the descriptor that has this instruction in its program since this time, unless it has been retired meanwhile.
 * Under a lock that retiring takes, too: packets in which do_it() writes keep the descriptor as those of hits do.  Sleepable.
 */
void kt_desc_of_insn(const struct kt_insn *in, u64 time, void (*do_it)(const struct kt_desc *desc, void *arg), void *arg);

/* KT_IOC_DESC: -ENOENT: no such id; -ENOSPC: the buffer is too small; -ENOMEM, -EFAULT.  Sleepable. */
int kt_desc_get(struct kt_desc_get *arg);

/*
 * The descriptor is to be published at the kernel's static tracepoint with this name: set desc->about.  Under
 * kt_change_lock.
 */
void kt_desc_set_event(struct kt_desc *desc, const char *event);

/* Do EVERY and LIMIT allow to record this hit, which passed the filter?  Counts it.  In a hit, any context. */
bool kt_desc_take(struct kt_desc *desc);
/* The hit was not recorded after all: it does not count for LIMIT.  In a hit, any context. */
void kt_desc_give_back(struct kt_desc *desc);

/* Has it recorded as many hits as its LIMIT allows? */
static inline bool kt_desc_spent(const struct kt_desc *desc)
{
	return desc->limit && atomic64_read(&desc->left) <= 0;
}

/* The number of descriptors. */
u32 kt_desc_count(void);
/* Increases whenever an id becomes free. */
u32 kt_desc_generation(void);

void kt_desc_exit(void);	/* free all retired descriptors, and all ids */

#endif
