/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch.S - see kmod/text/scratch.h. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/unwind_hints.h>
#include "scratch_arch.h"

/* Older kernels have no macro for the return instruction. */
#ifndef RET
#define RET	ret
#endif

/* The module takes these addresses to trace them, not to call them: they need no endbr64. */
#ifdef CONFIG_X86_KERNEL_IBT
#define NOT_CALLED	ANNOTATE_NOENDBR
#else
#define NOT_CALLED
#endif

/* Code before and behind, as far as a short branch reaches: ktrace decodes it before it writes a jump (displaced.c). */
#define NEIGHBOUR	.skip 160, 0x90

	.text
SYM_FUNC_START_LOCAL(kt_scratch_before)
	NEIGHBOUR
	RET
SYM_FUNC_END(kt_scratch_before)

/*
 * It has no endbr64, which SYM_FUNC_START() would add: callers call it directly, and its first instruction is traced.
 */
SYM_START(kt_scratch, SYM_L_GLOBAL, SYM_A_ALIGN)
	NOT_CALLED
	KT_SCRATCH_BODY
SYM_INNER_LABEL(kt_scratch_return, SYM_L_GLOBAL)
	NOT_CALLED
	RET
SYM_FUNC_END(kt_scratch)

SYM_FUNC_START_LOCAL(kt_scratch_behind)
	NEIGHBOUR
	RET
SYM_FUNC_END(kt_scratch_behind)
