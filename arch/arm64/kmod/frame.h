/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - what trampolines and static tracepoints put on the stack: struct pt_regs, then the return
 * address into the trampoline, then a frame record for whoever walks the stack meanwhile.  C and assembler.
 */
#ifndef KTRACE_ARM64_FRAME_H
#define KTRACE_ARM64_FRAME_H

#define KT_FRAME_BYTES		400
#define KT_FRAME_RETURN		(KT_FRAME_BYTES - 32)
#define KT_FRAME_RECORD		(KT_FRAME_BYTES - 16)

/* struct pt_regs (asm/ptrace.h): the first of them are for ever, being those of signals and ptrace. */
#define KT_REGS_X(n)		((n) * 8)
#define KT_REGS_PC		256
#define KT_REGS_PSTATE		264

/* What the code looks at of a hit's site and descriptor. */
#define KT_SITE_ADDR		16
#define KT_SITE_DESC		24
#define KT_DESC_ALL_REGS	20

#define KT_PSTATE_NZCV		0xf0000000
#define KT_PSTATE_DAIF		0x3c0

#endif
