/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticks.h - the processor's clock, for programs that measure. */
#ifndef KTRACE_TICKS_H
#define KTRACE_TICKS_H

#include <linux/types.h>

/* Behind all that is before it, and in front of all that is behind. */
static inline __u64 ordered_ticks(void)
{
	__u64 ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks) :: "memory");
	return ticks;
}

/* Where time counts instructions, a tick is 16 of them: QEMU's counter runs at 62.5 MHz. */
#define TICK_INSTRUCTIONS	16

#endif
