// SPDX-License-Identifier: GPL-2.0-only
/* area.c - memory for slots, and what is written there.  See area_arch.h. */
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

/* Where modules are: no place there is farther than 2 GiB from any of the kernel's text.  Written like all text. */
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

/* Its pages are data again. */
void kt_area_unmap(void *area)
{
	vfree(area);
}

/* Each write costs the same whatever its length. */
void kt_area_write(void *at, const u8 *code, size_t n)
{
	kt_text_poke(at, code, n);
}
