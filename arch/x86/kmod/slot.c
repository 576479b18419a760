// SPDX-License-Identifier: GPL-2.0-only
/* slot.c - which slots are taken. */
#include <linux/bitmap.h>
#include <linux/spinlock.h>

#include "ktrace.h"
#include "slot.h"

static DEFINE_SPINLOCK(slot_lock);
static DECLARE_BITMAP(taken, KT_NR_SLOTS);
static u32 used, next;

void *kt_slot_alloc(void)
{
	u32 i;

	spin_lock(&slot_lock);
	i = find_next_zero_bit(taken, KT_NR_SLOTS, next);
	if (i == KT_NR_SLOTS)
		i = find_first_zero_bit(taken, KT_NR_SLOTS);
	if (i < KT_NR_SLOTS) {
		__set_bit(i, taken);
		next = i + 1;
		used++;
	}
	spin_unlock(&slot_lock);
	return i < KT_NR_SLOTS ? kt_slot_area + i * KT_SLOT_BYTES : NULL;
}

void kt_slot_free(void *slot)
{
	spin_lock(&slot_lock);
	__clear_bit(((u8 *)slot - kt_slot_area) / KT_SLOT_BYTES, taken);
	used--;
	spin_unlock(&slot_lock);
}

u32 kt_slots_used(void)
{
	return READ_ONCE(used);
}
