/* SPDX-License-Identifier: GPL-2.0-only */
/* area_arch.h - areas for slots.  On x86 they lie among the modules, within 2 GiB of all kernel text. */
#ifndef KTRACE_X86_AREA_ARCH_H
#define KTRACE_X86_AREA_ARCH_H

#include <linux/types.h>

#include "insn.h"
#include "trampoline.h"

/*
 * kt_area_map() allocates KT_AREA_BYTES of executable, read-only memory within reach of the text at `from`; NULL: no
 * memory.  The caller owns it until kt_area_unmap(); no CPU may then execute it.  Sleepable.
 */
void *kt_area_map(unsigned long from);
void kt_area_unmap(void *area);

/* Write code into an area, not beyond the end of a page.  Under the text lock; may sleep. */
void kt_area_write(void *at, const u8 *code, size_t n);

/* Does the text at `from` lie within reach of each slot of the area?  On x86 all text does.  Any context. */
static inline bool kt_area_reaches(unsigned long base, unsigned long from)
{
	return true;
}

#endif
