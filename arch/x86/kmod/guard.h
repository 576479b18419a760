/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - prevent optimised kprobes over the targets of branches that ktrace has replaced.
 *
 * Kprobes optimises a probe to a jump over several instructions if no branch of the function leads inside them.  It
 * finds that out by decoding the function (arch/x86/kernel/kprobes/opt.c, can_optimize()).  It does not see a branch
 * under a breakpoint or jump of ktrace, but CPUs still execute that branch, in a slot.  So ktrace sets a breakpoint on
 * arch_prepare_optimized_kprobe() and makes it fail in that case: the kprobe then stays a breakpoint.
 */
#ifndef KTRACE_X86_GUARD_H
#define KTRACE_X86_GUARD_H

#include "kmod/base/site.h"

struct pt_regs;

/* The site of the guard's breakpoint.  It is internal, and only in the hash table of the breakpoint hook. */
extern struct kt_site kt_guard;

/* Set the guard.  If that is not possible, it logs a warning and the module works without.  Sleepable, no lock held. */
void kt_guard_init(void);
void kt_guard_exit(void);	/* remove it; the same context */

/* Does the kernel optimise kprobes without a guard?  Then no jump replaces a branch.  Any context. */
bool kt_guard_is_missing(void);

/* A hit of the guard's breakpoint: change regs for the return.  The breakpoint hook calls it: context as in an NMI. */
void kt_guard_hit(struct pt_regs *regs);

#endif
