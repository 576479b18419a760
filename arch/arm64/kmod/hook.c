// SPDX-License-Identifier: GPL-2.0-only
/*
 * hook.c - see hook.h.
 *
 * Kernels that have register_kernel_break_hook() are asked to call us for our immediate.  Newer ones decide
 * by a fixed list which breakpoint is whose, in do_el1_brk64() (arch/arm64/kernel/debug-monitors.c).  There is
 * one call of it, in the exception's entry; that call is led to us, and what is not ours goes on to where it was to go.
 * A bl becomes another bl, which processors may see at any time; that text is noinstr, so nobody's probe
 * is or will be on it.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>

#include "ktrace.h"
#include "encode.h"
#include "hook.h"
#include "ksym.h"
#include "patch.h"
#include "quiesce.h"
#include "safety.h"
#include "slot.h"

/* ----------------------------------------------------------- by asking */

static int on_hook(struct pt_regs *regs, unsigned long esr)
{
	return kt_arm64_breakpoint(regs) ? DBG_HOOK_HANDLED : DBG_HOOK_ERROR;
}
NOKPROBE_SYMBOL(on_hook);

/* struct break_hook of asm/debug-monitors.h, which newer kernels do not have. */
static struct {
	struct list_head node;
	int (*fn)(struct pt_regs *regs, unsigned long esr);
	u16 imm, mask;
} hook = { .fn = on_hook, .imm = KT_BRK_IMM };

/* ------------------------------------------------------- by the kernel's call */

static unsigned long call;	/* where it is, 0: not led to us */
static u8 *way;			/* from there to us, who may be far */

#define WAY_BYTES	16

asmlinkage void kt_arm64_brk64(unsigned long esr, struct pt_regs *regs);

asmlinkage void kt_arm64_brk64(unsigned long esr, struct pt_regs *regs)
{
	if ((esr & ESR_ELx_BRK64_ISS_COMMENT_MASK) != KT_BRK_IMM || !kt_arm64_breakpoint(regs))
		kt_do_el1_brk64(esr, regs);
}
NOKPROBE_SYMBOL(kt_arm64_brk64);

/* The one call of do_el1_brk64() in a function, 0 where there is none or more than one. */
static unsigned long call_in(const char *function)
{
	unsigned long at = kt_ksym_find(function), size, offset, end, found = 0;
	u32 insn;

	if (!at || !kt_kallsyms_lookup_size_offset(at, &size, &offset))
		return 0;
	for (end = at + size; at < end; at += KT_INSN_BYTES) {
		insn = kt_arm64_live(at);
		if (!kt_is_bl(insn) || kt_branch_target(insn, at) != kt_ksym_do_el1_brk64)
			continue;
		if (found)
			return 0;
		found = at;
	}
	return found;
}

static unsigned long find_call(void)
{
	/* Where the compiler leaves the former, and where it puts it. */
	return call_in("el1_brk64") ?: call_in("el1h_64_sync_handler");
}

/* ldr x16, .+8; br x16; the address */
static bool make_way(unsigned long near)
{
	const unsigned long to = (unsigned long)kt_arm64_brk64;
	u8 code[WAY_BYTES];
	const u32 insns[] = { 0x58000040U | KT_IP0, kt_put_br(KT_IP0) };

	way = kt_slot_alloc(WAY_BYTES, near);
	if (!way)
		return false;
	memcpy(code, insns, sizeof(insns));
	memcpy(code + sizeof(insns), &to, sizeof(to));
	kt_text_lock();
	kt_slot_write(way, code, WAY_BYTES);
	kt_slots_flush();
	kt_text_unlock();
	return true;
}

static void lead_call(unsigned long to)
{
	kt_text_lock();
	kt_aarch64_insn_patch_text_nosync((void *)call, kt_put_bl(call, to));
	kt_text_unlock();
	kick_all_cpus_sync();
}

static int lead_to_us(void)
{
	call = kt_have(do_el1_brk64) ? find_call() : 0;
	if (!call) {
		pr_err("this kernel has no register_kernel_break_hook, and no call of do_el1_brk64 where it is expected: cannot work\n");
		return -ENOENT;
	}
	if (!make_way(call)) {
		call = 0;
		return -ENOMEM;
	}
	lead_call((unsigned long)way);
	return 0;
}

static void lead_back(void)
{
	lead_call(kt_ksym_do_el1_brk64);
	kt_quiesce();
	kt_slot_free(way, WAY_BYTES);
}

int kt_hook_init(void)
{
	if (!kt_have(register_kernel_break_hook) || !kt_have(unregister_kernel_break_hook))
		return lead_to_us();
	kt_register_kernel_break_hook(&hook);
	return 0;
}

void kt_hook_exit(void)
{
	if (call)
		lead_back();
	else
		kt_unregister_kernel_break_hook(&hook);	/* waits, too */
}

u32 kt_hook_slots(void)
{
	return call ? DIV_ROUND_UP(WAY_BYTES, KT_UNIT_BYTES) : 0;
}
