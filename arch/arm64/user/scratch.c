// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c - functions to calibrate uprobes on.  See struct arch_scratch. */
#include "arch/scratch.h"

/* As numbers, because the unit tests build this file on other machines, too. */
__asm__(".pushsection .text\n"
	".p2align 6\n"
	"scratch_emulated: .4byte 0x10000010\n"		/* adr x16, . */
	"	.4byte 0xd503201f\n"			/* nop */
	"scratch_emulated_end: .4byte 0xd65f03c0\n"	/* ret */
	".p2align 6\n"
	"scratch_stepped: .4byte 0x910003f0\n"		/* mov x16, sp */
	"	.4byte 0xd503201f\n"
	"scratch_stepped_end: .4byte 0xd65f03c0\n"
	".p2align 6\n"
	"scratch_around: .4byte 0xa9bf7bfd\n"		/* stp x29, x30, [sp, #-16]! */
	"	.4byte 0xd63f0000\n"			/* blr x0 */
	"	.4byte 0xa8c17bfd\n"			/* ldp x29, x30, [sp], #16 */
	"scratch_around_end: .4byte 0xd65f03c0\n"
	".popsection\n");
