/* SPDX-License-Identifier: GPL-2.0-only */
/* indirect.h - may an indirect jump of a function lead to another instruction of the same function? */
#ifndef KTRACE_X86_INDIRECT_H
#define KTRACE_X86_INDIRECT_H

#include <linux/types.h>

/*
 * False: no indirect jump of the function from `start` to `end` (exclusive) leads behind its first byte, except to targets
 * that kt_branch_targets_within() knows.  True: it may.  Under kt_change_lock, kt_table_lock and the text lock.
 */
bool kt_x86_indirect_inside(unsigned long start, unsigned long end);

#endif
