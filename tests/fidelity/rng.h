/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng.h - random numbers that depend only on a seed and the trial's number (splitmix64). */
#ifndef FIDELITY_RNG_H
#define FIDELITY_RNG_H

#include <linux/types.h>

struct rng {
	u64 state;
};

static inline u64 rng_next(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline void rng_seed(struct rng *rng, u64 seed, u64 number)
{
	rng->state = seed;
	rng->state = rng_next(rng) ^ number * 0xd1342543de82ef95;
	rng_next(rng);
}

/* 0 .. n - 1 */
static inline u32 rng_below(struct rng *rng, u32 n)
{
	return (rng_next(rng) >> 32) * n >> 32;
}

static inline bool rng_percent(struct rng *rng, u32 percent)
{
	return rng_below(rng, 100) < percent;
}

#endif
