// SPDX-License-Identifier: GPL-2.0-only
/* area.c - memory for slots, and what is written there.  See area_arch.h, area.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/pgtable.h>

#include "kmod/base/ktrace.h"
#include "area.h"
#include "area_arch.h"
#include "kmod/base/ksym.h"
#include "kmod/text/slot.h"

#define PAGES	(KT_AREA_BYTES / PAGE_SIZE)

/* Where modules are: no place there is farther than 2 GiB from any of the kernel's text.  Written like all text. */
void *kt_area_map(unsigned long near)
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

/*
 * A batch takes slots one behind the other, and each write to the area costs the same
 * whatever its length: they are put together, up to the end of a page.
 */
static struct {
	u8 *at;
	size_t n;
	u8 code[PAGE_SIZE];
} pending;

void kt_slots_flush(void)
{
	if (pending.n)
		kt_text_poke(pending.at, pending.code, pending.n);
	pending.n = 0;
}

void kt_slot_write(void *slot, const u8 *code, unsigned int bytes)
{
	lockdep_assert_held(kt_text_mutex());
	if (slot != pending.at + pending.n ||
	    offset_in_page(pending.at) + pending.n + bytes > PAGE_SIZE)
		kt_slots_flush();
	if (!pending.n)
		pending.at = slot;
	memcpy(pending.code + pending.n, code, bytes);
	pending.n += bytes;
}
