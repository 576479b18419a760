/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot.h - room for out-of-line code: copies of displaced instructions, trampolines.
 *
 * It lies in areas of executable memory within reach of the text that they serve (area_arch.h), each made when it
 * is first needed and given back when nothing is left in it, but for one.  An area holds either copies of single instructions
 * or trampolines, and of each kind there are as many as KT_MAX_SITES need: jumps keep their share, however many
 * breakpoints are set.
 *
 * No hit asks for the area of an address: the site tells where to go on.
 */
#ifndef KTRACE_SLOT_H
#define KTRACE_SLOT_H

#include <linux/sizes.h>
#include <linux/types.h>

enum kt_slot_kind { KT_SLOT_PLAIN, KT_SLOT_JUMP, KT_NR_SLOT_KINDS };

#define KT_UNIT_BYTES	32		/* what a slot is a multiple of, and aligned to */
#define KT_AREA_UNITS	8192
#define KT_AREA_BYTES	(KT_AREA_UNITS * KT_UNIT_BYTES)

/*
 * Make an area now if it looks as if the next turn of sites (KT_TURN, of so many bytes each) near that text needs one:
 * memory is not to be waited for with the text locked.  Sleepable, under kt_change_lock alone.
 */
void kt_slot_reserve(enum kt_slot_kind kind, unsigned int bytes, unsigned long near);

/*
 * Room for so many bytes within reach of the text at `near`; NULL when there is none.  The caller owns it until
 * kt_slot_free().  Sleepable, under the text lock.
 */
void *kt_slot_alloc(enum kt_slot_kind kind, unsigned int bytes, unsigned long near);
/* Give it back: no CPU is in there, nothing leads there, and what was written is flushed.  Sleepable. */
void kt_slot_free(void *slot, unsigned int bytes);

/* Give areas back that nothing is left in.  Sleepable, under no lock. */
void kt_slot_trim(void);
void kt_slot_exit(void);	/* all of them: nothing is executed there any more */

/* For KT_IOC_STATUS. */
u32 kt_slots_used(void);
u32 kt_slots_max(void);
u32 kt_areas(void);
u32 kt_areas_max(void);

#endif
