/* SPDX-License-Identifier: GPL-2.0-only */
/* area_arch.h - where slots lie: between the modules, within 2 GiB of all text. */
#ifndef KTRACE_X86_AREA_ARCH_H
#define KTRACE_X86_AREA_ARCH_H

#include <linux/types.h>

#include "insn.h"
#include "trampoline.h"

/*
 * KT_AREA_BYTES of memory within reach of the text at `near`, executable and read-only / given back.  NULL without
 * memory.  Sleepable.
 */
void *kt_area_map(unsigned long near);
void kt_area_unmap(void *area);

/* From each of its slots all text can be reached. */
static inline bool kt_area_reaches(unsigned long base, unsigned long near)
{
	return true;
}

#endif
