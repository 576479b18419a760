/* SPDX-License-Identifier: GPL-2.0-only */
/* hook.h - have breakpoints of ours come to us. */
#ifndef KTRACE_ARM64_HOOK_H
#define KTRACE_ARM64_HOOK_H

#include <linux/types.h>

struct pt_regs;

/*
 * A breakpoint with our immediate was met in the kernel: false when it is not ours.  Given by
 * arch.c; interrupts off, whatever the context.
 */
bool kt_arm64_breakpoint(struct pt_regs *regs);

/* -ENOENT: this kernel lets nobody in; logged.  After kt_hook_exit() no CPU is in there.  Sleepable. */
int kt_hook_init(void);
void kt_hook_exit(void);

/* Units of slots that it takes. */
u32 kt_hook_slots(void);

#endif
