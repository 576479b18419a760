// SPDX-License-Identifier: GPL-2.0-only
/*
 * trampoline.c - see trampoline.h.
 *
 *	make room for a frame (frame.h) on the stack; store x16, x17, x30 in its struct pt_regs
 *	call kt_arm64_jump() with the site in x16: the hit; it preserves all other registers
 *	load x30, x16, x17; remove the frame
 *	the displaced instruction, and a branch to the instruction after it
 *	two literals: the site, the address of kt_arm64_jump()
 */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "kmod/base/ktrace.h"
#include "encode.h"
#include "entry.h"
#include "frame.h"
#include "insn.h"
#include "kmod/base/site.h"
#include "kmod/records/desc.h"
#include "trampoline.h"

#define WORDS		(KT_TRAMPOLINE_BYTES / KT_INSN_BYTES)
#define LITERALS	(KT_TRAMPOLINE_TEXT / KT_INSN_BYTES)

#define SP		31
#define IP1		17
#define CALL		0xd63f0000U	/* blr */

static u32 add_sp(s32 bytes)
{
	return bytes < 0 ? 0xd1000000U | (u32)-bytes << 10 | SP << 5 | SP :
			   0x91000000U | (u32)bytes << 10 | SP << 5 | SP;
}

/* stp and ldp of x16 and x17, str and ldr of x30, at their offsets in struct pt_regs. */
#define PAIR(op)	((op) | (KT_REGS_X(KT_IP0) / 8) << 15 | IP1 << 10 | SP << 5 | KT_IP0)
#define LINK(op)	((op) | (KT_REGS_X(KT_LR) / 8) << 10 | SP << 5 | KT_LR)

static u32 load_literal(u32 from, u32 literal, u32 reg)
{
	return 0x58000000U | (literal - from) << 5 | reg;
}

int kt_arm64_trampoline(const struct kt_site *site, u8 *out)
{
	const u64 literals[] = { (unsigned long)site, (unsigned long)kt_arm64_jump };
	u32 code[WORDS] = {
		add_sp(-KT_FRAME_BYTES),
		PAIR(0xa9000000U),
		LINK(0xf9000000U),
		load_literal(3, LITERALS, KT_IP0),
		load_literal(4, LITERALS + 2, IP1),
		CALL | IP1 << 5,
		LINK(0xf9400000U),
		PAIR(0xa9400000U),
		add_sp(KT_FRAME_BYTES),
	};
	const u32 displaced = 9 * KT_INSN_BYTES, filler = KT_BRK(0);
	unsigned int len;
	u32 insn, at;

	BUILD_BUG_ON(9 * KT_INSN_BYTES + KT_SLOT_BYTES > LITERALS * KT_INSN_BYTES);
	BUILD_BUG_ON(offsetof(struct pt_regs, pc) != KT_REGS_PC || offsetof(struct pt_regs, pstate) != KT_REGS_PSTATE);
	BUILD_BUG_ON(offsetof(struct kt_site, addr) != KT_SITE_ADDR || offsetof(struct kt_site, desc) != KT_SITE_DESC ||
		     offsetof(struct kt_desc, all_regs) != KT_DESC_ALL_REGS);
	memcpy(&insn, site->insn, sizeof(insn));
	memcpy(out, code, KT_TRAMPOLINE_BYTES);
	if (kt_arm64_relocate(insn, site->addr, (unsigned long)site->trampoline + displaced, out + displaced, &len))
		return -EINVAL;
	for (at = displaced + len; at < KT_TRAMPOLINE_TEXT; at += KT_INSN_BYTES)
		memcpy(out + at, &filler, sizeof(filler));
	memcpy(out + LITERALS * KT_INSN_BYTES, literals, sizeof(literals));
	return displaced;
}
