/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_arch.h - loads that may fault.  See load.h.
 *
 * A plain load with an entry in our exception table is as safe as the kernel's own accessor, and shorter, where
 * a fault can do nothing but come back to that entry: in kernel memory that is not mapped
 * (arch/arm64/mm/fault.c, do_translation_fault()).
 */
#ifndef KTRACE_LOAD_ARCH_H
#define KTRACE_LOAD_ARCH_H

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/* Kernels call the same thing by several names. */
#if defined(_ASM_EXTABLE_KACCESS_ERR_ZERO)
#define KT_EXTABLE(from, to)	_ASM_EXTABLE_KACCESS_ERR_ZERO(from, to, wzr, wzr)
#elif defined(_ASM_EXTABLE_UACCESS_ERR_ZERO)
#define KT_EXTABLE(from, to)	_ASM_EXTABLE_UACCESS_ERR_ZERO(from, to, wzr, wzr)
#else
#define KT_EXTABLE(from, to)	_ASM_EXTABLE(from, to)
#endif

/*
 * The direct map of all RAM: kmalloc()ed memory, tasks, files.  No device is in there.  A load of eight
 * bytes that begins before its end less those stays in front of the mappings behind it.
 */
static __always_inline bool kt_in_direct_map(u64 addr)
{
	return addr - PAGE_OFFSET < PAGE_END - PAGE_OFFSET - sizeof(u64);
}

/* %0 = what is at %2; where that faults, %1 = 0 and %0 is as it was. */
#define KT_LOAD(insn)					\
	"1: " insn ", [%2]\n"				\
	"2:\n"						\
	".pushsection .text.unlikely, \"ax\"\n"	\
	"3: mov %w1, wzr\n"				\
	"b 2b\n"					\
	".popsection\n"				\
	KT_EXTABLE(1b, 3b)

#define KT_LOAD_WORD	KT_LOAD("ldr %0")

/* %0 = eight bytes at %1; where that faults it goes to the label. */
/* clang-format off */
#define KT_LOAD_OR_LEAVE	"1: ldr %0, [%1]\n" KT_EXTABLE(1b, %l[unreadable])
/* clang-format on */

#endif
