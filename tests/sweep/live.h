/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the live text: a copy of all of it, the instructions of a function, and what has changed since.
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
	uint8_t *first;		/* as it was at the beginning */
	uint8_t *copy;		/* as it was when it was last found to be right */
};

/* Where others patch the text. */
struct place {
	uint64_t addr;
	uint8_t len;
};

struct live {
	int fd;
	const struct symbols *symbols;
	struct region *regions;
	size_t nr_regions;
	struct place *places;	/* those met so far, by address */
	size_t nr_places;
	uint64_t flips;		/* changes by others that were found and understood */
};

void live_load(struct live *live, int fd, const struct symbols *symbols);

/* The text now: compare all of it with the copy.  Ends the program where a difference is not the kernel's own doing. */
void live_compare(struct live *live);

/* Of the text as it was at the beginning, or as it is now, without the places where others were seen to patch it. */
uint64_t live_hash(const struct live *live, bool first);
size_t live_bytes(const struct live *live);

struct insn {
	uint64_t addr;
	uint8_t len;
	uint8_t bytes[16];
};

/*
 * The instructions of a function one after the other: call with at = 0 first, then with what came back, until it is
 * 0.  Where bytes do not decode the function ends.
 */
struct walk {
	const struct symbol *function;
	uint8_t *code;
	size_t len, at;
	size_t prologue;	/* bytes in front of where the controller puts a tracepoint at its entry */
};

void walk_begin(struct walk *walk, const struct live *live, const struct symbol *function);
bool walk_next(struct walk *walk, struct insn *insn);
void walk_end(struct walk *walk);

#endif
