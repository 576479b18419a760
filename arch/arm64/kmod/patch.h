/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patch.h - write to kernel text, with the kernel's functions.
 *
 * CPUs may execute an instruction while it is replaced only if the old and the new instruction are among nop, b, bl,
 * brk and a few others (Arm ARM, B2.2.5).  For all other instructions the kernel stops all CPUs
 * (arch/arm64/kernel/patching.c, aarch64_insn_patch_text()).  ktrace collects such writes and stops the CPUs once for
 * many.
 */
#ifndef KTRACE_ARM64_PATCH_H
#define KTRACE_ARM64_PATCH_H

#include "kmod/base/arch.h"

/* See struct kt_arch_ops. */
void kt_arm64_poke(struct kt_site *site, enum kt_poke what);
void kt_arm64_sync(void);
void kt_arm64_flush(void);

/* Does the text at the site have ktrace's breakpoint or jump?  Any context; the text lock keeps the answer true. */
bool kt_arm64_is_ours(const struct kt_site *site);

/* The current instruction at addr, which is in text.  It is read as one word.  Any context. */
u32 kt_arm64_live(unsigned long addr);

#endif
