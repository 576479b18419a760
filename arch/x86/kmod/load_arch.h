/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_arch.h - loads that may fault.  See load.h.
 *
 * The kernel's own nofault accessor costs more than the rest of a hit. A plain load with
 * an entry in our exception table is as safe where a fault can do nothing but come back to that
 * entry.  That is so in kernel memory: a fault of it is never resolved by sleeping, and is fixed up before it
 * is an oops (arch/x86/mm/fault.c, do_kern_addr_fault(); traps.c for a general protection fault).
 * It is not so where a fault counts as one of user memory: below, and in the page of vsyscalls.
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
 * The direct map of all RAM: kmalloc()ed memory, tasks, files.  No device is in there.  Known
 * as what is added to an address, and what is then below the size; a load of eight bytes that
 * begins before that stays in front of the mappings behind it.
 */
extern u64 kt_direct_shift, kt_direct_size;

static __always_inline bool kt_in_direct_map(u64 addr)
{
	return addr + kt_direct_shift < kt_direct_size;
}

/* %0 = what is at %2; where that faults, %1 = 0 and %0 is as it was. */
#define KT_LOAD(insn)					\
	"1: " insn " (%2), %0\n"			\
	"2:\n"						\
	".pushsection .text.unlikely, \"ax\"\n"	\
	"3: xorl %1, %1\n"				\
	"jmp 2b\n"					\
	".popsection\n"				\
	_ASM_EXTABLE(1b, 3b)

#define KT_LOAD_WORD	KT_LOAD("movq")

/* %0 = eight bytes at %1; where that faults it goes to the label. */
/* clang-format off */
#define KT_LOAD_OR_LEAVE	"1: movq (%1), %0\n" _ASM_EXTABLE(1b, %l[unreadable])
/* clang-format on */

#endif
