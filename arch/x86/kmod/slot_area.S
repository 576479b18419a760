/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot_area.S - room for slots in the module's own text: within reach of all
 * kernel text, executable, never writable.  No bytes in the file; nothing is
 * executed there before a slot was written.
 */
#include "slot.h"

	.section .ktrace.slots, "ax", @nobits
	.balign	KT_SLOT_BYTES
	.globl	kt_slot_area
	.type	kt_slot_area, @object
kt_slot_area:
	.skip	KT_NR_SLOTS * KT_SLOT_BYTES
	.size	kt_slot_area, . - kt_slot_area
