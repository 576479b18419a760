/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pick.h - choose instructions by a seed. Whether an instruction is taken depends on the seed, the number of
 * its function and its offset. The order depends on the seed only.
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
	uint64_t threshold;	/* of 2^32: take an instruction whose number is below */
	unsigned int share, shares;	/* take every `shares`-th function of the order, beginning with this one */
	uint32_t *order;	/* functions */
	size_t next;		/* the next index in order */
	struct walk walk;
};

/*
 * Choose about `count` instructions, spread over as much text as there is time to decode. Each of `shares`
 * guests gets as many, and no instruction is in two shares.
 */
void picker_begin(struct picker *picker, const struct live *live, uint64_t seed, uint64_t count, unsigned int share,
		  unsigned int shares);

/* The next instruction; false at the end. */
bool picker_next(struct picker *picker, struct insn *insn);

/* Does it take every instruction of the text? */
static inline bool picker_takes_all(const struct picker *picker)
{
	return picker->threshold >= 1ULL << 32;
}

/* Make a request that must be refused, from a correct instruction; returns the mistake. */
const char *pick_wrong(const struct live *live, struct rng *rng, struct insn *insn);

#endif
