/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_arch.h - read memory that may not be there, and walk the stack, in any
 * context: NMI, interrupts off, inside a fault.
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

/* %0 = eight bytes at %1; where that faults it goes to the label. */
/* clang-format off */
#define KT_LOAD_OR_LEAVE	"1: ldr %0, [%1]\n" KT_EXTABLE(1b, %l[unreadable])
/* clang-format on */

/* Eight bytes of kernel memory where no device is; false where there is nothing. */
static __always_inline bool kt_load_mapped(u64 *to, u64 addr)
{
#ifdef CONFIG_CC_HAS_ASM_GOTO_OUTPUT
	u64 v;

	asm goto(KT_LOAD_OR_LEAVE : "=r"(v) : "r"(addr) : : unreadable);
	*to = v;
	return true;
unreadable:
	return false;
#else
	u64 v = 0;
	int good = 1;

	asm volatile(KT_LOAD("ldr %0") : "+r"(v), "+r"(good) : "r"(addr));
	*to = v;
	return good;
#endif
}

/* The same of 1, 2, 4 or 8 bytes anywhere, user memory included; devices are never read. */
bool kt_load(void *to, u64 addr, size_t size);

/* A word of the direct map; false also for one that is elsewhere. */
static __always_inline bool kt_load_direct(u64 *to, u64 addr)
{
	return likely(kt_in_direct_map(addr)) && kt_load_mapped(to, addr);
}

static __always_inline bool kt_load_word(u64 *to, u64 addr)
{
	return likely(kt_in_direct_map(addr)) ? kt_load_mapped(to, addr) : kt_load(to, addr, 8);
}

void kt_load_init(void);

/*
 * Where the functions on the stack will return to, the nearest first, at most `most` of them; returns how
 * many.
 */
u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most);

#endif
