/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rng.h - numbers that look random and depend only on the arguments (splitmix64, S. Vigna). */
#ifndef SWEEP_RNG_H
#define SWEEP_RNG_H

#include <stdint.h>

static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15;
	return mix(rng->state);
}

/* 0 to n - 1; n is at least 1. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return rng_next(rng) % n;
}

#endif
