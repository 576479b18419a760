/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot.h - room for out-of-line code: copies of displaced instructions, trampolines.
 *
 * It lies within reach of single branches from the text that it serves.  The module itself may not:
 * with CONFIG_RANDOMIZE_BASE modules are anywhere in 2 GiB.
 */
#ifndef KTRACE_ARM64_SLOT_H
#define KTRACE_ARM64_SLOT_H

#include <linux/types.h>

#define KT_AREA_BYTES	(1UL << 20)
#define KT_NR_AREAS	8		/* at most; each where it is first needed */
#define KT_UNIT_BYTES	32
#define KT_AREA_UNITS	(KT_AREA_BYTES / KT_UNIT_BYTES)

void kt_slot_exit(void);

/*
 * Room for so many bytes within reach of the text at `near`, in whole units; NULL when there is none.  Sleepable,
 * under the table's lock.
 */
void *kt_slot_alloc(unsigned int bytes, unsigned long near);
void kt_slot_free(void *slot, unsigned int bytes);	/* any task context */

/*
 * Write code to a slot, or to several in a row / now: before anything leads there.  Under
 * the text lock.
 */
void kt_slot_write(void *slot, const u8 *code, unsigned int bytes);
void kt_slots_flush(void);
u32 kt_slots_used(void);

#endif
