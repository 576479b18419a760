/* SPDX-License-Identifier: GPL-2.0-only */
/* regs_arch.h - DWARF register numbers in struct pt_regs (psABI x86-64, figure 3.36). */
#ifndef KTRACE_REGS_ARCH_H
#define KTRACE_REGS_ARCH_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

/* What exc_int3() has added to preempt_count() when the hook runs (arch/x86/kernel/traps.c, irqentry_nmi_enter()). */
#define KT_BREAKPOINT_CONTEXT	(NMI_OFFSET + HARDIRQ_OFFSET)

#define KT_REG_SP	7
#define KT_NR_GENERAL	17	/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8..r15, rip */

/* Offset in struct pt_regs of the register with this DWARF number, -EINVAL when it is not there.  Any context. */
static inline int kt_reg_offset(u32 dwarf)
{
	static const u8 offsets[KT_NR_GENERAL] = {
		offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, cx), offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
		offsetof(struct pt_regs, ip),
	};

	return dwarf < KT_NR_GENERAL ? offsets[dwarf] : -EINVAL;
}

/*
 * Functions may change it, so whoever calls one has to save it.  Of the registers' offsets only: this is what a
 * trampoline stores for every hit, the others when they are asked for.
 */
static inline bool kt_reg_is_scratch(u32 offset)
{
	return offset >= offsetof(struct pt_regs, r11) && offset <= offsetof(struct pt_regs, di);
}

/* The rest, when what functions preserve was pushed too; the flags lie where a system call has its number. */
static __always_inline void kt_regs_complete(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
	regs->flags = regs->orig_ax;
	regs->sp = (unsigned long)(regs + 1);
}

/* The stack pointer of a hit by a jump, also where the registers were not completed. */
static __always_inline u64 kt_regs_jump_sp(const struct pt_regs *regs)
{
	return (unsigned long)(regs + 1);
}

/* Where a function returns to, at its entry: on the stack. */
static __always_inline unsigned long kt_regs_return_address(const struct pt_regs *regs)
{
	return *(unsigned long *)regs->sp;
}

/* The registers of the caller, of what a return probe was given: sp is that at the entry. */
static __always_inline void kt_regs_returned(struct pt_regs *regs, unsigned long sp, unsigned long to)
{
	regs->ip = to;
	regs->sp = sp + sizeof(long);
}

static __always_inline u64 kt_regs_psr(const struct pt_regs *regs)
{
	return regs->flags;
}

#endif
