/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf.h - what the fuzz targets of the readers of debug information share. */
#ifndef FUZZ_ELF_H
#define FUZZ_ELF_H

#include "fuzz.h"
#include "symbols/index/dbindex.h"
#include "symbols/symtab/symbols.h"

/* A file in memory with that in it. */
int elf_file(const uint8_t *data, size_t size);
/* How it can be opened; of the last one that was asked for. */
const char *elf_path(int fd);

/* All that can be asked of an index. */
void elf_ask(const struct dbindex *ix);
/* The symbols that BTF finds its functions with. */
const struct symtab *elf_symbols(void);
const char *elf_reg(uint16_t reg);

/* One input for each reader, without the byte that chose it. */
void elf_image(const uint8_t *data, size_t size);
void elf_index(const uint8_t *data, size_t size);
void elf_btf(const uint8_t *data, size_t size);
void elf_expression(const uint8_t *data, size_t size);
void elf_kallsyms(const uint8_t *data, size_t size);

#endif
