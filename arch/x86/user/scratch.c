// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c - functions to calibrate uprobes on.  See struct arch_scratch. */
#include "arch/scratch.h"

/* As numbers, because the unit tests build this file on other machines, too. */
__asm__(".pushsection .text\n"
	".p2align 6\n"
	"scratch_emulated: .byte 0x55\n"			/* push %rbp */
	"	.byte 0x5d\n"				/* pop %rbp */
	"scratch_emulated_end: .byte 0xc3\n"		/* ret */
	".p2align 6\n"
	"scratch_stepped: .byte 0x48, 0x89, 0xe0\n"	/* mov %rsp, %rax */
	"scratch_stepped_end: .byte 0xc3\n"
	".p2align 6\n"
	"scratch_around: .byte 0x55\n"
	"	.byte 0xff, 0xd7\n"			/* call *%rdi */
	"	.byte 0x5d\n"
	"scratch_around_end: .byte 0xc3\n"
	".popsection\n");
