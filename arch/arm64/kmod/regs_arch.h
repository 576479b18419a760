/* SPDX-License-Identifier: GPL-2.0-only */
/* regs_arch.h - DWARF register numbers in struct pt_regs (DWARF for the Arm 64-bit Architecture, 4.1). */
#ifndef KTRACE_REGS_ARCH_H
#define KTRACE_REGS_ARCH_H

#include <linux/errno.h>
#include <linux/ptrace.h>

#include "frame.h"

/* What the kernel has added to preempt_count() when the hook of breakpoints runs: nothing. */
#define KT_BREAKPOINT_CONTEXT	0

#define KT_REG_SP	31
#define KT_NR_GENERAL	33	/* x0 .. x30, sp, pc: as struct pt_regs begins */

/* Offset in struct pt_regs of the register with this DWARF number, -EINVAL when it is not there.  Any context. */
static inline int kt_reg_offset(u32 dwarf)
{
	return dwarf < KT_NR_GENERAL ? (int)(dwarf * sizeof(u64)) : -EINVAL;
}

/*
 * Functions may change it, so whoever calls one has to save it: x0 .. x18, and the frame's two.  Of
 * the registers' offsets only: this is what a trampoline stores for every hit, the others when they are asked for.
 */
static inline bool kt_reg_is_scratch(u32 offset)
{
	return offset <= offsetof(struct pt_regs, regs[18]) ||
	       (offset >= offsetof(struct pt_regs, regs[29]) && offset <= offsetof(struct pt_regs, regs[30]));
}

/* Bits of the processor status that trampolines do not save; they are as they were. */
u64 kt_pstate_rest(void);

/* The rest, when what functions preserve was stored too. */
static __always_inline void kt_regs_complete(struct pt_regs *regs, unsigned long ip)
{
	regs->pc = ip;
	regs->sp = (unsigned long)regs + KT_FRAME_BYTES;
	regs->pstate |= kt_pstate_rest();
}

/* The stack pointer of a hit by a branch, also where the registers were not completed. */
static __always_inline u64 kt_regs_jump_sp(const struct pt_regs *regs)
{
	return (unsigned long)regs + KT_FRAME_BYTES;
}

/* Where a function returns to, at its entry: in the link register. */
static __always_inline unsigned long kt_regs_return_address(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/* The registers of the caller, of what a return probe was given: sp is that at the entry. */
static __always_inline void kt_regs_returned(struct pt_regs *regs, unsigned long sp, unsigned long to)
{
	regs->pc = to;
	regs->sp = sp;
}

static __always_inline u64 kt_regs_psr(const struct pt_regs *regs)
{
	return regs->pstate;
}

#endif
