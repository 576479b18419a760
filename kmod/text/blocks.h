/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocks.h - which blocks of the kernel's own text have an entry of a table of the kernel.
 *
 * The kernel's tables of jump labels and static calls are not sorted by address, and a search through one executes 40,000
 * instructions.  Most addresses are in a block without an entry.
 */
#ifndef KTRACE_BLOCKS_H
#define KTRACE_BLOCKS_H

#include <linux/types.h>

struct kt_blocks {
	unsigned long start, end;	/* of the text */
	unsigned long *bits;		/* NULL: not known */
};

/* Without memory, or where the kernel hides the bounds of its text, all blocks may have an entry.  Sleepable. */
void kt_blocks_init(struct kt_blocks *blocks);
void kt_blocks_exit(struct kt_blocks *blocks);

/* A table has an entry of `len` bytes at addr.  Once for each entry, before the first question. */
void kt_blocks_add(struct kt_blocks *blocks, unsigned long addr, size_t len);

/* May an entry have a byte from `first` to `last`?  True as well outside of the text. */
bool kt_blocks_may_have(const struct kt_blocks *blocks, unsigned long first, unsigned long last);

#endif
