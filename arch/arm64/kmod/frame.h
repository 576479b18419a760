/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - the stack frame of trampolines and of the probe of static tracepoints: struct pt_regs, then the return
 * address into the trampoline, then a frame record for stack walks during the hit.  For C and assembler.
 */
#ifndef KTRACE_ARM64_FRAME_H
#define KTRACE_ARM64_FRAME_H

#define KT_FRAME_BYTES		400
#define KT_FRAME_RETURN		(KT_FRAME_BYTES - 32)
#define KT_FRAME_RECORD		(KT_FRAME_BYTES - 16)

/* struct pt_regs (asm/ptrace.h).  Its first members never move, because signals and ptrace have the same layout. */
#define KT_REGS_X(n)		((n) * 8)
#define KT_REGS_PC		256
#define KT_REGS_PSTATE		264

/* Offsets of the members of struct kt_site and struct kt_desc that the assembler code reads. */
#define KT_SITE_ADDR		16
#define KT_SITE_DESC		24
#define KT_DESC_ALL_REGS	20

#define KT_PSTATE_NZCV		0xf0000000
#define KT_PSTATE_DAIF		0x3c0

#endif
