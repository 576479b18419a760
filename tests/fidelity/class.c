// SPDX-License-Identifier: GPL-2.0-or-later
/* class.c - kinds of instructions. See class.h. */
#include <linux/kernel.h>

#include "class.h"

const char *const class_name[NR_CLASSES] = {
	[MAP_ONE] = "other one-byte",
	[MAP_0F] = "other 0f",
	[MAP_0F38] = "0f 38",
	[MAP_0F3A] = "0f 3a",
	[MAP_VEX] = "VEX",
	[MAP_EVEX] = "EVEX",
	[CLASS_CALL] = "call",
	[CLASS_CALL_INDIRECT] = "indirect call",
	[CLASS_JMP] = "jmp",
	[CLASS_JMP_INDIRECT] = "indirect jmp",
	[CLASS_JCC] = "jcc",
	[CLASS_LOOP] = "loop, jrcxz",
	[CLASS_RET] = "ret",
	[CLASS_STACK] = "push, pop",
	[CLASS_STRING] = "string",
	[CLASS_X87] = "x87",
	[CLASS_FAR] = "far transfer",
};

const char *const trait_name[NR_TRAITS] = {
	[TRAIT_RIP_RELATIVE] = "RIP-relative operand",
	[TRAIT_MEMORY] = "memory operand",
	[TRAIT_FS_GS] = "fs or gs prefix",
	[TRAIT_LOCK] = "lock prefix",
	[TRAIT_REP] = "f2 or f3 prefix",
	[TRAIT_66] = "66 prefix",
	[TRAIT_67] = "67 prefix",
	[TRAIT_REX] = "REX prefix",
};

static const struct {
	enum class class;
	struct pattern pattern;
} rows[] = {
	{ CLASS_CALL, { MAP_ONE, 0xe8, 0xe8 } },
	{ CLASS_CALL_INDIRECT, { MAP_ONE, 0xff, 0xff, MODRM_REG(2) } },
	{ CLASS_JMP, { MAP_ONE, 0xe9, 0xe9 } },
	{ CLASS_JMP, { MAP_ONE, 0xeb, 0xeb } },
	{ CLASS_JMP_INDIRECT, { MAP_ONE, 0xff, 0xff, MODRM_REG(4) } },
	{ CLASS_JCC, { MAP_ONE, 0x70, 0x7f } },
	{ CLASS_JCC, { MAP_0F, 0x80, 0x8f } },
	{ CLASS_LOOP, { MAP_ONE, 0xe0, 0xe3 } },
	{ CLASS_RET, { MAP_ONE, 0xc2, 0xc3 } },
	{ CLASS_STACK, { MAP_ONE, 0x50, 0x5f } },
	{ CLASS_STACK, { MAP_ONE, 0x68, 0x68 } },
	{ CLASS_STACK, { MAP_ONE, 0x6a, 0x6a } },
	{ CLASS_STACK, { MAP_ONE, 0x8f, 0x8f } },
	{ CLASS_STACK, { MAP_ONE, 0x9c, 0x9d } },
	{ CLASS_STACK, { MAP_ONE, 0xc8, 0xc9 } },
	{ CLASS_STACK, { MAP_ONE, 0xff, 0xff, MODRM_REG(6) } },
	{ CLASS_STACK, { MAP_0F, 0xa0, 0xa1 } },
	{ CLASS_STACK, { MAP_0F, 0xa8, 0xa9 } },
	{ CLASS_STRING, { MAP_ONE, 0x6c, 0x6f } },
	{ CLASS_STRING, { MAP_ONE, 0xa4, 0xa7 } },
	{ CLASS_STRING, { MAP_ONE, 0xaa, 0xaf } },
	{ CLASS_X87, { MAP_ONE, 0xd8, 0xdf } },
	{ CLASS_FAR, { MAP_ONE, 0x9a, 0x9a } },
	{ CLASS_FAR, { MAP_ONE, 0xca, 0xcb } },
	{ CLASS_FAR, { MAP_ONE, 0xcf, 0xcf } },
	{ CLASS_FAR, { MAP_ONE, 0xea, 0xea } },
	{ CLASS_FAR, { MAP_ONE, 0xff, 0xff, MODRM_REG(3) } },
	{ CLASS_FAR, { MAP_ONE, 0xff, 0xff, MODRM_REG(5) } },
};

enum class insn_class(const struct insn *insn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (pattern_matches(&rows[i].pattern, insn))
			return rows[i].class;
	return (enum class)insn_map(insn);
}

u32 insn_traits(const struct insn *insn)
{
	return insn_is_rip_relative(insn) << TRAIT_RIP_RELATIVE |
	       insn_has_memory(insn) << TRAIT_MEMORY |
	       (insn_has_prefix(insn, 0x64) || insn_has_prefix(insn, 0x65)) << TRAIT_FS_GS |
	       insn_has_prefix(insn, 0xf0) << TRAIT_LOCK |
	       (insn_has_prefix(insn, 0xf2) || insn_has_prefix(insn, 0xf3)) << TRAIT_REP |
	       insn_has_prefix(insn, 0x66) << TRAIT_66 |
	       insn_has_prefix(insn, 0x67) << TRAIT_67 |
	       (insn->rex_prefix.nbytes != 0) << TRAIT_REX;
}
