/* SPDX-License-Identifier: GPL-2.0-only */
/* hook.h - make the kernel pass ktrace's breakpoints to ktrace. */
#ifndef KTRACE_ARM64_HOOK_H
#define KTRACE_ARM64_HOOK_H

#include <linux/types.h>

struct pt_regs;

/*
 * A breakpoint with ktrace's immediate is hit in the kernel: record the hit, and change regs for the return.  False:
 * there is no site, but there still is such a breakpoint.  arch.c defines it.  Any context, with interrupts off.
 */
bool kt_arm64_breakpoint(struct pt_regs *regs);

/*
 * Set or remove the hook.  -ENOENT: this kernel offers no possibility, and the log says so; -ENOMEM.  When
 * kt_hook_exit() returns, no CPU is in the hook.  Sleepable, no lock held.
 */
int kt_hook_init(void);
void kt_hook_exit(void);

/* How many units (KT_UNIT_BYTES) of slots the hook uses.  Any context. */
u32 kt_hook_slots(void);

#endif
