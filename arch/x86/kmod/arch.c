// SPDX-License-Identifier: GPL-2.0-only
/* arch.c - x86-64: the breakpoint hook and text patching.  See kmod/base/arch.h. */
#include <linux/elf.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include "kmod/base/ktrace.h"
#include "branch_target.h"
#include "displaced.h"
#include "frame.h"
#include "entry.h"
#include "guard.h"
#include "insn.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/base/quiesce.h"
#include "kmod/base/site.h"
#include "kmod/code/generate.h"
#include "kmod/hit/consumer.h"
#include "kmod/hit/hit.h"
#include "kmod/records/desc.h"
#include "kmod/table/table.h"
#include "kmod/text/slot.h"
#include "patched.h"
#include "trampoline.h"
#include "words.h"

static const u8 int3 = 0xcc;
static atomic64_t nr_stray;

/* A breakpoint, or the first byte of a jump: a filling prefix (2e) or the opcode (e9). */
static size_t next_patch(const u8 *text, size_t from, size_t n, unsigned long addr)
{
	unsigned long word;

	for (; from + sizeof(word) <= n; from += sizeof(word)) {
		memcpy(&word, text + from, sizeof(word));
		if (kt_x86_find_byte(word, int3) | kt_x86_find_byte(word, 0x2e) | kt_x86_find_byte(word, 0xe9))
			break;
	}
	while (from < n && text[from] != int3 && text[from] != 0x2e && text[from] != 0xe9)
		from++;
	return from;
}

/*
 * A breakpoint is hit.  The kernel handles the exception with interrupts off, in NMI context (exc_int3(),
 * arch/x86/kernel/traps.c).  On return execution continues in the slot, so there is no second trap.  If there is no
 * site and the text has no breakpoint any more, ktrace has just removed it: return to the instruction that is there
 * now.
 */
static __always_inline bool on_breakpoint(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - sizeof(int3);
	struct kt_site *site = kt_site_find(addr);

	if (unlikely(!site)) {
		if (READ_ONCE(*(u8 *)addr) == int3)
			return false;
		atomic64_inc(&nr_stray);
		regs->ip = addr;
		return true;
	}
	regs->ip = addr;
	if (unlikely(site->internal)) {
		kt_guard_hit(regs);
		return true;
	}
	kt_hit_breakpoint(site, regs);
	regs->ip = (unsigned long)READ_ONCE(site->slot);
	return true;
}

static int on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;

	if (event != DIE_INT3 || user_mode(regs))
		return NOTIFY_DONE;
	return on_breakpoint(regs) ? NOTIFY_STOP : NOTIFY_DONE;
}
NOKPROBE_SYMBOL(on_die);

static struct notifier_block die_nb = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

static int kt_x86_init(void)
{
	int err = register_die_notifier(&die_nb);

	BUILD_BUG_ON(sizeof(struct pt_regs) != KT_REGS_BYTES || offsetof(struct pt_regs, r11) != KT_REGS_SCRATCH ||
		     offsetof(struct pt_regs, orig_ax) != KT_REGS_ORIG_AX);
	BUILD_BUG_ON(offsetof(struct kt_site, desc) != KT_SITE_DESC ||
		     offsetof(struct kt_site, direct) != KT_SITE_DIRECT ||
		     offsetof(struct kt_desc, all_regs) != KT_DESC_ALL_REGS ||
		     offsetof(struct kt_desc, code.hit) != KT_DESC_HIT ||
		     offsetof(struct kt_desc, consumer) != KT_DESC_CONSUMER ||
		     offsetof(struct kt_consumer, site) != KT_CONSUMER_SITE ||
		     offsetof(struct kt_counts, recorded) || offsetof(struct kt_counts, missed) != KT_COUNTS_MISSED);
	if (err)
		return err;
	kt_x86_static_calls_init();
	kt_guard_init();
	return 0;
}

static void kt_x86_exit(void)
{
	kt_guard_exit();
	kt_x86_static_calls_exit();
	unregister_die_notifier(&die_nb);
	kt_branch_targets_exit();
}

static void kt_x86_reserve(unsigned long addr, bool jumps)
{
	kt_slot_reserve(jumps ? KT_SLOT_JUMP : KT_SLOT_PLAIN, jumps ? KT_TRAMPOLINE_BYTES : KT_SLOT_BYTES, addr);
}

static enum kt_refusal kt_x86_prepare(struct kt_site *site)
{
	u8 code[KT_SLOT_BYTES];
	enum kt_refusal refusal;
	void *slot;

	slot = kt_slot_alloc(KT_SLOT_PLAIN, sizeof(code), site->addr);
	if (!slot)
		return KT_REFUSE_NOSLOT;
	refusal = kt_x86_relocate(site->insn, site->insn_len, site->addr, (unsigned long)slot,
				  code);
	if (refusal) {
		kt_slot_free(slot, sizeof(code));
		return refusal;
	}
	kt_slot_write(slot, code, sizeof(code));
	site->slot = site->plain = slot;
	kt_x86_branch_targets(site->insn, site->insn_len, site->addr, site->branch_targets);
	return KT_REFUSE_NONE;
}

/*
 * The form of the trampoline that serves the site's descriptor best.  Calls are measured with one form: that of the scratch
 * function, on which the cost of hits is calibrated.
 */
static enum kt_x86_form form_for(const struct kt_site *site)
{
	const struct kt_desc *desc = rcu_dereference_raw(site->desc);

	if (!desc->direct.hit_bytes)
		return KT_X86_USUAL;
	if (desc->measurement)
		return KT_X86_DIRECT;
	if (site->flags_dead)
		return KT_X86_DIRECT_BRIEF;
	return boot_cpu_has(X86_FEATURE_LAHF_LM) ? KT_X86_DIRECT_FLAGS : KT_X86_DIRECT;
}

