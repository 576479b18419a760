// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c - relocations and ORC registers of x86-64.  See arch/elf.h. */
#include "arch/elf.h"

#include <elf.h>

static const struct elf_relocation relocations[] = {
	{ R_X86_64_64, 8, false },
	{ R_X86_64_32, 4, false },
	{ R_X86_64_32S, 4, false },
	{ R_X86_64_PC32, 4, true },
	{ R_X86_64_PC64, 8, true },
};

static const struct elf_slot slots[] = {
	{ R_X86_64_IRELATIVE, false },
	{ R_X86_64_JUMP_SLOT, true },
	{ R_X86_64_GLOB_DAT, true },
	{ R_X86_64_64, true },
};

static const struct elf_orc orc[] = {
	{ 3, 6 },	/* rbp */
	{ 5, 7 },	/* rsp */
};

static const struct elf_arch elf_x86 = {
	.machine = EM_X86_64,
	.name = "x86-64",
	.relocations = relocations,
	.nr_relocations = sizeof(relocations) / sizeof(relocations[0]),
	.slots = slots,
	.nr_slots = sizeof(slots) / sizeof(slots[0]),
	.orc = orc,
	.nr_orc = sizeof(orc) / sizeof(orc[0]),
};
ELF_ARCH(elf_x86);
