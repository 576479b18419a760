/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - keeps optimised kprobes off the targets of displaced branches.
 *
 * Kprobes turns a probe into a jump over several instructions where no branch of
 * the function leads inside, which it finds out by decoding the function
 * (arch/x86/kernel/kprobes/opt.c, can_optimize()).  A branch that a
 * breakpoint of ours replaces is not seen there, but it is still executed, in
 * its slot.  A breakpoint of our own on arch_prepare_optimized_kprobe() lets it fail in that case:
 * the kprobe stays a breakpoint.
 */
#ifndef KTRACE_X86_GUARD_H
#define KTRACE_X86_GUARD_H

#include "kmod/base/site.h"

struct pt_regs;

/* Its site; internal, and in the table of breakpoints only. */
extern struct kt_site kt_guard;

/* Set the guard / remove it.  Where it cannot be set, that is logged, and there is none.  Sleepable, no lock held. */
void kt_guard_init(void);
void kt_guard_exit(void);

/* The guard's breakpoint was met: change regs so that the kernel goes on.  From the breakpoint hook: as in an NMI. */
void kt_guard_hit(struct pt_regs *regs);

#endif
