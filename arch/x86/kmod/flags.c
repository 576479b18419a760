// SPDX-License-Identifier: GPL-2.0-only
/*
 * flags.c - see flags.h.
 *
 * Jump labels and static calls change the code at run time.  Each is a nop, a jump or a call.  The compiler assumes that any of
 * them overwrites the flags, so the flags are dead there whichever is in place.
 */
#include "flags.h"
#include "insn.h"

#define FARTHEST	24	/* instructions */

static enum kt_flags_use use_of(const struct insn *insn)
{
	if (insn->vex_prefix.nbytes)
		return KT_FLAGS_MATTER;
	return kt_x86_flags_use((const u8 *)insn->opcode.bytes, insn->opcode.nbytes, X86_MODRM_REG(insn->modrm.value));
}

bool kt_x86_flags_dead(unsigned long addr, unsigned long end)
{
	enum kt_flags_use use = KT_FLAGS_PASS;
	struct kt_decoded one;
	u32 i;

	for (i = 0; i < FARTHEST && addr < end && use == KT_FLAGS_PASS; i++, addr += one.insn.length) {
		if (kt_x86_decode_one(addr, &one))
			return false;
		use = use_of(&one.insn);
	}
	return use == KT_FLAGS_DIE;
}
