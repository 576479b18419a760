/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - the stack frame of trampolines and of the probe of static tracepoints: struct pt_regs, then what
 * generated code keeps there, the address to which the entry returns, and a frame record for stack walks during the hit.  For C and
 * assembler.
 */
#ifndef KTRACE_ARM64_FRAME_H
#define KTRACE_ARM64_FRAME_H

#define KT_FRAME_BYTES		480
#define KT_FRAME_KEEP		(KT_FRAME_BYTES - 112)	/* six words */
#define KT_FRAME_CALL		(KT_FRAME_BYTES - 64)	/* four words */
#define KT_FRAME_RETURN		(KT_FRAME_BYTES - 32)
#define KT_FRAME_RECORD		(KT_FRAME_BYTES - 16)

/* struct pt_regs (asm/ptrace.h).  Its first members never move, because signals and ptrace have the same layout. */
#define KT_REGS_X(n)		((n) * 8)
#define KT_REGS_PC		256
#define KT_REGS_PSTATE		264

/* Offsets of members that the assembler code and generated code need. */
#define KT_SITE_ADDR		16
#define KT_SITE_DESC		24
#define KT_SITE_DIRECT		32
#define KT_DESC_ALL_REGS	20
#define KT_DESC_CONSUMER	56
#define KT_CONSUMER_SITE	48
#define KT_COUNTS_MISSED	8

#define KT_PSTATE_NZCV		0xf0000000
#define KT_PSTATE_DAIF		0x3c0

#endif
