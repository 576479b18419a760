/* SPDX-License-Identifier: GPL-2.0-only */
/* hook.h - have breakpoints of ours come to us. */
#ifndef KTRACE_ARM64_HOOK_H
#define KTRACE_ARM64_HOOK_H

#include <linux/types.h>

struct pt_regs;

/*
 * A breakpoint with our immediate was met in the kernel: record the hit, and change regs so that the kernel goes on.
 * False: it is not ours.  arch.c defines it.  Any context, with interrupts off.
 */
bool kt_arm64_breakpoint(struct pt_regs *regs);

/*
 * Have breakpoints come to us / no longer.  -ENOENT: this kernel lets nobody in, which is logged; -ENOMEM.  After
 * kt_hook_exit() no CPU is in there.  Sleepable, no lock held.
 */
int kt_hook_init(void);
void kt_hook_exit(void);

/* How many units of slots the hook takes.  Any context. */
u32 kt_hook_slots(void);

#endif
