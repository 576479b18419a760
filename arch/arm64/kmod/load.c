// SPDX-License-Identifier: GPL-2.0-only
/* load.c - see load.h. */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "kmod/base/fault_in.h"
#include "kmod/base/ksym.h"
#include "kmod/compat/compat.h"
#include "kmod/records/capture_env.h"

void __init kt_load_init(void)
{
}

#define PAR_FAILED	1UL		/* PAR_EL1.F */
#define PAR_ATTR_SHIFT	56		/* PAR_EL1.ATTR: as in MAIR_EL1, the upper half is the outer attribute */
#define WRITE_BACK	0xc

/*
 * Is the page mapped, and is it memory?  The CPU's address translation tells.  The vmalloc area also contains
 * mappings of devices, which are uncached.  Restore par_el1: the hit may have interrupted other code between a
 * translation and the read of its result.
 */
static bool is_memory(u64 addr)
{
	u64 was = read_sysreg(par_el1), par;

	asm volatile("at s1e1r, %0" : : "r"(addr));
	isb();
	par = read_sysreg(par_el1);
	write_sysreg(was, par_el1);
	return !(par & PAR_FAILED) && (par >> (PAR_ATTR_SHIFT + 4) & WRITE_BACK) == WRITE_BACK;
}
NOKPROBE_SYMBOL(is_memory);

static bool readable(u64 addr, size_t size)
{
	return kt_in_direct_map(addr) ||
	       (is_memory(addr) && (offset_in_page(addr) + size <= PAGE_SIZE || is_memory(addr + size - 1)));
}
NOKPROBE_SYMBOL(readable);

/* Each size has its own instruction: a load of the whole word could touch bytes that cannot be read. */
static bool load_kernel(void *to, u64 addr, size_t size)
{
	u64 v = 0;
	int good = 1;

	if (size == 8)
		asm volatile(KT_LOAD("ldr %0") : "+r"(v), "+r"(good) : "r"(addr));
	else if (size == 4)
		asm volatile(KT_LOAD("ldr %w0") : "+r"(v), "+r"(good) : "r"(addr));
	else if (size == 2)
		asm volatile(KT_LOAD("ldrh %w0") : "+r"(v), "+r"(good) : "r"(addr));
	else
		asm volatile(KT_LOAD("ldrb %w0") : "+r"(v), "+r"(good) : "r"(addr));
	memcpy(to, &v, size);
	return good;
}
NOKPROBE_SYMBOL(load_kernel);

/*
 * Refuse kernel threads: they have no user memory, and the mapped memory belongs to the task that ran before.  Check
 * the end of user memory: some kernels warn about an access beyond it.
 */
bool kt_has_user_memory(u64 addr, u32 size)
{
	return current->mm && (addr & GENMASK_ULL(55, 0)) < TASK_SIZE_MAX - size;
}
NOKPROBE_SYMBOL(kt_has_user_memory);

static bool load_user(void *to, u64 addr, size_t size)
{
	if (!kt_has_user_memory(addr, size))
		return false;
	if (likely(!copy_from_user_nofault(to, (void __user *)addr, size)))
		return true;
	return kt_fault_in(addr, size) && !copy_from_user_nofault(to, (void __user *)addr, size);
}
NOKPROBE_SYMBOL(load_user);

bool kt_load(void *to, u64 addr, size_t size)
{
	if (kt_is_user(addr))
		return load_user(to, addr, size);
	return readable(addr, size) && load_kernel(to, addr, size);
}
NOKPROBE_SYMBOL(kt_load);

/* ---------------------------------------------------------------- callers */

/*
 * Frame records contain the return addresses of functions.  If the function at pc has not made its frame record yet, or
 * has removed it already, its return address is in x30.
 */

/* add x29, sp, #n; mov x29, sp */
static bool makes_frame(u32 insn)
{
	return (insn & 0xffc003ff) == 0x910003fd;
}
NOKPROBE_SYMBOL(makes_frame);

/* ldp x29, x30, [sp], .. */
static bool leaves_frame(u32 insn)
{
	return (insn & 0xfe407fff) == 0xa8407bfd;
}
NOKPROBE_SYMBOL(leaves_frame);

/* b, ret */
static bool leads_away(u32 insn)
{
	return kt_is_b(insn) || (insn & 0xfffff000) == 0xd65f0000;
}
NOKPROBE_SYMBOL(leads_away);

static bool read_insn(unsigned long addr, u32 *insn)
{
	return !copy_from_kernel_nofault(insn, (void *)addr, sizeof(*insn));
}
NOKPROBE_SYMBOL(read_insn);

/*
 * Does the function at pc have a frame record?  Search from pc backwards to the start of the function.  Ignore code
 * that removes the frame before an unconditional branch or return: execution does not reach pc from there.
 */
static bool has_frame(unsigned long pc)
{
	unsigned long size, offset, at;
	bool straight = true;
	u32 insn;

	if (!kt_kallsyms_lookup_size_offset(pc, &size, &offset))
		return true;
	for (at = pc - KT_INSN_BYTES; at >= pc - offset; at -= KT_INSN_BYTES) {
		if (!read_insn(at, &insn))
			return true;
		if (makes_frame(insn))
			return true;
		if (leads_away(insn))
			straight = false;
		else if (straight && leaves_frame(insn))
			return false;
	}
	return false;
}
NOKPROBE_SYMBOL(has_frame);

/* Remove the pointer authentication code from a return address.  On CPUs without it this instruction is a nop. */
static u64 strip(u64 addr)
{
	register u64 lr asm("x30") = addr;

	asm volatile("hint #7" : "+r"(lr));	/* xpaclri */
	return lr;
}
NOKPROBE_SYMBOL(strip);

struct walk {
	u64 *to;
	u32 n, most, skip;
};

static bool add_caller(void *cookie, unsigned long addr)
{
	struct walk *walk = cookie;

	if (walk->skip) {
		walk->skip--;
		return true;
	}
	if (walk->n < walk->most)
		walk->to[walk->n++] = addr;
	return walk->n < walk->most;
}
NOKPROBE_SYMBOL(add_caller);

/* The kernel's walk begins with the instruction at pc, so skip the first address. */
u32 kt_callers(const struct pt_regs *regs, u64 *to, u32 most)
{
	struct walk walk = { .to = to, .most = most };
	struct pt_regs here = *regs;

	if (!has_frame(here.pc))
		add_caller(&walk, strip(here.regs[30]));
	walk.skip = 1;
	if (walk.n < most && kt_have(arch_stack_walk))
		kt_arch_stack_walk(add_caller, &walk, current, &here);
	return walk.n;
}
NOKPROBE_SYMBOL(kt_callers);

void kt_callers_forget(void)
{
}
