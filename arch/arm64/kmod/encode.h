/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - recognise and encode A64 instructions (Arm Architecture Reference Manual, C4 and C6).
 */
#ifndef KTRACE_ARM64_ENCODE_H
#define KTRACE_ARM64_ENCODE_H

#include <linux/types.h>

#define KT_INSN_BYTES	4

/* The immediate of ktrace's breakpoints.  asm/brk-imm.h has those of the kernel. */
#define KT_BRK_IMM	0x4b54
#define KT_BRK(imm)	(0xd4200000U | (u32)(imm) << 5)
#define KT_NOP		0xd503201fU

#define KT_IP0		16	/* the scratch register of the linker's veneers */
#define KT_FP		29
#define KT_LR		30
#define KT_ZERO		31	/* or the stack pointer: it depends on the instruction */

/* b and bl reach so many bytes in either direction. */
#define KT_BRANCH_REACH	(128LL << 20)

/* Bits `first` .. first + n - 1, as a signed number. */
static inline s64 kt_signed_field(u32 insn, unsigned int first, unsigned int n)
{
	return (s64)((u64)insn << (64 - first - n)) >> (64 - n);
}

static inline bool kt_branch_reaches(unsigned long from, unsigned long to)
{
	s64 distance = to - from;

	return distance >= -KT_BRANCH_REACH && distance < KT_BRANCH_REACH;
}

/* Encode b.  The caller checks kt_branch_reaches(): otherwise the target of the instruction is wrong. */
static inline u32 kt_put_b(unsigned long from, unsigned long to)
{
	return 0x14000000U | ((u32)((to - from) >> 2) & 0x3ffffff);
}

static inline u32 kt_put_bl(unsigned long from, unsigned long to)
{
	return kt_put_b(from, to) | 1U << 31;
}

static inline u32 kt_put_br(u32 reg)
{
	return 0xd61f0000U | reg << 5;
}

static inline bool kt_is_b(u32 insn)
{
	return (insn & 0xfc000000) == 0x14000000;
}

static inline bool kt_is_bl(u32 insn)
{
	return (insn & 0xfc000000) == 0x94000000;
}

static inline bool kt_is_brk(u32 insn)
{
	return (insn & 0xffe0001f) == 0xd4200000;
}

/* The target of a b or bl at addr. */
static inline unsigned long kt_branch_target(u32 insn, unsigned long addr)
{
	return addr + kt_signed_field(insn, 0, 26) * KT_INSN_BYTES;
}

#endif
