// SPDX-License-Identifier: GPL-2.0-only
/*
 * counts.c - see counts.h.
 *
 * Where thousands of small pieces are taken, the kernel's allocator of per-CPU memory searches long for each of them.  So ktrace
 * takes memory for several consumers at once.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/hit/counts.h"

#define IN_BLOCK	16
#define FULL		((1UL << IN_BLOCK) - 1)

struct kt_counts_block {
	struct list_head list;
	unsigned long taken;		/* a bit for each of the counts */
	struct kt_counts __percpu *counts;
};

static DEFINE_MUTEX(lock);
static LIST_HEAD(with_room);		/* the blocks that are not full */

static struct kt_counts_block *block_create(void)
{
	struct kt_counts_block *block = kzalloc(sizeof(*block), GFP_KERNEL);

	if (!block)
		return NULL;
	block->counts = __alloc_percpu(IN_BLOCK * sizeof(*block->counts), __alignof__(*block->counts));
	if (!block->counts) {
		kfree(block);
		return NULL;
	}
	list_add(&block->list, &with_room);
	return block;
}

static struct kt_counts __percpu *take(struct kt_counts_block *block)
{
	const unsigned int i = ffz(block->taken);

	block->taken |= BIT(i);
	if (block->taken == FULL)
		list_del_init(&block->list);
	return block->counts + i;
}

struct kt_counts __percpu *kt_counts_alloc(struct kt_counts_block **block)
{
	struct kt_counts __percpu *counts = NULL;
	unsigned int cpu;

	mutex_lock(&lock);
	*block = list_first_entry_or_null(&with_room, struct kt_counts_block, list) ?: block_create();
	if (*block)
		counts = take(*block);
	mutex_unlock(&lock);
	for_each_possible_cpu(cpu)
		if (counts)
			*per_cpu_ptr(counts, cpu) = (struct kt_counts){ 0 };
	return counts;
}

void kt_counts_free(struct kt_counts_block *block, struct kt_counts __percpu *counts)
{
	mutex_lock(&lock);
	if (block->taken == FULL)
		list_add(&block->list, &with_room);
	block->taken &= ~BIT(counts - block->counts);
	if (!block->taken) {
		list_del(&block->list);
		free_percpu(block->counts);
		kfree(block);
	}
	mutex_unlock(&lock);
}
