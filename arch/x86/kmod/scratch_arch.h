/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch_arch.h - what the function does that tracepoints are calibrated on. */
#ifndef KTRACE_SCRATCH_ARCH_H
#define KTRACE_SCRATCH_ARCH_H

/* Room for a jump, in instructions that go anywhere; changes registers that functions may change. */
#ifdef __ASSEMBLY__
#define KT_SCRATCH_BODY		leaq 8(%rdi), %rax ; leaq 8(%rax), %rax ; leaq 8(%rax), %rax
#else
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/objtool.h>
/* The address of an instruction is taken to be traced, not to be called: no landing for indirect calls. */
#define KT_SCRATCH_NOT_CALLED	ANNOTATE_NOENDBR "\n\t"
#else
#define KT_SCRATCH_NOT_CALLED
#endif
#define KT_SCRATCH_BODY		"leaq 8(%%rax), %%rax; leaq 8(%%rax), %%rax; leaq 8(%%rax), %%rax"
#define KT_SCRATCH_CHANGES	"rax"
#endif

#endif
