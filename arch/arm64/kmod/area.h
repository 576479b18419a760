/* SPDX-License-Identifier: GPL-2.0-only */
/* area.h - what is written to slots. */
#ifndef KTRACE_ARM64_AREA_H
#define KTRACE_ARM64_AREA_H

#include <linux/types.h>

/*
 * kt_slot_write() notes code for a slot, or for several in a row; kt_slots_flush() writes what is noted.  The caller
 * flushes before anything leads there, and before it gives the text lock back.  Both under the text lock; may sleep.
 */
void kt_slot_write(void *slot, const u8 *code, unsigned int bytes);
void kt_slots_flush(void);

#endif
