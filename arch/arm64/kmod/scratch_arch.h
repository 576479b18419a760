/* SPDX-License-Identifier: GPL-2.0-only */
/* scratch_arch.h - the body of the functions with which tracepoints are calibrated. */
#ifndef KTRACE_SCRATCH_ARCH_H
#define KTRACE_SCRATCH_ARCH_H

/* Instructions that can be executed out of line.  They change scratch registers only. */
#ifdef __ASSEMBLY__
#define KT_SCRATCH_BODY		add x0, x0, #8 ; add x0, x0, #8 ; add x0, x0, #8
#else
#define KT_SCRATCH_NOT_CALLED
#define KT_SCRATCH_BODY		"add x0, x0, #8; add x0, x0, #8; add x0, x0, #8"
#define KT_SCRATCH_CHANGES	"x0"
#endif

#endif
