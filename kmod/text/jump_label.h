/* SPDX-License-Identifier: GPL-2.0-only */
/* jump_label.h - find out which instructions are jump labels (static keys) of the kernel. */
#ifndef KTRACE_JUMP_LABEL_H
#define KTRACE_JUMP_LABEL_H

#include <linux/types.h>

struct jump_entry;

/* Find the table of the kernel's jump labels by its symbols.  Sleepable. */
void kt_jump_labels_init(void);
void kt_jump_labels_exit(void);

/* That table, from *first to before *end.  Modules have tables of their own.  False: the kernel hides the symbols. */
bool kt_jump_labels(const struct jump_entry **first, const struct jump_entry **end);

/* Is a byte from `first` to `last` (inclusive) part of a jump label?  Under the text lock. */
bool kt_jump_label_has(unsigned long first, unsigned long last);

#endif
