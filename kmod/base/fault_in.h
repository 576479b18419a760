/* SPDX-License-Identifier: GPL-2.0-only */
/* fault_in.h - bring in a page of user memory that a load could not read. */
#ifndef KTRACE_FAULT_IN_H
#define KTRACE_FAULT_IN_H

#include <linux/irqflags.h>
#include <linux/types.h>

/* Task context, not in a hit; no lock of ktrace is held.  Sleepable. */
bool kt_fault_in_page(u64 addr);

/*
 * Try to bring in the pages of `size` bytes, 64 at most.  False: the caller is in a hit, which has interrupts off, or a
 * page cannot be brought in.  Otherwise it is worth loading again.  Any context.
 */
static inline bool kt_fault_in(u64 addr, size_t size)
{
	if (irqs_disabled())
		return false;
	return kt_fault_in_page(addr) && kt_fault_in_page(addr + size - 1);
}

#endif
