/* SPDX-License-Identifier: GPL-2.0-or-later */
/* class.h - kinds of instructions, as the results are counted. */
#ifndef FIDELITY_CLASS_H
#define FIDELITY_CLASS_H

#include "pattern.h"

enum class {
	/* first the opcode maps: instructions without a class of their own */
	CLASS_CALL = NR_MAPS,
	CLASS_CALL_INDIRECT,
	CLASS_JMP,
	CLASS_JMP_INDIRECT,
	CLASS_JCC,
	CLASS_LOOP,
	CLASS_RET,
	CLASS_STACK,
	CLASS_STRING,
	CLASS_X87,
	CLASS_FAR,
	NR_CLASSES,
};

enum trait {
	TRAIT_RIP_RELATIVE,
	TRAIT_MEMORY,
	TRAIT_FS_GS,
	TRAIT_LOCK,
	TRAIT_REP,
	TRAIT_66,
	TRAIT_67,
	TRAIT_REX,
	NR_TRAITS,
};

enum class insn_class(const struct insn *insn);
u32 insn_traits(const struct insn *insn);	/* a bit for each trait */

extern const char *const class_name[NR_CLASSES];
extern const char *const trait_name[NR_TRAITS];

#endif
