// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c - relocations and ORC registers.  See elf.h. */
#include "arch/elf.h"

#include <elf.h>
#include <stddef.h>

static const struct elf_relocation relocations[] = {
	{ EM_X86_64, R_X86_64_64, 8, false },
	{ EM_X86_64, R_X86_64_32, 4, false },
	{ EM_X86_64, R_X86_64_32S, 4, false },
	{ EM_X86_64, R_X86_64_PC32, 4, true },
	{ EM_X86_64, R_X86_64_PC64, 8, true },
	{ EM_AARCH64, R_AARCH64_ABS64, 8, false },
	{ EM_AARCH64, R_AARCH64_ABS32, 4, false },
	{ EM_AARCH64, R_AARCH64_PREL32, 4, true },
	{ EM_AARCH64, R_AARCH64_PREL64, 8, true },
};

static const struct orc_register {
	uint16_t machine;
	uint8_t orc;
	uint8_t dwarf;
} orc_registers[] = {
	{ EM_X86_64, 3, 6 },	/* rbp */
	{ EM_X86_64, 5, 7 },	/* rsp */
};

const struct elf_relocation *elf_relocation(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(relocations) / sizeof(relocations[0]); i++)
		if (relocations[i].machine == machine && relocations[i].type == type)
			return &relocations[i];
	return NULL;
}

bool elf_orc_register(uint16_t machine, unsigned int orc, uint64_t *dwarf)
{
	for (size_t i = 0; i < sizeof(orc_registers) / sizeof(orc_registers[0]); i++) {
		if (orc_registers[i].machine != machine || orc_registers[i].orc != orc)
			continue;
		*dwarf = orc_registers[i].dwarf;
		return true;
	}
	return false;
}
