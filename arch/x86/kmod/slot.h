/* SPDX-License-Identifier: GPL-2.0-only */
/* slot.h - room for out-of-line code: copies of displaced instructions, trampolines. */
#ifndef KTRACE_X86_SLOT_H
#define KTRACE_X86_SLOT_H

#include <linux/types.h>

#define KT_SLOT_BYTES	32	/* longest out-of-line code for one instruction */
#define KT_NR_SLOTS	32768

extern u8 kt_slot_area[KT_NR_SLOTS * KT_SLOT_BYTES];

/* -ENOMEM, ...  Sleepable. */
int kt_slot_init(void);
/* Nothing is executed there any more. */
void kt_slot_exit(void);

/* Room for so many bytes, in whole slots; NULL when there is none.  Any task context. */
void *kt_slot_alloc(unsigned int bytes);
void kt_slot_free(void *slot, unsigned int bytes);

/*
 * Write code to a slot, or to several in a row / now: before anything leads there.  Under
 * text_mutex.
 */
void kt_slot_write(void *slot, const u8 *code, unsigned int bytes);
void kt_slots_flush(void);
u32 kt_slots_used(void);

#endif
