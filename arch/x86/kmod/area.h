/* SPDX-License-Identifier: GPL-2.0-only */
/* area.h - what is written to slots. */
#ifndef KTRACE_X86_AREA_H
#define KTRACE_X86_AREA_H

#include <linux/types.h>

/*
 * Write code to a slot, or to several in a row / now: before anything leads there, and before the lock is left.
 * Under the text lock.
 */
void kt_slot_write(void *slot, const u8 *code, unsigned int bytes);
void kt_slots_flush(void);

#endif
