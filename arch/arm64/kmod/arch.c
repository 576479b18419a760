// SPDX-License-Identifier: GPL-2.0-only
/* arch.c - arm64: the breakpoint handler and struct kt_arch_ops.  See kmod/base/arch.h. */
#include <linux/elf.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "entry.h"
#include "frame.h"
#include "hook.h"
#include "insn.h"
#include "kmod/base/arch.h"
#include "kmod/base/quiesce.h"
#include "kmod/base/site.h"
#include "kmod/code/generate.h"
#include "kmod/hit/hit.h"
#include "kmod/table/table.h"
#include "kmod/text/slot.h"
#include "literal.h"
#include "patch.h"
#include "regs_arch.h"
#include "trampoline.h"

static atomic64_t nr_stray;

/*
 * The kernel handles the exception with all of DAIF masked.  On return execution continues in the slot, so there is no
 * second trap.  If there is no site and the text has no breakpoint any more, ktrace has just removed it: return to the
 * instruction that is there now.
 */
bool kt_arm64_breakpoint(struct pt_regs *regs)
{
	struct kt_site *site = kt_site_find(regs->pc);

	if (unlikely(!site)) {
		if (kt_arm64_live(regs->pc) == KT_BRK(KT_BRK_IMM))
			return false;
		atomic64_inc(&nr_stray);
		return true;
	}
	kt_hit_breakpoint(site, regs);
	regs->pc = (unsigned long)READ_ONCE(site->slot);
	return true;
}
NOKPROBE_SYMBOL(kt_arm64_breakpoint);

/* ------------------------------------------------------- processor status */

static u64 psr_mode;
static bool has_pan, has_uao, has_dit, has_ssbs;

/* A field of an identification register.  Both 0 and 15 mean that the CPU lacks the feature: return 0 for them. */
static u64 id_field(u64 reg, unsigned int shift)
{
	u64 field = reg >> shift & 0xf;

	return field == 0xf ? 0 : field;
}

static void status_init(void)
{
	psr_mode = read_sysreg(CurrentEL) | 1;	/* 1: the stack pointer of this exception level */
	has_pan = id_field(read_sysreg_s(SYS_ID_AA64MMFR1_EL1), 20);
	has_uao = id_field(read_sysreg_s(SYS_ID_AA64MMFR2_EL1), 4);
	has_dit = id_field(read_sysreg_s(SYS_ID_AA64PFR0_EL1), 48);
	has_ssbs = id_field(read_sysreg_s(SYS_ID_AA64PFR1_EL1), 4) >= 2;
}

u64 kt_pstate_rest(void)
{
	u64 rest = psr_mode;

	if (has_pan)
		rest |= read_sysreg_s(sys_reg(3, 0, 4, 2, 3));
	if (has_uao)
		rest |= read_sysreg_s(sys_reg(3, 0, 4, 2, 4));
	if (has_dit)
		rest |= read_sysreg_s(sys_reg(3, 3, 4, 2, 5));
	if (has_ssbs)
		rest |= read_sysreg_s(sys_reg(3, 3, 4, 2, 6));
	return rest;
}
NOKPROBE_SYMBOL(kt_pstate_rest);

/* --------------------------------------------------------------- the ops */

static int kt_arm64_init(void)
{
	int err;

	status_init();
	err = kt_hook_init();
	if (err)
		kt_slot_exit();
	return err;
}

static void kt_arm64_exit(void)
{
	kt_hook_exit();
	kt_literal_exit();
}

static u32 original(const struct kt_site *site)
{
	u32 insn;

	memcpy(&insn, site->insn, sizeof(insn));
	return insn;
}

static void kt_arm64_reserve(unsigned long addr, bool jumps)
{
	kt_slot_reserve(jumps ? KT_SLOT_JUMP : KT_SLOT_PLAIN, jumps ? KT_TRAMPOLINE_BYTES : KT_SLOT_BYTES, addr);
}

static enum kt_refusal kt_arm64_prepare(struct kt_site *site)
{
	u8 code[KT_SLOT_BYTES];
	enum kt_refusal refusal;
	unsigned int len;
	void *slot;

	slot = kt_slot_alloc(KT_SLOT_PLAIN, KT_SLOT_BYTES, site->addr);
	if (!slot)
		return KT_REFUSE_NOSLOT;
	refusal = kt_arm64_relocate(original(site), site->addr, (unsigned long)slot, code, &len);
	if (refusal) {
		kt_slot_free(slot, KT_SLOT_BYTES);
		return refusal;
	}
	kt_slot_write(slot, code, KT_SLOT_BYTES);
	site->slot = site->plain = slot;
	return KT_REFUSE_NONE;
}

