/* SPDX-License-Identifier: GPL-2.0-or-later */
/* register.h - shared by the parts of the fuzzer of /dev/ktrace-user. */
#ifndef FUZZ_REGISTER_H
#define FUZZ_REGISTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE		4096
#define NR_ERRNOS	134
#define USERS		3
#define FIRST_USER	30000
#define PATTERN		0xa5

/* The quotas of the case that runs this. */
struct quotas {
	uint32_t processes, sites;
};

/* In memory that all processes share. */
struct shared {
	uint64_t count;
	struct quotas quotas;
	_Atomic uint64_t calls, done[NR_ERRNOS];	/* calls by outcome: errno, or 0 */
	_Atomic uint64_t children, listed, switched, opened;
	_Atomic bool ended, wrong;
};

extern struct shared *shared;

/* Says what is wrong, and lets all end. */
__attribute__((format(printf, 1, 2))) void wrong(const char *format, ...);

struct rng {
	uint64_t state;
};

static inline uint64_t roll(struct rng *rng, uint64_t sides)
{
	rng->state ^= rng->state << 13;
	rng->state ^= rng->state >> 7;
	rng->state ^= rng->state << 17;
	return rng->state % sides;
}

static inline bool one_in(struct rng *rng, uint64_t n)
{
	return roll(rng, n) == 0;
}

static inline struct rng rng_of(uint64_t seed, uint64_t which)
{
	return (struct rng){ ((seed + 1) * 0x9e3779b97f4a7c15ULL ^ (which + 1) * 0xbf58476d1ce4e5b9ULL) | 1 };
}

/* A number that is probably close to a limit. */
uint64_t odd_number(struct rng *rng);

/* ioctl(2), counted by its outcome, which must be one that core/abi_user.h documents. */
int call(int fd, unsigned long request, void *arg);

/* A region where a hostile process maps, unmaps and registers, and which all inherit with PATTERN in each byte. */
extern uint8_t *arena;
#define ARENA		(64 * PAGE)
/* Aligned, for huge pages. */
extern uint8_t *huge;
#define HUGE		(4UL << 20)

void arena_make(const char *file);
/* Nobody's switches may be seen in the memory of this process, nor in the file. */
void arena_check(const char *file);
/* Change the map of one page or some. */
void arena_change(struct rng *rng);
uint64_t arena_address(struct rng *rng);

/* One process: registers wrongly, from several threads, and ends somehow. */
__attribute__((noreturn)) void be_hostile(struct rng rng);
/* One that is registered, keeps nothing open, and ends at some moment within 300 ms. */
__attribute__((noreturn)) void be_registered(struct rng rng);
/* One switch in each of so many huge pages; says how many the quota allows.  Returns an exit status. */
int register_huge(uint64_t nr);
/* A controller, until all has ended. */
void be_controller(struct rng rng);

#endif
