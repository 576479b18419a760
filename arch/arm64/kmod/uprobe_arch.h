/* SPDX-License-Identifier: GPL-2.0-only */
/* uprobe_arch.h - how the kernel executes an instruction that has a uprobe. */
#ifndef KTRACE_UPROBE_ARCH_H
#define KTRACE_UPROBE_ARCH_H

#include <linux/uprobes.h>

/* mov x29, sp: the kernel emulates no instruction of this kind. */
#define KT_STEPPED_INSN		{ 0xfd, 0x03, 0x00, 0x91 }

#ifdef CONFIG_UPROBES
/* Does the kernel execute both in the same way? */
static inline bool kt_uprobe_is_alike(const struct arch_uprobe *a, const struct arch_uprobe *b)
{
	return a->simulate == b->simulate;
}
#endif

#endif
