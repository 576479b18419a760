// SPDX-License-Identifier: GPL-2.0-only
/* memory.c - memory for rings and tables.  See memory.h. */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "kmod/base/memory.h"

/* Callers ask one after the other: each sees what those before have taken. */
static DEFINE_MUTEX(memory_lock);

bool kt_memory_enough(u64 bytes, u64 freed)
{
	const u64 least = min_t(u64, totalram_pages() / 16, SZ_256M >> PAGE_SHIFT);

	/* This is what the kernel can give without swapping: see show_mem.c of Linux (mm/page_alloc.c before 6.4). */
	return (bytes >> PAGE_SHIFT) + (bytes > freed ? least : least / 2) < si_mem_available();
}

void *kt_memory_alloc(size_t bytes, size_t freed)
{
	void *memory = NULL;

	mutex_lock(&memory_lock);
	if (kt_memory_enough(bytes, freed))
		memory = __vmalloc(bytes, GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	mutex_unlock(&memory_lock);
	return memory;
}
