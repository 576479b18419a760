/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * area_arch.h - areas for slots.  On arm64 a single branch reaches them from the text that they serve, and back.  The
 * module may lie farther away: with CONFIG_RANDOMIZE_BASE modules are anywhere in 2 GiB.
 */
#ifndef KTRACE_ARM64_AREA_ARCH_H
#define KTRACE_ARM64_AREA_ARCH_H

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

/* Does a branch reach each slot of the area from the text at `from`, and back?  Any context. */
bool kt_area_reaches(unsigned long base, unsigned long from);

#endif
