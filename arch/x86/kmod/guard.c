// SPDX-License-Identifier: GPL-2.0-only
/* guard.c - see guard.h. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "kmod/base/ktrace.h"
#include "guard.h"
#include "kmod/base/arch.h"
#include "kmod/base/ksym.h"
#include "kmod/table/table.h"
#include "kmod/table/table_int.h"
#include "kmod/text/change.h"
#include "kmod/text/safety.h"

/*
 * The most bytes that an optimised kprobe displaces: its jump has 5 bytes, and the last byte of the jump may be the
 * first byte of an instruction of 15 bytes.
 */
#define KPROBE_DISPLACED	(5 - 1 + 15)

struct kt_site kt_guard = { .internal = true, .consumers = LIST_HEAD_INIT(kt_guard.consumers) };

static __always_inline bool leads_inside(const struct kt_site *site, unsigned long probe)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(site->branch_targets); i++)
		if (site->branch_targets[i] > probe && site->branch_targets[i] < probe + KPROBE_DISPLACED)
			return true;
	return false;
}

/* Search all sites: this is rare, and the context allows no lock. */
static bool branch_inside(unsigned long probe)
{
	struct kt_site *site;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kt_site_hash); i++)
		hlist_for_each_entry_rcu_notrace(site, &kt_site_hash[i], hash)
			if (leads_inside(site, probe))
				return true;
	return false;
}
NOKPROBE_SYMBOL(branch_inside);

/*
 * The hit is at the start of arch_prepare_optimized_kprobe().  Its argument points to a structure that begins with the
 * kprobe; the return address is on the stack.
 */
void kt_guard_hit(struct pt_regs *regs)
{
	const struct kprobe *probe = (const struct kprobe *)regs->di;

	if (!branch_inside((unsigned long)probe->addr)) {
		regs->ip = (unsigned long)kt_guard.slot;
		return;
	}
	regs->ax = -EILSEQ;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}
NOKPROBE_SYMBOL(kt_guard_hit);

/* Choose the first instruction after endbr64 and ftrace's nop, if the function has them. */
static enum kt_refusal judge(unsigned long start)
{
	static const u8 offsets[] = { 0, 4, 5, 9 };
	enum kt_refusal refusal = KT_REFUSE_NO_SYMBOL;
	size_t i;

	for (i = 0; refusal && i < ARRAY_SIZE(offsets); i++) {
		kt_guard.addr = start + offsets[i];
		refusal = kt_safety_check(&kt_guard);
		if (!refusal)
			refusal = kt_arch.prepare(&kt_guard);
	}
	return refusal;
}

static bool is_missing;

bool kt_guard_is_missing(void)
{
	return is_missing;
}

void kt_guard_init(void)
{
	unsigned long start = kt_ksym_find("arch_prepare_optimized_kprobe");
	enum kt_refusal refusal;

	if (!start)
		return;		/* kprobes are not optimised in this kernel */
	mutex_lock(&kt_table_lock);
	kt_text_lock();
	refusal = judge(start);
	if (!refusal) {
		kt_site_hash_add(&kt_guard);
		kt_arch.poke(&kt_guard, KT_POKE_BREAKPOINT);
		kt_guard.state = KT_SITE_BREAKPOINT;
		kt_arch.sync();
	}
	kt_text_unlock();
	mutex_unlock(&kt_table_lock);
	is_missing = refusal;
	if (refusal)
		pr_warn("no guard on kprobes' optimiser (refusal %u): set no kprobe where a branch is traced\n",
			refusal);
}

void kt_guard_exit(void)
{
	if (kt_guard.state == KT_SITE_OFF)
		return;
	kt_text_lock();
	kt_arch.poke(&kt_guard, KT_POKE_ORIGINAL);
	kt_arch.sync();
	kt_text_unlock();
	hlist_del_rcu(&kt_guard.hash);
	kt_arch.quiesce();
	kt_arch.release(&kt_guard);
}
