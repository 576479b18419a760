/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h - what ELF files have of their architecture's own: of each that is known, whichever this program runs on.
 *
 * Each has its rows in arch/<cpu>/elf.c; the linker puts them together, so that no list names the architectures.
 */
#ifndef KTRACE_ARCH_ELF_H
#define KTRACE_ARCH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes a relocation fills in; those of code are of no interest to debug information. */
struct elf_relocation {
	uint16_t type;
	uint8_t bytes;
	bool relative;
};

/* A register that ORC tables name so, and its number in DWARF. */
struct elf_orc {
	uint8_t orc;
	uint8_t dwarf;
};

struct elf_arch {
	uint16_t machine;		/* EM_* */
	const struct elf_relocation *relocations;
	size_t nr_relocations;
	const struct elf_orc *orc;	/* those that are kept */
	size_t nr_orc;
};

/* For arch/<cpu>/elf.c, with a const struct elf_arch. */
#define ELF_ARCH(arch) \
	static const struct elf_arch *const elf_arch_row __attribute__((used, section("elf_archs"))) = &(arch)

/* NULL: not one that debug information has. */
const struct elf_relocation *elf_relocation(uint16_t machine, uint32_t type);

/* The DWARF number of the register that a kernel's ORC tables name so; false for those that are none, or not kept. */
bool elf_orc_register(uint16_t machine, unsigned int orc, uint64_t *dwarf);

#endif
