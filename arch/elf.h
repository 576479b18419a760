/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf.h - what ELF files have of their architecture's own: of each that is known, whichever this program runs on. */
#ifndef KTRACE_ARCH_ELF_H
#define KTRACE_ARCH_ELF_H

#include <stdbool.h>
#include <stdint.h>

/* How many bytes a relocation fills in; those of code are of no interest to debug information. */
struct elf_relocation {
	uint16_t machine;
	uint16_t type;
	uint8_t bytes;
	bool relative;
};

/* NULL: not one that debug information has. */
const struct elf_relocation *elf_relocation(uint16_t machine, uint32_t type);

/* The DWARF number of the register that a kernel's ORC tables name so; false for those that are none, or not kept. */
bool elf_orc_register(uint16_t machine, unsigned int orc, uint64_t *dwarf);

#endif
