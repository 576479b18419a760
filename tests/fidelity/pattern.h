/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern.h - sets of instructions by opcode, prefix and ModRM. */
#ifndef FIDELITY_PATTERN_H
#define FIDELITY_PATTERN_H

#include <asm/insn.h>
#include <linux/types.h>

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_VEX, MAP_EVEX, NR_MAPS };
enum form { FORM_ANY, FORM_MEMORY, FORM_REGISTER };

struct pattern {
	u8 map, first, last;	/* opcode map, range of opcodes */
	u8 form;
	u8 mask, modrm;		/* ModRM & mask == modrm */
	u8 prefix;		/* required prefix; 0: any */
};

/* For a row of a table: the reg field of ModRM must be n; the whole ModRM must be n. */
#define MODRM_REG(n)	.mask = 0x38, .modrm = (n) << 3
#define MODRM(n)	.mask = 0xff, .modrm = (n)

enum map insn_map(const struct insn *insn);
u8 insn_opcode(const struct insn *insn);
bool insn_has_prefix(const struct insn *insn, u8 prefix);
bool insn_has_memory(const struct insn *insn);	/* does it have a ModRM memory operand? */
bool insn_is_rip_relative(const struct insn *insn);

bool pattern_matches(const struct pattern *pattern, const struct insn *insn);

#endif
