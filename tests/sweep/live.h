/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the live text: a copy of all of it, the instructions of a function, and the changes since the
 * beginning.
 */
#ifndef SWEEP_LIVE_H
#define SWEEP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"

struct region {
	uint64_t start;
	size_t len;
	uint8_t *first;		/* the text at the beginning */
	uint8_t *copy;		/* the text when it was last found to be right */
};

/* A place where others patch the text. */
struct place {
	uint64_t addr;
	uint8_t len;
};

struct live {
	int fd;
	const struct symbols *symbols;
	struct region *regions;
	size_t nr_regions;
	struct place *places;	/* places known so far, sorted by address */
	size_t nr_places;
	uint64_t flips;		/* changes by others that were recognised */
};

void live_load(struct live *live, int fd, const struct symbols *symbols);

/* Compare all live text with the copy. Ends the program if the kernel itself has not made a difference. */
void live_compare(struct live *live);

/* A hash of the text at the beginning, or now, without the places where others patch. */
uint64_t live_hash(const struct live *live, bool first);
size_t live_bytes(const struct live *live);

struct insn {
	uint64_t addr;
	uint8_t len;
	uint8_t bytes[16];
};

/*
 * Walk over the instructions of a function: call with at = 0 first, then with the returned value, until it is
 * 0. The function ends at bytes that do not decode.
 */
struct walk {
	const struct symbol *function;
	uint8_t *code;
	size_t len, at;
	size_t prologue;	/* bytes from the function's start to its tracepoint at the entry */
};

void walk_begin(struct walk *walk, const struct live *live, const struct symbol *function);
bool walk_next(struct walk *walk, struct insn *insn);
void walk_end(struct walk *walk);

#endif
