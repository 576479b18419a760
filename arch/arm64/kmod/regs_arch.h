/* SPDX-License-Identifier: GPL-2.0-only */
/* regs_arch.h - DWARF register numbers in struct pt_regs (DWARF for the Arm 64-bit Architecture, 4.1). */
#ifndef KTRACE_REGS_ARCH_H
#define KTRACE_REGS_ARCH_H

#include <linux/errno.h>
#include <linux/ptrace.h>

#include "arch/arm64/unwind.h"
#include "frame.h"

/* The kernel adds nothing to preempt_count() before the breakpoint hook runs. */
#define KT_BREAKPOINT_CONTEXT	0

#define KT_REG_SP	31
#define KT_NR_GENERAL	33	/* x0 .. x30, sp, pc: in this order at the beginning of struct pt_regs */

/* Offset in struct pt_regs of the register with this DWARF number.  -EINVAL: it has none.  Any context. */
static inline int kt_reg_offset(u32 dwarf)
{
	return dwarf < KT_NR_GENERAL ? (int)(dwarf * sizeof(u64)) : -EINVAL;
}

/*
 * May functions change this register, so that a caller has to save it: x0 .. x18, x29, x30?  A trampoline stores these
 * registers for each hit, and the others only if a descriptor needs them.  `offset` is an offset of kt_reg_offset().
 */
static inline bool kt_reg_is_scratch(u32 offset)
{
	return offset <= offsetof(struct pt_regs, regs[18]) ||
	       (offset >= offsetof(struct pt_regs, regs[29]) && offset <= offsetof(struct pt_regs, regs[30]));
}

/* The bits of PSTATE that trampolines do not save.  They have not changed since the hit, so they are read now. */
u64 kt_pstate_rest(void);

/* Fill in pc, sp and the rest of pstate after a trampoline has stored all registers. */
static __always_inline void kt_regs_complete(struct pt_regs *regs, unsigned long ip)
{
	regs->pc = ip;
	regs->sp = (unsigned long)regs + KT_FRAME_BYTES;
	regs->pstate |= kt_pstate_rest();
}

/*
 * Offset in struct pt_regs of argument n of a static tracepoint in the registers of its probe, whose own first argument
 * is another one (entry.S).
 */
static inline u32 kt_event_arg_offset(u32 n)
{
	return offsetof(struct pt_regs, regs[n + 1]);
}

/*
 * Offset in struct pt_regs of argument n of the system call that saved these registers; not of a 32-bit program
 * (asm/syscall.h).
 */
static __always_inline u32 kt_syscall_arg_offset(u32 n)
{
	return n ? offsetof(struct pt_regs, regs[0]) + n * sizeof(u64) : offsetof(struct pt_regs, orig_x0);
}

/* Is the current task, of a program, a 32-bit one? */
static __always_inline bool kt_in_compat_call(void)
{
	return is_compat_task();
}

/* A 32-bit program has its arguments in the same registers as a 64-bit one. */
static inline const struct pt_regs *kt_compat_regs(const struct pt_regs *regs, struct pt_regs *unused)
{
	return regs;
}

static __always_inline u64 kt_syscall_arg_of(const struct pt_regs *regs, u32 n)
{
	return *(const u64 *)((const u8 *)regs + kt_syscall_arg_offset(n));
}

/* Do they belong to a 64-bit program? */
static __always_inline bool kt_regs_of_64bit(const struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

/* The frame pointer of the program that saved these registers.  0: a 32-bit program, whose frames are not walked. */
static __always_inline u64 kt_regs_user_frame(const struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : regs->regs[29];
}

/* The address in a return address of a program: without its authentication code, in the bits above 55 to 48. */
static __always_inline u64 kt_user_code(u64 address)
{
	return address & (TASK_SIZE_64 - 1);
}

/* The stack pointer of a hit by a jump.  It does not need kt_regs_complete(). */
static __always_inline u64 kt_regs_jump_sp(const struct pt_regs *regs)
{
	return (unsigned long)regs + KT_FRAME_BYTES;
}

/* The return address of a function.  regs are those at its entry, where the address is in the link register. */
static __always_inline unsigned long kt_regs_return_address(const struct pt_regs *regs)
{
	return regs->regs[30];
}

/*
 * Change the registers of a return probe to those of the caller.  sp is the stack pointer at the entry of the
 * function.
 */
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
