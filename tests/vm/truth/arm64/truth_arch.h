/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * truth_arch.h - code that takes a known number of instructions; addresses in the lab's machine of this
 * architecture.
 */
#ifndef KTRUTH_ARCH_H
#define KTRUTH_ARCH_H

#include <asm/fixmap.h>

#define TRUTH_DEVICE		0x09010000	/* a clock */
#define TRUTH_DEVICE_COMBINING	0x0a000000	/* of a virtio device */
#define TRUTH_END_OF_USER	TASK_SIZE_64
#define TRUTH_FIXED		FIXADDR_START	/* pages that the kernel maps for a moment */

/* Modules have no NMIs here. */
static inline int truth_nmi_init(void)
{
	return 0;
}

/* 2 n + 1 instructions; n is a constant up to 65535. */
#define TRUTH_TAKES(n)		\
	asm volatile("mov w9, %0; 1: subs w9, w9, #1; b.ne 1b" : : "i"(n) : "x9", "cc", "memory")

#define TRUTH_ARCH_CALLS	/* no more calls for "call NAME" */

static inline void truth_nmi_exit(void)
{
}

#endif
