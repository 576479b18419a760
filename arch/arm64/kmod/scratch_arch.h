/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch_arch.h - what the function does that tracepoints are calibrated on. */
#ifndef KTRACE_SCRATCH_ARCH_H
#define KTRACE_SCRATCH_ARCH_H

/* Instructions that go anywhere; changes registers that functions may change. */
#ifdef __ASSEMBLY__
#define KT_SCRATCH_BODY		add x0, x0, #8 ; add x0, x0, #8 ; add x0, x0, #8
#else
#define KT_SCRATCH_NOT_CALLED
#define KT_SCRATCH_BODY		"add x0, x0, #8; add x0, x0, #8; add x0, x0, #8"
#define KT_SCRATCH_CHANGES	"x0"
#endif

#endif
