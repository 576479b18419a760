/* SPDX-License-Identifier: GPL-2.0-only */
/* blacklist.h - the kernel's blacklist of kprobes. */
#ifndef KTRACE_BLACKLIST_H
#define KTRACE_BLACKLIST_H

#include <linux/types.h>

/* Copy the kernel's list.  Without memory, or where the kernel hides it, kt_blacklist_has() takes longer.  Sleepable. */
void kt_blacklist_init(void);
void kt_blacklist_exit(void);

/*
 * Does the kernel refuse kprobes at addr?  is_plain: its symbol is known to have no suffix such as .part.0; false: it has one, or that
 * is not known.  Sleepable, since the kernel may look for long.
 */
bool kt_blacklist_has(unsigned long addr, bool is_plain);

#endif
