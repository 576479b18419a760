/* SPDX-License-Identifier: GPL-2.0-only */
/* jump_label.h - where the kernel's jump labels are. */
#ifndef KTRACE_JUMP_LABEL_H
#define KTRACE_JUMP_LABEL_H

#include <linux/types.h>

struct jump_entry;

/* Look up the kernel's table.  Sleepable. */
void kt_jump_labels_init(void);

/* The kernel's own table, without those of modules.  False: the kernel hides where it is. */
bool kt_jump_labels(const struct jump_entry **first, const struct jump_entry **end);

/* Does a jump label have one of the bytes from `first` to `last` (inclusive)?  Under the text lock. */
bool kt_jump_label_has(unsigned long first, unsigned long last);

#endif
