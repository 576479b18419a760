// SPDX-License-Identifier: GPL-2.0-only
/* slot.c - areas of slots, and which slots are taken.  See slot.h. */
#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>
#include <asm/pgtable.h>

#include "ktrace.h"
#include "encode.h"
#include "ksym.h"
#include "safety.h"
#include "slot.h"

struct area {
	unsigned long base;
	u32 next;
	DECLARE_BITMAP(taken, KT_AREA_UNITS);
};

static struct area *areas[KT_NR_AREAS];
static u32 used;
static DEFINE_SPINLOCK(slot_lock);

/* Short of what a branch reaches: so may functions be long, and their branches lead far. */
#define REACH	(KT_BRANCH_REACH - SZ_8M)

struct span {
	unsigned long first, end;
};

/* The text whose slots lie together: all of the kernel's, or what is at the address. */
static struct span served(unsigned long near)
{
	static struct span kernel;

	if (!kernel.end)
		kernel = (struct span){ kt_ksym_find("_stext"), kt_ksym_find("_etext") };
	if (near >= kernel.first && near < kernel.end)
		return kernel;
	return (struct span){ near, near + KT_INSN_BYTES };
}

/* Where an area may begin and end to be reached from all of the text, and reach it. */
static struct span reachable(const struct span *text)
{
	return (struct span){
		max_t(unsigned long, text->end - REACH, MODULES_VADDR),
		min_t(unsigned long, text->first + REACH, VMALLOC_END),
	};
}

static struct area *area_create(const struct span *span)
{
	struct area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	/* As the kernel's own pages of such code: read-only to everybody, written like all text. */
	area->base = (unsigned long)kt___vmalloc_node_range(KT_AREA_BYTES, PAGE_SIZE, span->first, span->end,
							    GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN,
							    pgprot_val(PAGE_KERNEL_ROX), VM_FLUSH_RESET_PERMS,
							    NUMA_NO_NODE, __builtin_return_address(0));
	if (!area->base) {
		kfree(area);
		return NULL;
	}
	return area;
}

/* The n-th area, which is created where there is none; NULL where it is out of reach. */
static struct area *area_get(u32 n, const struct span *span)
{
	struct area *area = areas[n];

	if (!area) {
		area = area_create(span);
		WRITE_ONCE(areas[n], area);
	}
	if (!area || area->base < span->first || area->base + KT_AREA_BYTES > span->end)
		return NULL;
	return area;
}

static u32 units_of(unsigned int bytes)
{
	return DIV_ROUND_UP(bytes, KT_UNIT_BYTES);
}

static void *area_take(struct area *area, u32 n)
{
	unsigned long i;

	spin_lock(&slot_lock);
	i = bitmap_find_next_zero_area(area->taken, KT_AREA_UNITS, area->next, n, 0);
	if (i >= KT_AREA_UNITS)
		i = bitmap_find_next_zero_area(area->taken, KT_AREA_UNITS, 0, n, 0);
	if (i < KT_AREA_UNITS) {
		bitmap_set(area->taken, i, n);
		area->next = i + n;
		used += n;
	}
	spin_unlock(&slot_lock);
	return i < KT_AREA_UNITS ? (void *)(area->base + i * KT_UNIT_BYTES) : NULL;
}

void *kt_slot_alloc(unsigned int bytes, unsigned long near)
{
	struct span text = served(near), span = reachable(&text);
	struct area *area;
	void *slot = NULL;
	u32 n;

	for (n = 0; n < KT_NR_AREAS && !slot; n++) {
		area = area_get(n, &span);
		if (area)
			slot = area_take(area, units_of(bytes));
	}
	return slot;
}

static struct area *area_of(unsigned long slot)
{
	u32 n;

	for (n = 0; n < KT_NR_AREAS - 1; n++)
		if (areas[n] && slot - areas[n]->base < KT_AREA_BYTES)
			break;
	return areas[n];
}

void kt_slot_free(void *slot, unsigned int bytes)
{
	struct area *area = area_of((unsigned long)slot);
	u32 n = units_of(bytes);

	spin_lock(&slot_lock);
	bitmap_clear(area->taken, ((unsigned long)slot - area->base) / KT_UNIT_BYTES, n);
	used -= n;
	spin_unlock(&slot_lock);
}

void kt_slot_exit(void)
{
	u32 n;

	for (n = 0; n < KT_NR_AREAS; n++) {
		if (!areas[n])
			continue;
		vfree((void *)areas[n]->base);
		kfree(areas[n]);
	}
}

/* A batch takes slots one behind the other: other CPUs are told once for many. */
static struct {
	u8 *at;
	size_t n;
	u8 code[PAGE_SIZE];
} pending;

void kt_slots_flush(void)
{
	const unsigned long at = (unsigned long)pending.at;
	u32 insn;
	size_t i;

	if (!pending.n)
		return;
	for (i = 0; i < pending.n; i += sizeof(insn)) {
		memcpy(&insn, pending.code + i, sizeof(insn));
		kt_aarch64_insn_write(pending.at + i, insn);
	}
	flush_icache_range(at, at + pending.n);
	pending.n = 0;
}

void kt_slot_write(void *slot, const u8 *code, unsigned int bytes)
{
	if (slot != pending.at + pending.n || pending.n + bytes > sizeof(pending.code))
		kt_slots_flush();
	if (!pending.n)
		pending.at = slot;
	memcpy(pending.code + pending.n, code, bytes);
	pending.n += bytes;
}

u32 kt_slots_used(void)
{
	return READ_ONCE(used);
}
