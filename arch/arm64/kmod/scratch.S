/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch.S - see kmod/text/scratch.h. */
#include <linux/linkage.h>
#include "scratch_arch.h"

/* It has no bti, because callers call it directly only. */
	.text
SYM_START(kt_scratch, SYM_L_GLOBAL, SYM_A_ALIGN)
	KT_SCRATCH_BODY
SYM_INNER_LABEL(kt_scratch_return, SYM_L_GLOBAL)
	ret
SYM_FUNC_END(kt_scratch)
