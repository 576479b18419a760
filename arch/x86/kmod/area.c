// SPDX-License-Identifier: GPL-2.0-only
/* area.c - allocate areas for slots, and write code into them.  See area_arch.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/pgtable.h>

#include "kmod/base/ktrace.h"
#include "area_arch.h"
#include "kmod/base/ksym.h"
#include "kmod/text/slot.h"

#define PAGES	(KT_AREA_BYTES / PAGE_SIZE)

/*
 * Allocate in the range of modules: each address there is within 2 GiB of all kernel text.  The memory is read-only, so
 * kt_area_write() writes with text_poke(), as to all text.
 */
void *kt_area_map(unsigned long from)
{
	void *area = kt___vmalloc_node_range(KT_AREA_BYTES, PAGE_SIZE, MODULES_VADDR, MODULES_END,
					     GFP_KERNEL | __GFP_NOWARN, pgprot_val(PAGE_KERNEL),
					     VM_FLUSH_RESET_PERMS, NUMA_NO_NODE, kt_area_map);
	int err;

	if (!area)
		return NULL;
	memset(area, 0xcc, KT_AREA_BYTES);
	err = kt_set_memory_ro((unsigned long)area, PAGES);
	if (!err)
		err = kt_set_memory_x((unsigned long)area, PAGES);
	if (!err)
		return area;
	vfree(area);
	return NULL;
}

/* VM_FLUSH_RESET_PERMS: vfree() makes the pages writable and not executable again. */
void kt_area_unmap(void *area)
{
	vfree(area);
}

/* The cost of a write does not depend on its length. */
void kt_area_write(void *at, const u8 *code, size_t n)
{
	kt_text_poke(at, code, n);
}
