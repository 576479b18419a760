/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * desc.h - descriptors: what a tracepoint records, under which conditions,
 * and the text that it was typed as.  Immutable but for what EVERY and LIMIT count;
 * updating a tracepoint publishes another one.
 *
 * A descriptor lives as long as a reader may need it to parse the rings:
 * born -> published in a site -> retired (no hit can use it any more) -> freed
 * when, on every CPU, every packet that may bear its id is wholly seen or
 * overwritten.  Only then can its id be used again.
 */
#ifndef KTRACE_DESC_H
#define KTRACE_DESC_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/capture.h"
#include "core/ktrace_abi.h"

#define KT_DESC_FILTERED	(1U << 31)	/* the program begins with a filter */
#define KT_DESC_COUNTED		(1U << 30)	/* EVERY or LIMIT */
#define KT_DESC_MEASURED	(1U << 29)	/* it has a role in a measurement */
#define KT_DESC_SHARED		(1U << 28)	/* no descriptor, but all of the site's consumers: kt_shared_desc */
#define KT_DESC_DEAR		(1U << 27)	/* its hits are timed, for the brake: they walk the stack or copy strings */

struct kt_consumer;
struct kt_counts;
struct kt_process_tree;
struct kt_measurement;
struct kt_client;

struct kt_desc {
	/* What every hit reads. */
	u32 id;
	u32 flags;		/* KT_DESC_*, and KT_DESC_FILTERED */
	const struct kt_insn *record;	/* the program behind its filter */
	u32 words;		/* of four bytes that it emits */
	bool all_regs;		/* its program reads more than scratch registers */
	struct kt_counts __percpu *counts;	/* of its consumer */
	struct kt_process_tree *tree;	/* KT_DESC_PROCESS_TREE; let go when no hit can look at it any more */

	struct kt_program *program;

	/* Its role: struct kt_role. */
	struct kt_measurement *measurement;	/* NULL without; let go as the tree is */
	u32 role;
	u8 path;		/* enum kt_hit_path */
	u16 key_reg;		/* offset of a register, where the key is not the stack pointer */
	bool key_is_sp;
	bool loads;		/* its program reads memory, which may fail */
	bool uses_call;		/* its program asks for what the call's opening left */
	bool filter_uses_call;
	u16 group, saved, by, by_at;
	s32 key_bias;

	u64 late;
	u64 every;
	atomic64_t turn;	/* hits that EVERY has counted */
	u64 limit;
	atomic64_t left;	/* records that LIMIT still allows */
	u64 addr;
	u64 born;
	struct kt_consumer *consumer;	/* that it was published for */
	u64 records_before;	/* that this consumer had until then */
	u64 *last_packet;	/* [nr_cpu_ids] once retired: the newest that can bear its id */
	struct list_head retired;
	void *blob;		/* as it was handed over, for KT_IOC_DESC */
	u32 blob_len;
};

/*
 * Check and copy the descriptor at the user address, give it an id.  *refusal says why not:
 * -EINVAL with KT_REFUSE_DESC or KT_REFUSE_PROGRAM, -ENOMEM, -ENOSPC; -EFAULT.
 * client may be NULL; role is the user address of a struct kt_role, or 0.  Sleepable.
 */
int kt_desc_create(u64 user, u32 len, u64 addr, struct kt_client *client, u64 role,
		   struct kt_desc **out, u8 *refusal);

/* Never published, or nothing was recorded under it: free at once. */
void kt_desc_destroy(struct kt_desc *desc);

/*
 * No hit can use it any more: keep it for as long as readers need it.
 * Sleepable.
 */
void kt_desc_retire(struct kt_desc *desc);

/* Free retired descriptors that no reader needs any more.  Sleepable. */
void kt_desc_collect(void);

/*
 * While records move to other packets: no descriptor comes or goes between the two.  Then each retired one is
 * kept until what is the newest packet now is seen or overwritten.  Sleepable.
 */
void kt_desc_hold(void);
void kt_desc_release(void);

/* The words that descriptor id emits; false: there is none.  Only between those two; any context. */
bool kt_desc_words(u32 id, u32 *words);

/* KT_IOC_DESC: -ENOENT, -ENOSPC, -ENOMEM, -EFAULT, -EINVAL.  Sleepable. */
int kt_desc_get(struct kt_desc_get *arg);

/*
 * Do EVERY and LIMIT let this hit be recorded, which the filter does?  One that is not, after all, is given
 * back.  Any context, in a hit.
 */
bool kt_desc_take(struct kt_desc *desc);
void kt_desc_give_back(struct kt_desc *desc);

/* Has it recorded all that its LIMIT allows? */
static inline bool kt_desc_spent(const struct kt_desc *desc)
{
	return desc->limit && atomic64_read(&desc->left) <= 0;
}

/* How many exist; raised whenever an id became free. */
u32 kt_desc_count(void);
u32 kt_desc_generation(void);

void kt_desc_exit(void);	/* frees all that are retired */

#endif
