/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patch.h - write to kernel text, with the kernel's own primitives.
 *
 * CPUs may fetch an instruction while it is replaced only if both are among nop, b, bl, brk and a few
 * others (Arm ARM, B2.2.5); for any other the kernel stops all of them (arch/arm64/kernel/patching.c,
 * aarch64_insn_patch_text()), and so is it done here, for many at once.
 */
#ifndef KTRACE_ARM64_PATCH_H
#define KTRACE_ARM64_PATCH_H

#include "kmod/base/arch.h"

/* See struct kt_arch_ops. */
void kt_arm64_poke(struct kt_site *site, enum kt_poke what);
void kt_arm64_sync(void);
void kt_arm64_flush(void);

/* Is what stands at the site what we wrote there?  Any context; the answer holds under the text lock. */
bool kt_arm64_is_ours(const struct kt_site *site);

/* The instruction at addr, read in one word.  addr is text.  Any context. */
u32 kt_arm64_live(unsigned long addr);

#endif
