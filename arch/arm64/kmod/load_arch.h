/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_arch.h - loads that may fault.  See load.h.
 *
 * A plain load with an entry in the module's exception table is as safe as the kernel's accessor, and shorter, if a
 * fault always leads to that entry.  This is true for kernel memory that is not mapped (arch/arm64/mm/fault.c,
 * do_translation_fault()).
 */
#ifndef KTRACE_LOAD_ARCH_H
#define KTRACE_LOAD_ARCH_H

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/* Kernels have different names for the same macro. */
#if defined(_ASM_EXTABLE_KACCESS_ERR_ZERO)
#define KT_EXTABLE(from, to)	_ASM_EXTABLE_KACCESS_ERR_ZERO(from, to, wzr, wzr)
#elif defined(_ASM_EXTABLE_UACCESS_ERR_ZERO)
#define KT_EXTABLE(from, to)	_ASM_EXTABLE_UACCESS_ERR_ZERO(from, to, wzr, wzr)
#else
#define KT_EXTABLE(from, to)	_ASM_EXTABLE(from, to)
#endif

/*
 * The direct map of all RAM: kmalloc()ed memory, tasks, files.  It contains no devices.  The size is eight bytes short, so a
 * load of eight bytes at the end does not touch the mapping that follows.
 */
#define KT_DIRECT_START	PAGE_OFFSET
#define KT_DIRECT_BYTES	(PAGE_END - PAGE_OFFSET - sizeof(u64))

static __always_inline bool kt_in_direct_map(u64 addr)
{
	return addr - KT_DIRECT_START < KT_DIRECT_BYTES;
}

/* Bit 55 selects the half of the address space.  The bits above may be a tag. */
static __always_inline bool kt_is_user(u64 addr)
{
	return !(addr >> 55 & 1);
}

/* Load from the address %2 to %0.  On a fault set %1 to 0 and leave %0 unchanged. */
#define KT_LOAD(insn)					\
	"1: " insn ", [%2]\n"				\
	"2:\n"						\
	".pushsection .text.unlikely, \"ax\"\n"	\
	"3: mov %w1, wzr\n"				\
	"b 2b\n"					\
	".popsection\n"				\
	KT_EXTABLE(1b, 3b)

#define KT_LOAD_WORD	KT_LOAD("ldr %0")

/* Load eight bytes from the address %1 to %0.  On a fault jump to the label `unreadable`. */
/* clang-format off */
#define KT_LOAD_OR_LEAVE	"1: ldr %0, [%1]\n" KT_EXTABLE(1b, %l[unreadable])
/* clang-format on */

#endif
