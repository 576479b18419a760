// SPDX-License-Identifier: GPL-2.0-only
/* slot.c - areas of slots, and the allocation of slots in them.  See slot.h. */
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "area_arch.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"
#include "kmod/text/slot.h"

/* The areas for one slot of `bytes` per site.  One more area for slots of the module itself, and for fragmentation. */
#define AREAS_FOR(bytes)	(DIV_ROUND_UP(KT_MAX_SITES, KT_AREA_BYTES / (bytes)) + 1)
#define PLAIN_AREAS		AREAS_FOR(KT_SLOT_BYTES)
#define JUMP_AREAS		AREAS_FOR(KT_TRAMPOLINE_BYTES)
#define CODE_AREAS		16

static unsigned int slot_areas = PLAIN_AREAS;
module_param(slot_areas, uint, 0444);
MODULE_PARM_DESC(slot_areas, "largest number of areas of 8192 slots for breakpoints; jumps have areas of their own (default and most: enough for all tracepoints)");

struct area {
	struct list_head list;
	enum kt_slot_kind kind;
	unsigned long base;
	u32 used, next;
	DECLARE_BITMAP(taken, KT_AREA_UNITS);
};

struct pool {
	struct list_head areas;
	u32 nr;
};

static DEFINE_MUTEX(lock);	/* protects pools and used; taken inside the text lock */
static struct pool pools[KT_NR_SLOT_KINDS] = {
	[KT_SLOT_PLAIN] = { LIST_HEAD_INIT(pools[KT_SLOT_PLAIN].areas) },
	[KT_SLOT_JUMP] = { LIST_HEAD_INIT(pools[KT_SLOT_JUMP].areas) },
	[KT_SLOT_CODE] = { LIST_HEAD_INIT(pools[KT_SLOT_CODE].areas) },
};
static u32 used;

static u32 most(enum kt_slot_kind kind)
{
	if (kind == KT_SLOT_CODE)
		return CODE_AREAS;
	return kind == KT_SLOT_JUMP ? JUMP_AREAS : clamp(slot_areas, 1U, (unsigned int)PLAIN_AREAS);
}

static struct area *area_create(enum kt_slot_kind kind, unsigned long from)
{
	struct pool *pool = &pools[kind];
	struct area *area;

	if (pool->nr >= most(kind))
		return NULL;
	area = kzalloc(sizeof(*area), GFP_KERNEL);
	if (!area)
		return NULL;
	area->kind = kind;
	area->base = (unsigned long)kt_area_map(from);
	if (!area->base) {
		kfree(area);
		return NULL;
	}
	list_add_tail(&area->list, &pool->areas);
	WRITE_ONCE(pool->nr, pool->nr + 1);
	return area;
}

/* Generated code is not counted: it belongs to no site. */
static void count(struct area *area, s32 n)
{
	area->used += n;
	if (area->kind != KT_SLOT_CODE)
		WRITE_ONCE(used, used + n);
}

static u32 units_of(unsigned int bytes)
{
	return DIV_ROUND_UP(bytes, KT_UNIT_BYTES);
}

static void *area_take(struct area *area, u32 n)
{
	unsigned long i;

	if (area->used + n > KT_AREA_UNITS)
		return NULL;
	i = bitmap_find_next_zero_area(area->taken, KT_AREA_UNITS, area->next, n, 0);
	if (i >= KT_AREA_UNITS)
		i = bitmap_find_next_zero_area(area->taken, KT_AREA_UNITS, 0, n, 0);
	if (i >= KT_AREA_UNITS)
		return NULL;
	bitmap_set(area->taken, i, n);
	area->next = i + n;
	count(area, n);
	return (void *)(area->base + i * KT_UNIT_BYTES);
}

static void *slot_take(enum kt_slot_kind kind, u32 n, unsigned long from)
{
	struct area *area;
	void *slot;

	list_for_each_entry(area, &pools[kind].areas, list) {
		slot = kt_area_reaches(area->base, from) ? area_take(area, n) : NULL;
		if (slot)
			return slot;
	}
	area = area_create(kind, from);
	return area ? area_take(area, n) : NULL;
}

static u32 units_free(enum kt_slot_kind kind, unsigned long from)
{
	struct area *area;
	u32 n = 0;

	list_for_each_entry(area, &pools[kind].areas, list)
		if (kt_area_reaches(area->base, from))
			n += KT_AREA_UNITS - area->used;
	return n;
}

