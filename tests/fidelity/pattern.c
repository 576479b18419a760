// SPDX-License-Identifier: GPL-2.0-or-later
/* pattern.c - match instructions. See pattern.h. */
#include <linux/kernel.h>

#include "pattern.h"

#define EVEX_BYTES	4

static enum map escaped_map(u8 second)
{
	return second == 0x38 ? MAP_0F38 : MAP_0F3A;
}

enum map insn_map(const struct insn *insn)
{
	if (insn->vex_prefix.nbytes)
		return insn->vex_prefix.nbytes == EVEX_BYTES ? MAP_EVEX : MAP_VEX;
	if (insn->opcode.nbytes == 1)
		return MAP_ONE;
	return insn->opcode.nbytes == 2 ? MAP_0F : escaped_map(insn->opcode.bytes[1]);
}

u8 insn_opcode(const struct insn *insn)
{
	return insn->opcode.bytes[insn->opcode.nbytes - 1];
}

bool insn_has_prefix(const struct insn *insn, u8 prefix)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(insn->prefixes.bytes); i++)
		if (insn->prefixes.bytes[i] == prefix)
			return true;
	return false;
}

bool insn_has_memory(const struct insn *insn)
{
	return insn->modrm.nbytes && X86_MODRM_MOD(insn->modrm.value) != 3;
}

bool insn_is_rip_relative(const struct insn *insn)
{
	return insn_has_memory(insn) && X86_MODRM_MOD(insn->modrm.value) == 0 &&
	       X86_MODRM_RM(insn->modrm.value) == 5;
}

static bool form_matches(u8 form, const struct insn *insn)
{
	return form == FORM_ANY || (form == FORM_MEMORY) == insn_has_memory(insn);
}

bool pattern_matches(const struct pattern *pattern, const struct insn *insn)
{
	u8 opcode = insn_opcode(insn);

	return insn_map(insn) == pattern->map && opcode >= pattern->first && opcode <= pattern->last &&
	       form_matches(pattern->form, insn) &&
	       (insn->modrm.value & pattern->mask) == pattern->modrm &&
	       (!pattern->prefix || insn_has_prefix(insn, pattern->prefix));
}
