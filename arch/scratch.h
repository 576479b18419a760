/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch.h - for scratch.c of each architecture, which has these functions in assembler: see struct arch_scratch. */
#ifndef KTRACE_ARCH_SCRATCH_H
#define KTRACE_ARCH_SCRATCH_H

#include "user.h"

#define HIDDEN	__attribute__((visibility("hidden")))

extern HIDDEN void scratch_emulated(void (*inner)(void));
extern HIDDEN void scratch_stepped(void (*inner)(void));
extern HIDDEN void scratch_around(void (*inner)(void));
extern HIDDEN const uint8_t scratch_emulated_end[], scratch_stepped_end[], scratch_around_end[];

const struct arch_scratch arch_user_scratch[NR_SCRATCH] = {
	[SCRATCH_EMULATED] = { scratch_emulated, scratch_emulated_end },
	[SCRATCH_STEPPED] = { scratch_stepped, scratch_stepped_end },
	[SCRATCH_AROUND] = { scratch_around, scratch_around_end },
};

#endif
