/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn_arch.h - what the sweep must know of an instruction set: ARCHITECTURE/insn.c. */
#ifndef SWEEP_INSN_ARCH_H
#define SWEEP_INSN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at code, of which there are n; 0 where there is none. */
uint8_t insn_len(const uint8_t *code, size_t n, uint64_t addr);

/* Is it what fills the room between functions, and never executed? */
bool insn_is_filler(const uint8_t *code);

/* What the kernel itself puts where it patches, and how many bytes such things have (0 behind the last). */
extern const uint8_t insn_form_lens[];
bool insn_is_form(const uint8_t *code, uint8_t len);

/* The stack pointer's number in DWARF. */
extern const uint32_t insn_reg_sp;

#endif
