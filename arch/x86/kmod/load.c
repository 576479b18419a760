// SPDX-License-Identifier: GPL-2.0-only
/* load.c - see load.h. */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kmod/base/fault_in.h"
#include "kmod/base/ktrace.h"
#include "calls.h"
#include "kmod/base/load.h"

u64 kt_direct_shift __ro_after_init, kt_direct_size __ro_after_init, kt_direct_checked __ro_after_init;

void __init kt_load_init(void)
{
	kt_direct_shift = -PAGE_OFFSET;
	kt_direct_size = VMALLOC_START - PAGE_OFFSET - sizeof(u64);
	kt_direct_checked = VMALLOC_START - PAGE_OFFSET - KT_X86_CHECKED;
	kt_callers_init();
}

/* In the kernel's half before the direct map: holes, and descriptor tables of programs.  Generated code reads them (kt_direct_end()). */
static bool before_direct_map(u64 addr)
{
	return addr >= -1UL << (pgtable_l5_enabled() ? 56 : 47) && addr < PAGE_OFFSET;
}
NOKPROBE_SYMBOL(before_direct_map);

/* Is it on the current stack, of whichever kind?  Stacks are aligned to their size. */
static bool on_this_stack(u64 addr, size_t size)
{
	const u64 here = (unsigned long)__builtin_frame_address(0);

	return !((addr ^ here) / THREAD_SIZE) && !(((addr + size - 1) ^ here) / THREAD_SIZE);
}
NOKPROBE_SYMBOL(on_this_stack);

/* The kernel and modules.  The fixed mappings behind them are excluded: interrupt controllers, timers, vsyscalls. */
static bool in_image(u64 addr, size_t size)
{
	return addr >= __START_KERNEL_map && addr <= MODULES_END - size;
}
NOKPROBE_SYMBOL(in_image);

/* Load one page table entry.  False: it is not present, or the table cannot be read. */
static bool load_entry(u64 *entry, u64 at)
{
	u64 raw;

	if (!kt_load_direct(&raw, at))
		return false;
	*entry = pte_val((pte_t){ .pte = raw });
	return *entry & _PAGE_PRESENT;
}
NOKPROBE_SYMBOL(load_entry);

/* The addresses and values of the entries on a page table walk, the top level first. */
struct walk {
	u64 at[5], entry[5];
	u32 n;
};

static bool walk_down(struct walk *walk, u64 addr)
{
	u32 shift = pgtable_l5_enabled() ? 48 : 39;
	u64 table = (unsigned long)__va(read_cr3_pa()), entry;

	for (walk->n = 0;; shift -= 9) {
		walk->at[walk->n] = table + (addr >> shift & (PTRS_PER_PTE - 1)) * sizeof(entry);
		if (!load_entry(&entry, walk->at[walk->n]))
			return false;
		walk->entry[walk->n++] = entry;
		if (shift == PAGE_SHIFT || entry & _PAGE_PSE)
			return true;
		table = (unsigned long)__va(entry & PTE_PFN_MASK);
	}
}
NOKPROBE_SYMBOL(walk_down);

/* Does the entry still point to the same table?  Other bits are ignored, because the CPU sets some of them. */
static bool leads_on(const struct walk *walk, u32 i)
{
	u64 entry;

	return load_entry(&entry, walk->at[i]) && !((entry ^ walk->entry[i]) & PTE_PFN_MASK);
}
NOKPROBE_SYMBOL(leads_on);

/*
 * The vmalloc area also contains mappings of devices.  They are uncached, which the page tables show.  The kernel may
 * free a page table while this function reads it.  Before Linux 6.15 that was impossible with interrupts off: the CPU
 * that frees a table first interrupts all CPUs to flush their TLBs.  With X86_FEATURE_INVLPGB it flushes by an
 * instruction that does not wait for other CPUs (arch/x86/mm/tlb.c, flush_tlb_kernel_range()).  So this function
 * loads each entry from the direct map only, by a load that survives a fault.  An entry is valid only if all entries
 * that led to it are unchanged afterwards: the kernel removes a table from the level above before it frees the table.
 */
static bool is_memory(u64 addr)
{
	struct walk walk;
	u32 i;

	if (!walk_down(&walk, addr) || walk.entry[walk.n - 1] & (_PAGE_PWT | _PAGE_PCD))
		return false;
	smp_rmb();	/* pairs with the kernel's TLB flush between removing a table and freeing it */
	for (i = 0; i + 1 < walk.n; i++)
		if (!leads_on(&walk, i))
			return false;
	return true;
}
NOKPROBE_SYMBOL(is_memory);

static bool in_mapping(u64 addr, size_t size)
{
	return addr >= VMALLOC_START && addr <= __START_KERNEL_map - size && is_memory(addr) &&
	       (offset_in_page(addr) + size <= PAGE_SIZE || is_memory(addr + size - 1));
}
NOKPROBE_SYMBOL(in_mapping);

static bool readable(u64 addr, size_t size)
{
	return kt_in_direct_map(addr) || in_image(addr, size) || on_this_stack(addr, size) ||
	       in_mapping(addr, size) || before_direct_map(addr);
}
NOKPROBE_SYMBOL(readable);

/* Each size has its own instruction: a load of the whole word could touch bytes that cannot be read. */
#define DEFINE_LOAD(name, type, instruction)						\
	static noinline bool name(void *to, u64 addr)					\
	{										\
		type v = 0;								\
		int good = 1;								\
											\
		asm volatile(KT_LOAD(instruction) : "+q"(v), "+r"(good) : "r"(addr));	\
		memcpy(to, &v, sizeof(v));						\
		return good;								\
	}										\
	NOKPROBE_SYMBOL(name)

DEFINE_LOAD(load8, u8, "movb");
DEFINE_LOAD(load16, u16, "movw");
DEFINE_LOAD(load32, u32, "movl");
DEFINE_LOAD(load64, u64, "movq");

static bool load_kernel(void *to, u64 addr, size_t size)
{
	if (size == 8)
		return load64(to, addr);
	if (size == 4)
		return load32(to, addr);
	if (size == 2)
		return load16(to, addr);
	return load8(to, addr);
}
NOKPROBE_SYMBOL(load_kernel);

/*
 * Refuse kernel threads: they have no user memory, and the mapped memory belongs to the task that ran before.  Check
 * the end of user memory: some kernels warn about an access beyond it.
 */
static bool load_user(void *to, u64 addr, size_t size)
{
	if (!current->mm || addr >= TASK_SIZE_MAX - size)
		return false;
	if (likely(!copy_from_user_nofault(to, (void __user *)addr, size)))
		return true;
	return kt_fault_in(addr, size) && !copy_from_user_nofault(to, (void __user *)addr, size);
}
NOKPROBE_SYMBOL(load_user);

/*
 * May this CPU read the task's memory without further checks?  Not in the middle of a switch to another address space, nor
 * in an interrupt there (arch/x86/mm/tlb.c, nmi_uaccess_okay()).
 */
bool kt_has_user_memory(u64 addr, u32 size)
{
	return current->mm && addr < TASK_SIZE_MAX - size && read_cr3_pa() == __pa(current->mm->pgd);
}
NOKPROBE_SYMBOL(kt_has_user_memory);

bool kt_load(void *to, u64 addr, size_t size)
{
	if (kt_is_user(addr))
		return load_user(to, addr, size);
	return readable(addr, size) && load_kernel(to, addr, size);
}
NOKPROBE_SYMBOL(kt_load);
