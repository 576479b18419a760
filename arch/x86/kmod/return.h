/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * return.h - the return instruction of the assembler code.  The kernel patches a jump to its thunk to a plain return where the
 * processor does not need the thunk.  It finds the places by objtool; where objtool does not read this code, they are alternatives.
 */
#ifndef KTRACE_X86_RETURN_H
#define KTRACE_X86_RETURN_H

#include <linux/linkage.h>
#if __has_include(<asm/alternative-asm.h>)
#include <asm/alternative-asm.h>
#else
#include <asm/alternative.h>
#endif
#include <asm/cpufeatures.h>

#if defined(CONFIG_RETHUNK) && !defined(CONFIG_X86_KERNEL_IBT)
#undef RET
#define RET	ALTERNATIVE "ret; int3; int3; int3; int3", "jmp __x86_return_thunk", X86_FEATURE_RETHUNK
#elif !defined(RET)	/* older kernels have no macro for it */
#define RET	ret
#endif

#endif
