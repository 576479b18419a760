// SPDX-License-Identifier: GPL-2.0-only
/* blocks.c - see blocks.h. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "kmod/base/ktrace.h"
#include "kmod/base/ksym.h"
#include "kmod/text/blocks.h"

#define SHIFT	6	/* blocks of 64 bytes: a bitmap of 28 KB for 14 MB of text */

static bool is_inside(const struct kt_blocks *blocks, unsigned long first, unsigned long last)
{
	return first >= blocks->start && first <= last && last < blocks->end;
}

static unsigned long block_of(const struct kt_blocks *blocks, unsigned long addr)
{
	return (addr - blocks->start) >> SHIFT;
}

void kt_blocks_init(struct kt_blocks *blocks)
{
	blocks->start = kt_ksym_find("_stext");
	blocks->end = kt_ksym_find("_etext");
	if (blocks->start && blocks->start < blocks->end)
		blocks->bits = kvcalloc(BITS_TO_LONGS(block_of(blocks, blocks->end) + 1), sizeof(long), GFP_KERNEL);
}

void kt_blocks_exit(struct kt_blocks *blocks)
{
	kvfree(blocks->bits);
}

void kt_blocks_add(struct kt_blocks *blocks, unsigned long addr, size_t len)
{
	if (!blocks->bits || !is_inside(blocks, addr, addr + len - 1))
		return;
	__set_bit(block_of(blocks, addr), blocks->bits);
	__set_bit(block_of(blocks, addr + len - 1), blocks->bits);
}

/* An entry is shorter than a block, and so is an instruction. */
bool kt_blocks_may_have(const struct kt_blocks *blocks, unsigned long first, unsigned long last)
{
	return !blocks->bits || !is_inside(blocks, first, last) || test_bit(block_of(blocks, first), blocks->bits) ||
	       test_bit(block_of(blocks, last), blocks->bits);
}
