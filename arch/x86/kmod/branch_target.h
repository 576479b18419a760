/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_target.h - branch targets: instructions at which execution may arrive other than from the instruction before.
 * A jump over several instructions must not cover one.
 */
#ifndef KTRACE_X86_BRANCH_TARGET_H
#define KTRACE_X86_BRANCH_TARGET_H

#include <linux/types.h>

struct module;

/*
 * Collect the branch targets in the text around addr, unless that is done already.  -ENOMEM; -ENOENT: this kernel hides
 * the symbols of its tables, or addr is in no text; -EFAULT.  Sleepable, under kt_change_lock.
 */
int kt_branch_targets_prepare(unsigned long addr, const struct module *mod);

/*
 * May a byte from `first` to `last` (inclusive) be a branch target?  True as well if nothing is collected for this
 * text.  Under kt_change_lock.
 */
bool kt_branch_targets_within(unsigned long first, unsigned long last);

/*
 * Are the targets of the pointers in the data among them?  Not if this kernel hides the symbols of its data.  `text` is any
 * address of the text.  The next two: is addr in the same kernel or module as this text, in its text or in that data?  Under
 * kt_change_lock.
 */
bool kt_branch_targets_know_pointers(unsigned long text);
bool kt_branch_targets_same_text(unsigned long text, unsigned long addr);
bool kt_branch_targets_same_data(unsigned long text, unsigned long addr);

/* Free the branch targets of a module that is unloaded.  Under kt_change_lock. */
void kt_branch_targets_forget(const struct module *mod);

void kt_branch_targets_exit(void);

#endif
