/* SPDX-License-Identifier: GPL-2.0-only */
/* regs_arch.h - DWARF register numbers in struct pt_regs (psABI x86-64, figure 3.36). */
#ifndef KTRACE_REGS_ARCH_H
#define KTRACE_REGS_ARCH_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#include "arch/x86/unwind.h"

/* exc_int3() adds this to preempt_count() before the hook runs (arch/x86/kernel/traps.c, irqentry_nmi_enter()). */
#define KT_BREAKPOINT_CONTEXT	(NMI_OFFSET + HARDIRQ_OFFSET)

#define KT_REG_SP	7
#define KT_NR_GENERAL	17	/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8..r15, rip */

/* Offset in struct pt_regs of the register with this DWARF number.  -EINVAL: it has none.  Any context. */
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
 * May functions change this register, so that a caller has to save it?  A trampoline stores these registers for each
 * hit, and the others only if a descriptor needs them.  `offset` is an offset of kt_reg_offset().
 */
static inline bool kt_reg_is_scratch(u32 offset)
{
	return offset >= offsetof(struct pt_regs, r11) && offset <= offsetof(struct pt_regs, di);
}

/*
 * Offset in struct pt_regs of argument n of a static tracepoint, n from 0 to 2, in the registers of its probe, whose own
 * first argument is another one (entry.S).
 */
static inline u32 kt_event_arg_offset(u32 n)
{
	static const u8 offsets[] = {
		offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
	};

	return offsets[n];
}

/* Offset in struct pt_regs of argument n of the system call that saved these registers; not of a 32-bit program. */
static __always_inline u32 kt_syscall_arg_offset(u32 n)
{
	/* asm/syscall.h */
	static const u8 offsets[] = {
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	};

	return offsets[n];
}

/* Is the current task, of a program, in a system call that was made as 32-bit programs do?  Any task may, by int $0x80. */
static __always_inline bool kt_in_compat_call(void)
{
	return IS_ENABLED(CONFIG_IA32_EMULATION) && READ_ONCE(current_thread_info()->status) & TS_COMPAT;
}

/* Such a call has its arguments in ebx, ecx, edx, esi, edi, ebp.  Returns `to`. */
static inline const struct pt_regs *kt_compat_regs(const struct pt_regs *regs, struct pt_regs *to)
{
	to->di = (u32)regs->bx;
	to->si = (u32)regs->cx;
	to->dx = (u32)regs->dx;
	to->r10 = (u32)regs->si;
	to->r8 = (u32)regs->di;
	to->r9 = (u32)regs->bp;
	return to;
}

static __always_inline u64 kt_syscall_arg_of(const struct pt_regs *regs, u32 n)
{
	return *(const u64 *)((const u8 *)regs + kt_syscall_arg_offset(n));
}

/*
 * Fill in ip, flags and sp after a trampoline has pushed all registers.  It has pushed the flags to orig_ax, where a
 * system call has its number.
 */
static __always_inline void kt_regs_complete(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
	regs->flags = regs->orig_ax;
	regs->sp = (unsigned long)(regs + 1);
}

/* The frame pointer of the program that saved these registers.  0: a 32-bit program, whose frames are not walked. */
static __always_inline u64 kt_regs_user_frame(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? regs->bp : 0;
}

/* Do they belong to a 64-bit program? */
static __always_inline bool kt_regs_of_64bit(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs);
}

/* The address in a return address of a program. */
static __always_inline u64 kt_user_code(u64 address)
{
	return address;
}

/* The stack pointer of a hit by a jump.  It does not need kt_regs_complete(). */
static __always_inline u64 kt_regs_jump_sp(const struct pt_regs *regs)
{
	return (unsigned long)(regs + 1);
}

/* The return address of a function.  regs are those at its entry, where the address is on the stack. */
static __always_inline unsigned long kt_regs_return_address(const struct pt_regs *regs)
{
	return *(unsigned long *)regs->sp;
}

/*
 * Change the registers of a return probe to those of the caller.  sp is the stack pointer at the entry of the
 * function.
 */
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
