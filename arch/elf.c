// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c - relocations and ORC registers.  See elf.h. */
#include "arch/elf.h"

/* From the linker: the first and the last row of ELF_ARCH(). */
extern const struct elf_arch *const __start_elf_archs[], *const __stop_elf_archs[];

static const struct elf_arch *arch_of(uint16_t machine)
{
	const struct elf_arch *const *arch;

	for (arch = __start_elf_archs; arch < __stop_elf_archs; arch++)
		if ((*arch)->machine == machine)
			return *arch;
	return NULL;
}

const char *elf_machine_name(uint16_t machine)
{
	const struct elf_arch *arch = arch_of(machine);

	return arch ? arch->name : "another machine";
}

const struct elf_relocation *elf_relocation(uint16_t machine, uint32_t type)
{
	const struct elf_arch *arch = arch_of(machine);

	for (size_t i = 0; arch && i < arch->nr_relocations; i++)
		if (arch->relocations[i].type == type)
			return &arch->relocations[i];
	return NULL;
}

const struct elf_slot *elf_slot(uint16_t machine, uint32_t type)
{
	const struct elf_arch *arch = arch_of(machine);

	for (size_t i = 0; arch && i < arch->nr_slots; i++)
		if (arch->slots[i].type == type)
			return &arch->slots[i];
	return NULL;
}

bool elf_orc_register(uint16_t machine, unsigned int orc, uint64_t *dwarf)
{
	const struct elf_arch *arch = arch_of(machine);

	for (size_t i = 0; arch && i < arch->nr_orc; i++) {
		if (arch->orc[i].orc != orc)
			continue;
		*dwarf = arch->orc[i].dwarf;
		return true;
	}
	return false;
}
