/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf.h - shared by the fuzz targets of the readers of debug information. */
#ifndef FUZZ_ELF_H
#define FUZZ_ELF_H

#include "fuzz.h"
#include "symbols/index/dbindex.h"
#include "symbols/symtab/symbols.h"

/* Make a file in memory with this content. */
int elf_file(const uint8_t *data, size_t size);
/* A path to open the file; valid until the next call. */
const char *elf_path(int fd);

/* Ask an index everything. */
void elf_ask(const struct dbindex *ix);
/* The symbols that BTF needs to find its functions. */
const struct symtab *elf_symbols(void);
const char *elf_reg(uint16_t reg);

/* Give an input, without its first byte, to one reader. */
void elf_image(const uint8_t *data, size_t size);
void elf_index(const uint8_t *data, size_t size);
void elf_btf(const uint8_t *data, size_t size);
void elf_expression(const uint8_t *data, size_t size);
void elf_kallsyms(const uint8_t *data, size_t size);
void elf_program(const uint8_t *data, size_t size);

#endif
