/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pick.h - which instructions are tried.  All follows from the seed: whether an instruction is taken from the
 * seed, its function's number and its offset; in which order from the seed alone.
 */
#ifndef SWEEP_PICK_H
#define SWEEP_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live.h"
#include "rng.h"

struct picker {
	const struct live *live;
	uint64_t seed;
	uint64_t threshold;	/* of 2^32: an instruction below is taken */
	unsigned int share, shares;	/* which functions are taken: every so many in the order, from this one on */
	uint32_t *order;	/* functions */
	size_t next;		/* in order */
	struct walk walk;
};

/*
 * About `count` instructions are to be had, spread over as much of the text as there is time to decode; as many by each
 * of `shares` guests, no two the same.
 */
void picker_begin(struct picker *picker, const struct live *live, uint64_t seed, uint64_t count, unsigned int share,
		  unsigned int shares);

/* The next instruction; false when there are no more. */
bool picker_next(struct picker *picker, struct insn *insn);

/* Is every instruction of the text one to try? */
static inline bool picker_takes_all(const struct picker *picker)
{
	return picker->threshold >= 1ULL << 32;
}

/* What must be refused, made from an instruction that is there; returns what is wrong with it. */
const char *pick_wrong(const struct live *live, struct rng *rng, struct insn *insn);

#endif
