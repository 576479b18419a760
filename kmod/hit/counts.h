/* SPDX-License-Identifier: GPL-2.0-only */
/* counts.h - the counts of consumers, in memory that each CPU has a copy of. */
#ifndef KTRACE_COUNTS_H
#define KTRACE_COUNTS_H

#include <linux/types.h>

struct kt_counts_block;

/* Counts of one consumer. */
struct kt_counts {
	u64 recorded;
	u64 missed;
	u64 braked;			/* how many of the missed hits the brake turned away */
	u64 spent;			/* ticks that its dear hits took (KT_DESC_DEAR) */
	u64 looked;			/* brake_disarm.c: hits when it last looked */
};

/* Counts that are all 0; NULL: no memory.  *block is for kt_counts_free().  Both sleepable, under any mutex of the module. */
struct kt_counts __percpu *kt_counts_alloc(struct kt_counts_block **block);
void kt_counts_free(struct kt_counts_block *block, struct kt_counts __percpu *counts);

#endif
