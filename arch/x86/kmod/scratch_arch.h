/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch_arch.h - the body of the functions with which tracepoints are calibrated. */
#ifndef KTRACE_SCRATCH_ARCH_H
#define KTRACE_SCRATCH_ARCH_H

/* Instructions that leave room for a jump and can be executed out of line.  They change scratch registers only. */
#ifdef __ASSEMBLY__
#define KT_SCRATCH_BODY		leaq 8(%rdi), %rax ; leaq 8(%rax), %rax ; leaq 8(%rax), %rax
#else
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/objtool.h>
/* The module takes the address of this instruction to trace it, not to call it: it needs no endbr64. */
#define KT_SCRATCH_NOT_CALLED	ANNOTATE_NOENDBR "\n\t"
#else
#define KT_SCRATCH_NOT_CALLED
#endif
#define KT_SCRATCH_BODY		"leaq 8(%%rax), %%rax; leaq 8(%%rax), %%rax; leaq 8(%%rax), %%rax"
#define KT_SCRATCH_CHANGES	"rax"
#endif

#endif
