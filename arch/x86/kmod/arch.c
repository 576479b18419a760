// SPDX-License-Identifier: GPL-2.0-only
/* arch.c - x86-64: the breakpoint hook and text patching.  See kmod/arch.h. */
#include <linux/elf.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "ktrace.h"
#include "arch.h"
#include "hit.h"
#include "insn.h"
#include "ksym.h"
#include "slot.h"
#include "table.h"

static const u8 int3 = 0xcc;
static atomic64_t nr_stray;

static bool is_int3(const u8 *text)
{
	return *text == int3;
}

/*
 * A breakpoint was met.  The exception was taken with interrupts off and as an NMI
 * (exc_int3(), arch/x86/kernel/traps.c); on return execution goes on in the
 * slot, so there is no second trap.  A breakpoint that is nobody's and not
 * there any more was ours a moment ago: go back to what stands there now.
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
	kt_hit(site, regs, NMI_OFFSET + HARDIRQ_OFFSET);
	regs->ip = (unsigned long)site->slot;
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
	return register_die_notifier(&die_nb);
}

static void kt_x86_exit(void)
{
	unregister_die_notifier(&die_nb);
}

static enum kt_refusal kt_x86_prepare(struct kt_site *site)
{
	u8 code[KT_SLOT_BYTES];
	enum kt_refusal refusal;
	void *slot;

	slot = kt_slot_alloc();
	if (!slot)
		return KT_REFUSE_NOSLOT;
	refusal = kt_x86_relocate(site->insn, site->insn_len, site->addr, (unsigned long)slot,
				  code);
	if (refusal) {
		kt_slot_free(slot);
		return refusal;
	}
	kt_text_poke(slot, code, sizeof(code));
	site->slot = slot;
	return KT_REFUSE_NONE;
}

static void kt_x86_release(struct kt_site *site)
{
	kt_slot_free(site->slot);
}

static void kt_x86_arm(struct kt_site *site)
{
	kt_text_poke((void *)site->addr, &int3, sizeof(int3));
	site->armed = true;
}

static void kt_x86_disarm(struct kt_site *site)
{
	if (!site->armed)
		return;
	kt_text_poke((void *)site->addr, site->insn, sizeof(int3));
	site->armed = false;
}

static void kt_x86_sync(void)
{
	kt_text_poke_sync();
}

static void nothing(struct work_struct *work)
{
}

/*
 * A task can be preempted in a slot (it returns to it) but cannot sleep there:
 * RCU-tasks waits until each task has slept or left the kernel.  Idle tasks are
 * not preempted; a CPU that is in a slot right now, in whatever context, has
 * left it when a work item has run on it.
 */
static void kt_x86_quiesce(void)
{
	synchronize_rcu_tasks();
	kt_schedule_on_each_cpu(nothing);
}

static u64 kt_x86_stray(void)
{
	return atomic64_read(&nr_stray);
}

const struct kt_arch_ops kt_arch = {
	.elf_machine = EM_X86_64,
	.nr_slots = KT_NR_SLOTS,
	.init = kt_x86_init,
	.exit = kt_x86_exit,
	.decode = kt_x86_decode,
	.prepare = kt_x86_prepare,
	.release = kt_x86_release,
	.arm = kt_x86_arm,
	.disarm = kt_x86_disarm,
	.sync = kt_x86_sync,
	.is_breakpoint = is_int3,
	.quiesce = kt_x86_quiesce,
	.slots_used = kt_slots_used,
	.stray = kt_x86_stray,
};
