// SPDX-License-Identifier: GPL-2.0-only
/*
 * scratch_called.c - the function with which kretprobes are calibrated.
 *
 * Unlike the rest of the module it is built with ftrace's nop at its entry: there the kernel sets its kretprobes, as it
 * does in the functions that users measure.
 */
#include <linux/compiler.h>

#include "kmod/base/ktrace.h"
#include "kmod/text/scratch.h"
#include "scratch_arch.h"

noinline __noclone asmlinkage void kt_scratch_called(unsigned long n)
{
	asm volatile(".globl kt_scratch_called_entry\n"
		     "kt_scratch_called_entry:\n\t"
		     KT_SCRATCH_NOT_CALLED KT_SCRATCH_BODY : : "r" (n) : KT_SCRATCH_CHANGES, "memory");
}
