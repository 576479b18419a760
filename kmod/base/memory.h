/* SPDX-License-Identifier: GPL-2.0-only */
/* memory.h - memory for rings and tables whose size a caller chooses.  Other programs are left enough. */
#ifndef KTRACE_MEMORY_H
#define KTRACE_MEMORY_H

#include <linux/types.h>

/*
 * May so many bytes be taken at present?  A sixteenth of the machine's memory, or 256 MiB where that is less, must stay
 * available: without it the kernel would kill other programs in order to get memory.  Half of that must stay where the
 * caller frees as many bytes in exchange, so that rings can be made smaller when memory is short.  Any context.
 */
bool kt_memory_enough(u64 bytes, u64 freed);

/*
 * Zeroed memory; NULL if kt_memory_enough() refuses it or it cannot be had.  The OOM killer is not invoked.  Free it with
 * vfree().  Sleepable, under any mutex of the module.
 */
void *kt_memory_alloc(size_t bytes, size_t freed);

#endif
