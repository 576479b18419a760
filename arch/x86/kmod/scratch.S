/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch.S - see kmod/scratch.h. */
#include <linux/linkage.h>
#include <asm/unwind_hints.h>
#include "scratch_arch.h"

/* Older kernels have no macro for what they return by. */
#ifndef RET
#define RET	ret
#endif

	.text
SYM_FUNC_START(kt_scratch)
	KT_SCRATCH_BODY
SYM_INNER_LABEL(kt_scratch_return, SYM_L_GLOBAL)
	RET
SYM_FUNC_END(kt_scratch)
