// SPDX-License-Identifier: GPL-2.0-only
/* slot.c - which slots are taken. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "ktrace.h"
#include "ksym.h"
#include "slot.h"

/*
 * In the module's own data: within reach of all kernel text.  Read-only and executable while the
 * module is there, and written like all text.
 */
u8 kt_slot_area[KT_NR_SLOTS * KT_SLOT_BYTES] __aligned(PAGE_SIZE);

#define AREA		((unsigned long)kt_slot_area)
#define AREA_PAGES	(sizeof(kt_slot_area) / PAGE_SIZE)

static DEFINE_SPINLOCK(slot_lock);
static DECLARE_BITMAP(taken, KT_NR_SLOTS);
static u32 used, next;

int kt_slot_init(void)
{
	int err;

	memset(kt_slot_area, 0xcc, sizeof(kt_slot_area));
	err = kt_set_memory_ro(AREA, AREA_PAGES);
	if (!err)
		err = kt_set_memory_x(AREA, AREA_PAGES);
	if (err)
		kt_slot_exit();
	return err;
}

void kt_slot_exit(void)
{
	kt_set_memory_nx(AREA, AREA_PAGES);
	kt_set_memory_rw(AREA, AREA_PAGES);
}

static u32 units_of(unsigned int bytes)
{
	return DIV_ROUND_UP(bytes, KT_SLOT_BYTES);
}

void *kt_slot_alloc(unsigned int bytes)
{
	u32 n = units_of(bytes);
	unsigned long i;

	spin_lock(&slot_lock);
	i = bitmap_find_next_zero_area(taken, KT_NR_SLOTS, next, n, 0);
	if (i >= KT_NR_SLOTS)
		i = bitmap_find_next_zero_area(taken, KT_NR_SLOTS, 0, n, 0);
	if (i < KT_NR_SLOTS) {
		bitmap_set(taken, i, n);
		next = i + n;
		used += n;
	}
	spin_unlock(&slot_lock);
	return i < KT_NR_SLOTS ? kt_slot_area + i * KT_SLOT_BYTES : NULL;
}

void kt_slot_free(void *slot, unsigned int bytes)
{
	u32 n = units_of(bytes);

	spin_lock(&slot_lock);
	bitmap_clear(taken, ((u8 *)slot - kt_slot_area) / KT_SLOT_BYTES, n);
	used -= n;
	spin_unlock(&slot_lock);
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
	if (slot != pending.at + pending.n ||
	    offset_in_page(pending.at) + pending.n + bytes > PAGE_SIZE)
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
