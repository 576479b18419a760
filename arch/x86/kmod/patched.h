/* SPDX-License-Identifier: GPL-2.0-only */
/* patched.h - text that others patch: kprobes, and the kernel at jump labels and static calls. */
#ifndef KTRACE_X86_PATCHED_H
#define KTRACE_X86_PATCHED_H

#include <linux/types.h>

#define KT_PROBE_BYTES	5	/* length of the jump of an optimised kprobe */

/* See struct kt_arch_ops. */
u8 kt_x86_unprobe(unsigned long addr, u8 *out);
void kt_x86_mark_patched(unsigned long addr, size_t n, unsigned long *bits);

/* Read the kernel's table of static calls.  Sleepable. */
void kt_x86_static_calls_init(void);
void kt_x86_static_calls_exit(void);
/* Is a static call at these bytes or near them?  Under the text lock. */
bool kt_x86_beside_static_call(unsigned long addr, size_t len);

#endif