void kt_slot_reserve(enum kt_slot_kind kind, unsigned int bytes, unsigned long from)
{
	lockdep_assert_held(&kt_change_lock);
	mutex_lock(&lock);
	if (units_free(kind, from) < KT_TURN * units_of(bytes))
		area_create(kind, from);
	mutex_unlock(&lock);
}

void *kt_slot_alloc(enum kt_slot_kind kind, unsigned int bytes, unsigned long from)
{
	void *slot;

	lockdep_assert_held(kt_text_mutex());
	mutex_lock(&lock);
	slot = slot_take(kind, units_of(bytes), from);
	mutex_unlock(&lock);
	return slot;
}

static struct area *area_of(unsigned long slot)
{
	struct area *area;
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(pools); kind++)
		list_for_each_entry(area, &pools[kind].areas, list)
			if (slot - area->base < KT_AREA_BYTES)
				return area;
	return NULL;
}

void kt_slot_free(void *slot, unsigned int bytes)
{
	u32 n = units_of(bytes);
	struct area *area;

	mutex_lock(&lock);
	area = area_of((unsigned long)slot);
	bitmap_clear(area->taken, ((unsigned long)slot - area->base) / KT_UNIT_BYTES, n);
	count(area, -n);
	mutex_unlock(&lock);
}

/* Keep the first area of each kind: a user may set and delete one tracepoint again and again. */
static bool is_spare(const struct area *area, const struct pool *pool)
{
	return !area->used && area->list.prev != &pool->areas;
}

static bool any_spare(void)
{
	struct area *area;
	bool any = false;
	size_t kind;

	mutex_lock(&lock);
	for (kind = 0; kind < ARRAY_SIZE(pools); kind++)
		list_for_each_entry(area, &pools[kind].areas, list)
			any |= is_spare(area, &pools[kind]);
	mutex_unlock(&lock);
	return any;
}

/* Move the spare areas, or all areas, to the list `out`. */
static void take_out(struct list_head *out, bool all)
{
	struct area *area, *next;
	size_t kind;

	mutex_lock(&lock);
	for (kind = 0; kind < ARRAY_SIZE(pools); kind++) {
		list_for_each_entry_safe(area, next, &pools[kind].areas, list) {
			if (!is_spare(area, &pools[kind]) && !all)
				continue;
			list_move(&area->list, out);
			WRITE_ONCE(pools[kind].nr, pools[kind].nr - 1);
		}
	}
	mutex_unlock(&lock);
}

static void unmap_all(struct list_head *out)
{
	struct area *area, *next;

	list_for_each_entry_safe(area, next, out, list) {
		kt_area_unmap((void *)area->base);
		kfree(area);
	}
}

/* The flush writes what is pending for slots.  Under the text lock no new write to a slot can follow it. */
void kt_slot_trim(void)
{
	LIST_HEAD(out);

	if (!any_spare())
		return;
	kt_text_lock();
	kt_arch.flush();
	take_out(&out, false);
	kt_text_unlock();
	unmap_all(&out);
}

void kt_slot_exit(void)
{
	LIST_HEAD(out);

	take_out(&out, true);
	unmap_all(&out);
}

u32 kt_slots_used(void)
{
	return READ_ONCE(used);
}

u32 kt_slots_max(void)
{
	return kt_areas_max() * KT_AREA_UNITS;
}

u32 kt_areas(void)
{
	return READ_ONCE(pools[KT_SLOT_PLAIN].nr) + READ_ONCE(pools[KT_SLOT_JUMP].nr);
}

u32 kt_areas_max(void)
{
	return most(KT_SLOT_PLAIN) + most(KT_SLOT_JUMP);
}

/* ------------------------------------------------------------------ writing */

/*
 * A batch of sites allocates consecutive slots.  Their code is collected here, up to the end of a page, and written at
 * once: a write to an area is expensive, whatever its length.
 */
static struct {
	u8 *at;
	size_t n;
	u8 code[PAGE_SIZE];
} pending;

void kt_slots_flush(void)
{
	if (pending.n)
		kt_area_write(pending.at, pending.code, pending.n);
	pending.n = 0;
}

void kt_slot_write(void *slot, const u8 *code, unsigned int bytes)
{
	lockdep_assert_held(kt_text_mutex());
	if (slot != pending.at + pending.n || offset_in_page(pending.at) + pending.n + bytes > PAGE_SIZE)
		kt_slots_flush();
	if (!pending.n)
		pending.at = slot;
	memcpy(pending.code + pending.n, code, bytes);
	pending.n += bytes;
}
