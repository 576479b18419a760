// SPDX-License-Identifier: GPL-2.0-only
/* patch.c - see patch.h. */
#include <linux/smp.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "kmod/text/slot.h"
#include "encode.h"
#include "kmod/base/ksym.h"
#include "kmod/base/site.h"
#include "patch.h"

/* The most instructions to write while all other CPUs are stopped: that takes some tenths of a millisecond. */
#define BATCH	256

static struct {
	void *addrs[BATCH];
	u32 insns[BATCH];
	int n;
	bool live;	/* there was a write while other CPUs may execute the text */
} pending;

u32 kt_arm64_live(unsigned long addr)
{
	return READ_ONCE(*(u32 *)addr);
}

static u32 original(const struct kt_site *site)
{
	u32 insn;

	memcpy(&insn, site->insn, sizeof(insn));
	return insn;
}

static u32 jump(const struct kt_site *site)
{
	return kt_put_b(site->addr, (unsigned long)site->trampoline);
}

bool kt_arm64_is_ours(const struct kt_site *site)
{
	u32 now = kt_arm64_live(site->addr);

	return now == KT_BRK(KT_BRK_IMM) || (site->trampoline && now == jump(site));
}

static bool may_change_live(u32 insn)
{
	return kt_is_b(insn) || kt_is_bl(insn) || kt_is_brk(insn) || insn == KT_NOP;
}

static void write_stopped(void)
{
	if (pending.n)
		kt_aarch64_insn_patch_text(pending.addrs, pending.insns, pending.n);
	pending.n = 0;
}

static void write(unsigned long addr, u32 insn)
{
	if (may_change_live(insn) && may_change_live(kt_arm64_live(addr))) {
		kt_aarch64_insn_patch_text_nosync((void *)addr, insn);
		pending.live = true;
		return;
	}
	if (pending.n == BATCH)
		write_stopped();
	pending.addrs[pending.n] = (void *)addr;
	pending.insns[pending.n++] = insn;
}

/*
 * A jump is one instruction, so it has no tail.  KT_POKE_ORIGINAL writes nothing if the text is not ktrace's: then
 * another probe (a kprobe that was being registered during ktrace's check) has replaced ktrace's breakpoint, and will
 * restore the original instruction itself.
 */
void kt_arm64_poke(struct kt_site *site, enum kt_poke what)
{
	kt_slots_flush();
	switch (what) {
	case KT_POKE_BREAKPOINT:
		return write(site->addr, KT_BRK(KT_BRK_IMM));
	case KT_POKE_JUMP_HEAD:
		return write(site->addr, jump(site));
	case KT_POKE_ORIGINAL:
		if (kt_arm64_is_ours(site))
			write(site->addr, original(site));
		return;
	default:
		return;
	}
}

void kt_arm64_flush(void)
{
	kt_slots_flush();
	write_stopped();
}

/* Afterwards each CPU has taken an interrupt, or was stopped, so it executes the new text. */
void kt_arm64_sync(void)
{
	write_stopped();
	if (pending.live)
		kick_all_cpus_sync();
	pending.live = false;
}
