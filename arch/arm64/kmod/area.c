// SPDX-License-Identifier: GPL-2.0-only
/* area.c - allocate areas for slots, and write code into them.  See area_arch.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>
#include <asm/pgtable.h>

#include "kmod/base/ktrace.h"
#include "area_arch.h"
#include "encode.h"
#include "kmod/base/ksym.h"
#include "kmod/text/slot.h"

/* Bytes, shorter than the reach of a branch: also targets of displaced branches must be within reach of a slot. */
#define REACH	(KT_BRANCH_REACH - SZ_8M)

struct span {
	unsigned long first, end;
};

/* The text that one area serves: all kernel text if `from` is in it, otherwise the instruction at `from`. */
static struct span served(unsigned long from)
{
	static struct span kernel;

	if (!kernel.end)
		kernel = (struct span){ kt_ksym_find("_stext"), kt_ksym_find("_etext") };
	if (from >= kernel.first && from < kernel.end)
		return kernel;
	return (struct span){ from, from + KT_INSN_BYTES };
}

/* The range for an area, so that branches reach it from all of the text, and back. */
static struct span reachable(const struct span *text)
{
	return (struct span){
		max_t(unsigned long, text->end - REACH, MODULES_VADDR),
		min_t(unsigned long, text->first + REACH, VMALLOC_END),
	};
}

/* Map it like the kernel's own pages for out-of-line code: executable and read-only, and written like all text. */
void *kt_area_map(unsigned long from)
{
	const struct span text = served(from), span = reachable(&text);

	return kt___vmalloc_node_range(KT_AREA_BYTES, PAGE_SIZE, span.first, span.end,
				       GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, pgprot_val(PAGE_KERNEL_ROX),
				       VM_FLUSH_RESET_PERMS, NUMA_NO_NODE, kt_area_map);
}

void kt_area_unmap(void *area)
{
	vfree(area);
}

bool kt_area_reaches(unsigned long base, unsigned long from)
{
	const struct span text = served(from), span = reachable(&text);

	return base >= span.first && base + KT_AREA_BYTES <= span.end;
}

/* One flush of the instruction cache for the whole code, because it interrupts all other CPUs. */
void kt_area_write(void *at, const u8 *code, size_t n)
{
	const unsigned long start = (unsigned long)at;
	u32 insn;
	size_t i;

	for (i = 0; i < n; i += sizeof(insn)) {
		memcpy(&insn, code + i, sizeof(insn));
		kt_aarch64_insn_write((u8 *)at + i, insn);
	}
	flush_icache_range(start, start + n);
}
