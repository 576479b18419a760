// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c - relocations of arm64, whose kernels have no ORC tables.  See arch/elf.h. */
#include "arch/elf.h"

#include <elf.h>

static const struct elf_relocation relocations[] = {
	{ R_AARCH64_ABS64, 8, false },
	{ R_AARCH64_ABS32, 4, false },
	{ R_AARCH64_PREL32, 4, true },
	{ R_AARCH64_PREL64, 8, true },
};

static const struct elf_slot slots[] = {
	{ R_AARCH64_IRELATIVE, false },
	{ R_AARCH64_JUMP_SLOT, true },
	{ R_AARCH64_GLOB_DAT, true },
	{ R_AARCH64_ABS64, true },
};

static const struct elf_arch elf_arm64 = {
	.machine = EM_AARCH64,
	.name = "arm64",
	.relocations = relocations,
	.nr_relocations = sizeof(relocations) / sizeof(relocations[0]),
	.slots = slots,
	.nr_slots = sizeof(slots) / sizeof(slots[0]),
};
ELF_ARCH(elf_arm64);
