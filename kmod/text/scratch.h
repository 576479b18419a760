/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scratch.h - functions of the module that do almost nothing.  Calibration sets tracepoints on them to measure what a
 * tracepoint costs.
 */
#ifndef KTRACE_SCRATCH_H
#define KTRACE_SCRATCH_H

#include <linux/types.h>

#include "core/ktrace_abi.h"

/* arch/<cpu>/kmod/scratch.S: KT_SCRATCH_BODY, then a return. */
asmlinkage unsigned long kt_scratch(unsigned long n);
extern const char kt_scratch_return[];

/* The same function with ftrace's nop before its first own instruction: scratch_called.c. */
asmlinkage void kt_scratch_called(unsigned long n);
extern const char kt_scratch_called_entry[];

/* The address for a number of enum kt_scratch; 0: no such number. */
unsigned long kt_scratch_address(u64 number);
/* Is it the address of a scratch function?  Only these addresses of the module may be traced. */
bool kt_scratch_is(unsigned long addr);
/* Is it the return of kt_scratch_called()? */
static inline bool kt_scratch_is_return(unsigned long addr)
{
	return addr == KT_RETURN_OF((unsigned long)kt_scratch_called);
}

#endif
