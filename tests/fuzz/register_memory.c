// SPDX-License-Identifier: GPL-2.0-or-later
/* register_memory.c - the memory in which hostile processes register switches. See register.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "register.h"

uint8_t *arena, *huge;
static uint8_t *common;		/* shared by all processes */
static int file = -1;

static uint8_t *must_map(void *at, size_t len, int flags, int fd)
{
	uint8_t *p = mmap(at, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

void arena_make(const char *name)
{
	uint8_t page[PAGE];

	memset(page, PATTERN, sizeof(page));
	file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	for (size_t at = 0; at < ARENA; at += PAGE) {
		if (write(file, page, sizeof(page)) != sizeof(page)) {
			perror(name);
			exit(1);
		}
	}
	arena = must_map(NULL, ARENA, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(arena, PATTERN, ARENA);
	common = must_map(NULL, ARENA, MAP_SHARED | MAP_ANONYMOUS, -1);
	memset(common, PATTERN, ARENA);
	huge = must_map(NULL, 2 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	huge += HUGE - (uintptr_t)huge % HUGE;
	madvise(huge, HUGE, MADV_HUGEPAGE);
}

static void check(const uint8_t *at, const char *what)
{
	for (size_t i = 0; i < ARENA; i++)
		if (at[i] != PATTERN)
			wrong("%s: byte %zu is %d: somebody's switch was written there", what, i, at[i]);
}

void arena_check(const char *name)
{
	uint8_t *page = must_map(NULL, ARENA, MAP_SHARED, file);

	check(arena, "memory of another process");
	check(common, "shared memory");
	check(page, name);
	munmap(page, ARENA);
}

void arena_change(struct rng *rng)
{
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC };
	static const int advice[] = { MADV_DONTNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_DONTFORK,
				      MADV_DOFORK, MADV_WIPEONFORK, MADV_PAGEOUT, MADV_COLD };
	const size_t first = roll(rng, ARENA / PAGE), n = 1 + roll(rng, ARENA / PAGE - first);
	uint8_t *at = arena + first * PAGE;
	const size_t len = n * PAGE;

	switch (roll(rng, 10)) {
	case 0: munmap(at, len); break;
	case 1: mprotect(at, len, prots[roll(rng, 5)]); break;
	case 2: mmap(at, len, prots[roll(rng, 5)], MAP_FIXED | MAP_PRIVATE, file, 0); break;
	case 3: mmap(at, len, prots[roll(rng, 5)], MAP_FIXED | MAP_SHARED, file, 0); break;
	case 4: mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, arena + roll(rng, ARENA / PAGE) * PAGE); break;
	case 5: madvise(one_in(rng, 4) ? huge : at, one_in(rng, 4) ? HUGE : len, advice[roll(rng, 9)]); break;
	default:
		if (mmap(at, len, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED && one_in(rng, 2))
			memset(at, PATTERN, len);
	}
}

uint64_t arena_address(struct rng *rng)
{
	switch (roll(rng, 24)) {
	case 0: return odd_number(rng);
	case 1: return (uintptr_t)common + roll(rng, ARENA);
	case 2: return (uintptr_t)&arena_address + roll(rng, PAGE);		/* its code */
	case 3: return ~0ULL - roll(rng, 1ULL << 40);			/* the kernel's */
	case 4: return (uintptr_t)__builtin_frame_address(0) - roll(rng, 16 * PAGE);
	case 5: case 6: return (uintptr_t)huge + roll(rng, HUGE);
	case 7: return (uintptr_t)shared + roll(rng, sizeof(*shared));
	default: return (uintptr_t)arena + roll(rng, ARENA);
	}
}
