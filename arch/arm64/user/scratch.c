// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c - functions to calibrate uprobes on.  See struct arch_scratch. */
#include "user.h"

#define HIDDEN	__attribute__((visibility("hidden")))

extern HIDDEN void scratch_emulated(void (*inner)(void));
extern HIDDEN void scratch_stepped(void (*inner)(void));
extern HIDDEN void scratch_around(void (*inner)(void));
extern HIDDEN const uint8_t scratch_emulated_end[], scratch_stepped_end[], scratch_around_end[];

__asm__(".pushsection .text\n"
	".p2align 6\n"
	"scratch_emulated: adr x16, .\n"
	"	nop\n"
	"scratch_emulated_end: ret\n"
	".p2align 6\n"
	"scratch_stepped: mov x16, sp\n"
	"	nop\n"
	"scratch_stepped_end: ret\n"
	".p2align 6\n"
	"scratch_around: stp x29, x30, [sp, #-16]!\n"
	"	blr x0\n"
	"	ldp x29, x30, [sp], #16\n"
	"scratch_around_end: ret\n"
	".popsection\n");

const struct arch_scratch arch_user_scratch[NR_SCRATCH] = {
	[SCRATCH_EMULATED] = { scratch_emulated, scratch_emulated_end },
	[SCRATCH_STEPPED] = { scratch_stepped, scratch_stepped_end },
	[SCRATCH_AROUND] = { scratch_around, scratch_around_end },
};
