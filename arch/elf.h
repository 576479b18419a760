/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h - the architecture's part of ELF files, for every known architecture, not only for that of this program.
 *
 * arch/<cpu>/elf.c has the rows of each architecture.  The linker collects them, so that no list names the
 * architectures.
 */
#ifndef KTRACE_ARCH_ELF_H
#define KTRACE_ARCH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a relocation fills in.  Debug information has no relocations of code. */
struct elf_relocation {
	uint16_t type;
	uint8_t bytes;
	bool relative;
};

/* A relocation of a loaded file: a word of memory where the loader writes the address of a function. */
struct elf_slot {
	uint16_t type;
	bool is_of_symbol;	/* else its addend is an ifunc */
};

/* A register's number in ORC tables and in DWARF. */
struct elf_orc {
	uint8_t orc;
	uint8_t dwarf;
};

struct elf_arch {
	uint16_t machine;		/* EM_* */
	const char *name;
	const struct elf_relocation *relocations;
	size_t nr_relocations;
	const struct elf_slot *slots;
	size_t nr_slots;
	const struct elf_orc *orc;	/* the registers that are kept */
	size_t nr_orc;
};

/* Registers a const struct elf_arch of arch/<cpu>/elf.c. */
#define ELF_ARCH(arch) \
	static const struct elf_arch *const elf_arch_row __attribute__((used, section("elf_archs"))) = &(arch)

/* "another machine": no architecture of ktrace. */
const char *elf_machine_name(uint16_t machine);

/* NULL: debug information has no such relocation. */
const struct elf_relocation *elf_relocation(uint16_t machine, uint32_t type);

/* NULL: the loader writes something else there. */
const struct elf_slot *elf_slot(uint16_t machine, uint32_t type);

/* The DWARF number of a register in a kernel's ORC tables.  False: it is unknown, or not kept. */
bool elf_orc_register(uint16_t machine, unsigned int orc, uint64_t *dwarf);

#endif
