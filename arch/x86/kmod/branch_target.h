/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_target.h - where execution may arrive other than from the instruction
 * before: what a jump over several instructions must not cover.
 */
#ifndef KTRACE_X86_BRANCH_TARGET_H
#define KTRACE_X86_BRANCH_TARGET_H

#include <linux/types.h>

struct module;

/*
 * Look for the branch targets in the text around addr, unless that is done.  -ENOMEM, -ENOENT (this kernel does
 * not tell where its tables are).  Sleepable, under kt_change_lock.
 */
int kt_branch_targets_prepare(unsigned long addr, const struct module *mod);

/*
 * Is any of the bytes from `first` to `last` a branch target, for all that is known?  True as well when nothing is
 * known.  Under kt_change_lock.
 */
bool kt_branch_targets_within(unsigned long first, unsigned long last);

/* A module's text is going. */
void kt_branch_targets_forget(const struct module *mod);

void kt_branch_targets_exit(void);

#endif
