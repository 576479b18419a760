/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot.h - memory for out-of-line code: copies of displaced instructions, and trampolines.
 *
 * Slots lie in areas of executable memory within reach of the text that they serve (area_arch.h).  ktrace allocates
 * an area when it first needs it, and frees empty areas, except the first of each kind.  An area holds either copies of
 * single instructions, or trampolines, or generated code (code.h).  Each kind has its own areas.  Those of the first two
 * are by default enough for KT_MAX_SITES, so breakpoints never take the room of jumps.
 *
 * A hit does not search for its area: the site has the address at which to continue.
 */
#ifndef KTRACE_SLOT_H
#define KTRACE_SLOT_H

#include <linux/sizes.h>
#include <linux/types.h>

enum kt_slot_kind { KT_SLOT_PLAIN, KT_SLOT_JUMP, KT_SLOT_CODE, KT_NR_SLOT_KINDS };

#define KT_UNIT_BYTES	32		/* size and alignment of slots are multiples of it */
#define KT_AREA_UNITS	8192
#define KT_AREA_BYTES	(KT_AREA_UNITS * KT_UNIT_BYTES)

/*
 * Allocate an area if the next turn (KT_TURN sites, so many bytes each, near that text) may need one: an allocation
 * must not wait for memory under the text lock.  Sleepable, under kt_change_lock alone.
 */
void kt_slot_reserve(enum kt_slot_kind kind, unsigned int bytes, unsigned long from);

/*
 * Room for so many bytes within reach of the text at `from`; NULL: there is none.  The caller owns it until
 * kt_slot_free().  Sleepable, under the text lock.
 */
void *kt_slot_alloc(enum kt_slot_kind kind, unsigned int bytes, unsigned long from);
/* Free a slot.  No CPU executes it, no text leads to it, and what was written to it is flushed.  Sleepable. */
void kt_slot_free(void *slot, unsigned int bytes);

/*
 * kt_slot_write() notes code for a slot, or for several in a row; kt_slots_flush() writes what is noted.  The caller
 * flushes before anything leads there, and before it releases the text lock.  Both under the text lock; may sleep.
 */
void kt_slot_write(void *slot, const u8 *code, unsigned int bytes);
void kt_slots_flush(void);

/* Free empty areas.  Sleepable, under no lock. */
void kt_slot_trim(void);
void kt_slot_exit(void);	/* free all areas; no CPU executes a slot any more */

/* For KT_IOC_STATUS: of copies and trampolines. */
u32 kt_slots_used(void);
u32 kt_slots_max(void);
u32 kt_areas(void);
u32 kt_areas_max(void);

#endif
