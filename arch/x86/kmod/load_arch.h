/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_arch.h - loads that may fault.  See load.h.
 *
 * The kernel's nofault accessor costs more than the rest of a hit.  A plain load with an entry in the module's
 * exception table is as safe, if a fault always leads to that entry.  This is true for kernel memory: the kernel
 * never resolves such a fault by sleeping, and looks up the exception table before it reports an oops
 * (arch/x86/mm/fault.c, do_kern_addr_fault(); traps.c for a general protection fault).  It is not true for addresses
 * whose faults the kernel handles as faults of user memory: the lower half, and the page of vsyscalls.
 */
#ifndef KTRACE_LOAD_ARCH_H
#define KTRACE_LOAD_ARCH_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <asm/asm.h>
#include <asm/page.h>
#include <asm/pgtable.h>

/*
 * The direct map of all RAM: kmalloc()ed memory, tasks, files.  It contains no devices.  addr is in it if
 * addr + kt_direct_shift < kt_direct_size.  The size is eight bytes short, so a load of eight bytes at the end does not
 * touch the mapping that follows.
 */
extern u64 kt_direct_shift, kt_direct_size;

/* Prepare kt_callers(). */
void kt_callers_init(void);

static __always_inline bool kt_in_direct_map(u64 addr)
{
	return addr + kt_direct_shift < kt_direct_size;
}

/* An address of a program, or of nothing. */
static __always_inline bool kt_is_user(u64 addr)
{
	return (s64)addr >= 0;
}

/* Load from the address %2 to %0.  On a fault set %1 to 0 and leave %0 unchanged. */
#define KT_LOAD(insn)					\
	"1: " insn " (%2), %0\n"			\
	"2:\n"						\
	".pushsection .text.unlikely, \"ax\"\n"	\
	"3: xorl %1, %1\n"				\
	"jmp 2b\n"					\
	".popsection\n"				\
	_ASM_EXTABLE(1b, 3b)

#define KT_LOAD_WORD	KT_LOAD("movq")

/* Load eight bytes from the address %1 to %0.  On a fault jump to the label `unreadable`. */
/* clang-format off */
#define KT_LOAD_OR_LEAVE	"1: movq (%1), %0\n" _ASM_EXTABLE(1b, %l[unreadable])
/* clang-format on */

#endif
