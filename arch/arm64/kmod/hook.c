// SPDX-License-Identifier: GPL-2.0-only
/*
 * hook.c - see hook.h.
 *
 * The code that enters the exception (arch/arm64/kernel/entry-common.c) is noinstr, and calls the handler of
 * breakpoints at one place.  ktrace redirects that call to itself, and passes all other breakpoints on to the
 * original handler.  Replacing a bl by another bl is safe while CPUs execute it, and noinstr code has no probes of
 * others.
 *
 * Some kernels also offer register_kernel_break_hook().  But ftrace can trace functions that run before such a hook:
 * if ktrace has set a breakpoint in the tracer, that breakpoint would hit itself again, without end.  So ktrace uses
 * it only if it does not find the call.  The newest kernels do not have it.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/debug-monitors.h>
#include <asm/esr.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "hook.h"
#include "kmod/base/ksym.h"
#include "kmod/base/quiesce.h"
#include "kmod/text/safety.h"
#include "kmod/text/slot.h"
#include "patch.h"

/* -------------------------------------- by register_kernel_break_hook() */

static int on_hook(struct pt_regs *regs, unsigned long esr)
{
	return kt_arm64_breakpoint(regs) ? DBG_HOOK_HANDLED : DBG_HOOK_ERROR;
}
NOKPROBE_SYMBOL(on_hook);

/* The same as struct break_hook of asm/debug-monitors.h, which newer kernels do not have. */
static struct {
	struct list_head node;
	int (*fn)(struct pt_regs *regs, unsigned long esr);
	u16 imm, mask;
} hook = { .fn = on_hook, .imm = KT_BRK_IMM };

/* --------------------------------------- by redirecting the kernel's call */

#define PATH_BYTES	16

static bool is_ours(unsigned long esr, struct pt_regs *regs)
{
	return ESR_ELx_EC(esr) == ESR_ELx_EC_BRK64 && (esr & ESR_ELx_BRK64_ISS_COMMENT_MASK) == KT_BRK_IMM &&
	       kt_arm64_breakpoint(regs);
}
NOKPROBE_SYMBOL(is_ours);

static void on_brk64(unsigned long esr, struct pt_regs *regs)
{
	if (!is_ours(esr, regs))
		kt_do_el1_brk64(esr, regs);
}
NOKPROBE_SYMBOL(on_brk64);

static void on_debug(unsigned long far, unsigned long esr, struct pt_regs *regs)
{
	if (!is_ours(esr, regs))
		kt_do_debug_exception(far, esr, regs);
}
NOKPROBE_SYMBOL(on_debug);

/*
 * The possible handlers, and the functions that may contain the call: the compiler may inline the first of them into
 * the next ones.
 */
static const struct entry {
	const unsigned long *callee;
	void *ours;
	const char *callers[3];
} entries[] = {
	{ &kt_ksym_do_el1_brk64, on_brk64, { "el1_brk64", "el1h_64_sync_handler" } },
	{ &kt_ksym_do_debug_exception, on_debug, { "el1_dbg", "el1h_64_sync_handler", "el1_sync_handler" } },
};

static const struct entry *entry;	/* the redirected handler */
static unsigned long call;		/* the address of its call */
static u8 *path;			/* code in a slot, from the call to the module, which a bl may not reach */

/* The address of the only call of callee in a function; 0: there is none, or more than one. */
static unsigned long call_in(const char *function, unsigned long callee)
{
	unsigned long at = kt_ksym_find(function), size, offset, end, found = 0;
	u32 insn;

	if (!at || !kt_kallsyms_lookup_size_offset(at, &size, &offset))
		return 0;
	for (end = at + size; at < end; at += KT_INSN_BYTES) {
		insn = kt_arm64_live(at);
		if (!kt_is_bl(insn) || kt_branch_target(insn, at) != callee)
			continue;
		if (found)
			return 0;
		found = at;
	}
	return found;
}

static unsigned long call_of(const struct entry *e)
{
	unsigned long at = 0;
	size_t i;

	for (i = 0; *e->callee && !at && i < ARRAY_SIZE(e->callers) && e->callers[i]; i++)
		at = call_in(e->callers[i], *e->callee);
	return at;
}

/* ldr x16, .+8; br x16; the address */
static bool make_path(unsigned long from)
{
	const unsigned long to = (unsigned long)entry->ours;
	u8 code[PATH_BYTES];
	const u32 insns[] = { 0x58000040U | KT_IP0, kt_put_br(KT_IP0) };

	kt_text_lock();
	path = kt_slot_alloc(KT_SLOT_PLAIN, PATH_BYTES, from);
	kt_text_unlock();
	if (!path)
		return false;
	memcpy(code, insns, sizeof(insns));
	memcpy(code + sizeof(insns), &to, sizeof(to));
	kt_text_lock();
	kt_slot_write(path, code, PATH_BYTES);
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

static bool find_call(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(entries) && !entry; i++) {
		call = call_of(&entries[i]);
		if (call)
			entry = &entries[i];
	}
	return entry;
}

static int lead_to_us(void)
{
	if (!make_path(call)) {
		entry = NULL;
		return -ENOMEM;
	}
	lead_call((unsigned long)path);
	return 0;
}

static void lead_back(void)
{
	lead_call(*entry->callee);
	kt_quiesce();
	kt_slot_free(path, PATH_BYTES);
}

int kt_hook_init(void)
{
	if (find_call())
		return lead_to_us();
	if (kt_have(register_kernel_break_hook) && kt_have(unregister_kernel_break_hook)) {
		pr_warn("the call of the breakpoint handler is not where it is expected: do not trace what ftrace runs through\n");
		kt_register_kernel_break_hook(&hook);
		return 0;
	}
	pr_err("this kernel lets nobody know of breakpoints (no register_kernel_break_hook, no call of do_el1_brk64): cannot work\n");
	return -ENOENT;
}

void kt_hook_exit(void)
{
	if (entry)
		lead_back();
	else
		kt_unregister_kernel_break_hook(&hook);	/* waits, too */
}

u32 kt_hook_slots(void)
{
	return entry ? DIV_ROUND_UP(PATH_BYTES, KT_UNIT_BYTES) : 0;
}
