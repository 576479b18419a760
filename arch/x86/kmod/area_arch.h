/* SPDX-License-Identifier: GPL-2.0-only */
/* area_arch.h - where slots lie: between the modules, within 2 GiB of all text. */
#ifndef KTRACE_X86_AREA_ARCH_H
#define KTRACE_X86_AREA_ARCH_H

#include <linux/types.h>

#include "insn.h"
#include "trampoline.h"

/*
 * kt_area_map() gets KT_AREA_BYTES of memory, executable and read-only, within reach of the text at `near`; NULL
 * without memory.  The caller owns it until kt_area_unmap(), when no CPU is in there.  Sleepable.
 */
void *kt_area_map(unsigned long from);
void kt_area_unmap(void *area);

/* Write code into an area, at most to the end of a page.  Under the text lock; may sleep. */
void kt_area_write(void *at, const u8 *code, size_t n);

/* Can the text at `near` be reached from each slot of the area?  Here all text can.  Any context. */
static inline bool kt_area_reaches(unsigned long base, unsigned long from)
{
	return true;
}

#endif
