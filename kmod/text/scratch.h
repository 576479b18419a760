/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.h - functions of the module's own that do next to nothing: what tracepoints cost is
 * calibrated on them.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

/* arch/<cpu>/kmod/scratch.S: KT_SCRATCH_BODY, then a return. */
asmlinkage unsigned long kt_scratch(unsigned long n);
extern const char kt_scratch_return[];

/* The same with the nop for ftrace in front of its first own instruction: scratch_called.c. */
asmlinkage void kt_scratch_called(unsigned long n);
extern const char kt_scratch_called_entry[];

/* The address that a number of enum kt_scratch stands for; 0: no such number. */
unsigned long kt_scratch_address(u64 number);
/* May it be traced, although it is in the module? */
bool kt_scratch_is(unsigned long addr);
static inline bool kt_scratch_is_return(unsigned long addr)
{
	return addr == KT_RETURN_OF((unsigned long)kt_scratch_called);
}

#endif
