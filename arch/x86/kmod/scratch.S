/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch.S - see kmod/text/scratch.h. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/unwind_hints.h>
#include "scratch_arch.h"

/* Older kernels have no macro for what they return by. */
#ifndef RET
#define RET	ret
#endif

/* Their addresses are taken to be traced, not to be called. */
#ifdef CONFIG_X86_KERNEL_IBT
#define NOT_CALLED	ANNOTATE_NOENDBR
#else
#define NOT_CALLED
#endif

/* As far as short branches reach: what is looked at before a jump is written there. */
#define NEIGHBOUR	.skip 160, 0x90

	.text
SYM_FUNC_START_LOCAL(kt_scratch_before)
	NEIGHBOUR
	RET
SYM_FUNC_END(kt_scratch_before)

/* Called directly and traced from its first instruction on: no landing pad, which SYM_FUNC_START() brings. */
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