static bool kt_x86_jump_fits(const struct kt_site *site)
{
	return site->form == form_for(site);
}

static int kt_x86_prepare_jump(struct kt_site *site)
{
	const enum kt_x86_form form = form_for(site);
	void *const before = site->trampoline;
	u8 code[KT_TRAMPOLINE_BYTES];
	int displaced = -ENOSPC;

	site->trampoline = kt_slot_alloc(KT_SLOT_JUMP, sizeof(code), site->addr);
	if (!site->trampoline)
		goto restore;
	displaced = kt_x86_trampoline(site, form, code);
	if (displaced < 0)
		goto free;
	kt_slot_write(site->trampoline, code, sizeof(code));
	kt_slots_flush();	/* hits by the breakpoint continue there at once */
	site->displaced_slot = (u8 *)site->trampoline + displaced;
	site->form = form;
	return 0;

free:
	kt_slot_free(site->trampoline, sizeof(code));
restore:
	site->trampoline = before;
	return displaced;
}

static void kt_x86_release_jump(void *trampoline)
{
	kt_slot_free(trampoline, KT_TRAMPOLINE_BYTES);
}

static void kt_x86_release(struct kt_site *site)
{
	kt_slot_free(site->plain, KT_SLOT_BYTES);
	if (site->trampoline)
		kt_x86_release_jump(site->trampoline);
}

static void kt_x86_poke(struct kt_site *site, enum kt_poke what)
{
	u8 *at = (u8 *)site->addr, jump[KT_MAX_INSN];
	const u8 *from[KT_NR_POKES] = {
		[KT_POKE_BREAKPOINT] = &int3,
		[KT_POKE_ORIGINAL] = site->insn,
		[KT_POKE_JUMP_TAIL] = jump,
		[KT_POKE_JUMP_HEAD] = jump,
		[KT_POKE_DISPLACED_TAIL] = site->displaced,
	};

	kt_slots_flush();
	if (what == KT_POKE_JUMP_TAIL || what == KT_POKE_JUMP_HEAD)
		kt_x86_jump(site, jump);
	if (what == KT_POKE_JUMP_TAIL || what == KT_POKE_DISPLACED_TAIL)
		kt_text_poke(at + 1, from[what] + 1, site->displaced_len - 1);
	else
		kt_text_poke(at, from[what], 1);
}

static bool kt_x86_jump_intact(const struct kt_site *site)
{
	u8 jump[KT_MAX_INSN], now[KT_MAX_INSN];

	kt_x86_jump(site, jump);
	return !copy_from_kernel_nofault(now, (void *)site->addr, site->displaced_len) &&
	       !memcmp(now, jump, site->displaced_len) && !kt_x86_has_kprobe(site->addr);
}

void kt_x86_event_probe(void);
void kt_x86_event_probe_plain(void);

/* Where the CPU does not ask for endbr64, the kernel may as well call what follows it. */
static void *event_probe(void)
{
	/* volatile: no address that objtool finds. */
	u8 *volatile const plain = (u8 *)kt_x86_event_probe_plain, *volatile const other = (u8 *)kt_x86_event_probe;
	u8 *const probe = kt_x86_calls_plainly() ? plain : other;

	return kt_x86_checks_branches() ? probe : probe + KT_ENDBR_BYTES;
}

static void kt_x86_sync(void)
{
	kt_text_poke_sync();
}

/* The slot of the guard. */
static u32 kt_x86_own_slots(void)
{
	return kt_guard.state != KT_SITE_OFF;
}

static u64 kt_x86_stray(void)
{
	return atomic64_read(&nr_stray);
}

/* kernel/notifier.c, notifier_call_chain(); kernel/rcu/tree.c or kernel/context_tracking.c, ct_nmi_enter(). */
static const char *const entry_path[] = { "notifier_run", "rcu_dyntick", "rcu_watching", NULL };

const struct kt_arch_ops kt_arch = {
	.elf_machine = EM_X86_64,
	.entry_path = entry_path,
	.init = kt_x86_init,
	.exit = kt_x86_exit,
	.decode = kt_x86_decode,
	.may_be_jump_label = kt_x86_may_be_jump_label,
	.may_be_static_call = kt_x86_may_be_static_call,
	.may_be_bug = kt_x86_may_be_bug,
	.reserve = kt_x86_reserve,
	.prepare = kt_x86_prepare,
	.displace = kt_x86_displace,
	.displaced_intact = kt_x86_displaced_intact,
	.prepare_jump = kt_x86_prepare_jump,
	.jump_fits = kt_x86_jump_fits,
	.release_jump = kt_x86_release_jump,
	.jump_intact = kt_x86_jump_intact,
	.release = kt_x86_release,
	.poke = kt_x86_poke,
	.sync = kt_x86_sync,
	.flush = kt_slots_flush,
	.next_patch = next_patch,
	.unprobe = kt_x86_unprobe,
	.probe_bytes = KT_PROBE_BYTES,
	.is_probed = kt_x86_beside_kprobe,
	.mark_patched = kt_x86_mark_patched,
	.branch_targets_prepare = kt_branch_targets_prepare,
	.branch_targets_forget = kt_branch_targets_forget,
	.event_probe = event_probe,
	.event_slow = kt_x86_event_slow,
	.direct_slow = kt_x86_direct_slow,
	.trampoline_bytes = KT_TRAMPOLINE_BYTES,
	.trampoline_text = KT_TRAMPOLINE_BYTES,
	.quiesce = kt_quiesce,
	.generate = kt_generate,
	.generate_hit = kt_generate_hit,
	.generate_cases = kt_generate_cases,
	.own_slots = kt_x86_own_slots,
	.stray = kt_x86_stray,
};