/*
 * A jump replaces one instruction, so there is no branch target inside, and each instruction that has a plain slot also
 * works in a trampoline.  Only a bti must stay in place, because an indirect branch has to arrive at one.
 */
static enum kt_no_jump kt_arm64_displace(struct kt_site *site, unsigned long start, unsigned long size)
{
	site->displaced_len = 0;
	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && kt_arm64_is_bti(original(site)))
		return KT_NO_JUMP_UNMOVABLE;
	memcpy(site->displaced, site->insn, sizeof(site->displaced));
	site->displaced_len = KT_INSN_BYTES;
	return KT_NO_JUMP_NONE;
}

static bool kt_arm64_displaced_intact(const struct kt_site *site)
{
	return kt_arm64_is_ours(site) && !kt_arm64_has_kprobe(site->addr);
}

static int kt_arm64_prepare_jump(struct kt_site *site)
{
	u8 code[KT_TRAMPOLINE_BYTES];
	int displaced;

	site->trampoline = kt_slot_alloc(KT_SLOT_JUMP, sizeof(code), site->addr);
	if (!site->trampoline)
		return -ENOSPC;
	displaced = kt_branch_reaches(site->addr, (unsigned long)site->trampoline) ? kt_arm64_trampoline(site, code) :
										      -EINVAL;
	if (displaced < 0) {
		kt_slot_free(site->trampoline, sizeof(code));
		site->trampoline = NULL;
		return displaced;
	}
	kt_slot_write(site->trampoline, code, sizeof(code));
	kt_slots_flush();	/* hits by the breakpoint continue there at once */
	site->displaced_slot = (u8 *)site->trampoline + displaced;
	return 0;
}

static void kt_arm64_release(struct kt_site *site)
{
	kt_slot_free(site->plain, KT_SLOT_BYTES);
	if (site->trampoline)
		kt_slot_free(site->trampoline, KT_TRAMPOLINE_BYTES);
}

static bool kt_arm64_jump_intact(const struct kt_site *site)
{
	return kt_arm64_displaced_intact(site);
}

/* A breakpoint or a branch.  The first byte of a branch can have any value, so only the alignment tells. */
static size_t next_patch(const u8 *text, size_t from, size_t n, unsigned long addr)
{
	return min_t(size_t, ALIGN(addr + from, KT_INSN_BYTES) - addr, n);
}

/* One instruction has no branch targets inside. */
static int branch_targets_prepare(unsigned long addr, const struct module *mod)
{
	return 0;
}

static void *event_probe(void)
{
	return (void *)kt_arm64_event_probe;
}

static u64 kt_arm64_stray(void)
{
	return atomic64_read(&nr_stray);
}

/* kernel/rcu/tree.c or kernel/context_tracking.c, ct_nmi_enter(). */
static const char *const entry_path[] = { "rcu_dyntick", "rcu_watching", NULL };

const struct kt_arch_ops kt_arch = {
	.elf_machine = EM_AARCH64,
	.entry_path = entry_path,
	.patches_differ = true,
	.init = kt_arm64_init,
	.exit = kt_arm64_exit,
	.decode = kt_arm64_decode,
	.may_be_jump_label = kt_arm64_may_be_jump_label,
	.may_be_static_call = kt_arm64_may_be_static_call,
	.may_be_bug = kt_arm64_may_be_bug,
	.reserve = kt_arm64_reserve,
	.prepare = kt_arm64_prepare,
	.displace = kt_arm64_displace,
	.displaced_intact = kt_arm64_displaced_intact,
	.prepare_jump = kt_arm64_prepare_jump,
	.trampoline_bytes = KT_TRAMPOLINE_BYTES,
	.trampoline_text = KT_TRAMPOLINE_TEXT,
	.jump_intact = kt_arm64_jump_intact,
	.release = kt_arm64_release,
	.poke = kt_arm64_poke,
	.sync = kt_arm64_sync,
	.flush = kt_arm64_flush,
	.next_patch = next_patch,
	.unprobe = kt_arm64_unprobe,
	.probe_bytes = KT_INSN_BYTES,
	.is_probed = kt_arm64_has_kprobe,
	.mark_patched = kt_arm64_mark_patched,
	.branch_targets_prepare = branch_targets_prepare,
	.branch_targets_forget = kt_literal_forget,
	.event_probe = event_probe,
	.quiesce = kt_quiesce,
	.generate = kt_generate,
	.generate_hit = kt_generate_hit,
	.generate_cases = kt_generate_cases,
	.event_slow = kt_arm64_event_slow,
	.direct_slow = kt_arm64_jump_slow,
	.all_jumps_direct = true,
	.own_slots = kt_hook_slots,
	.stray = kt_arm64_stray,
};
