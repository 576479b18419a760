/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch.S - see kmod/scratch.h. */
#include <linux/linkage.h>
#include <asm/unwind_hints.h>
#include "scratch_arch.h"

/* Older kernels have no macro for what they return by. */
#ifndef RET
#define RET	ret
#endif

/* As far as short branches reach: what is looked at before a jump is written there. */
#define NEIGHBOUR	.skip 160, 0x90

	.text
SYM_FUNC_START_LOCAL(kt_scratch_before)
	NEIGHBOUR
	RET
SYM_FUNC_END(kt_scratch_before)

SYM_FUNC_START(kt_scratch)
	KT_SCRATCH_BODY
SYM_INNER_LABEL(kt_scratch_return, SYM_L_GLOBAL)
	RET
SYM_FUNC_END(kt_scratch)

SYM_FUNC_START_LOCAL(kt_scratch_behind)
	NEIGHBOUR
	RET
SYM_FUNC_END(kt_scratch_behind)
