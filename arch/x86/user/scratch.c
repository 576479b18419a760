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
	"scratch_emulated: push %rbp\n"
	"	pop %rbp\n"
	"scratch_emulated_end: ret\n"
	".p2align 6\n"
	"scratch_stepped: mov %rsp, %rax\n"
	"scratch_stepped_end: ret\n"
	".p2align 6\n"
	"scratch_around: push %rbp\n"
	"	call *%rdi\n"
	"	pop %rbp\n"
	"scratch_around_end: ret\n"
	".popsection\n");

const struct arch_scratch arch_user_scratch[NR_SCRATCH] = {
	[SCRATCH_EMULATED] = { scratch_emulated, scratch_emulated_end },
	[SCRATCH_STEPPED] = { scratch_stepped, scratch_stepped_end },
	[SCRATCH_AROUND] = { scratch_around, scratch_around_end },
};
