/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn_arch.h - the facts about an instruction set that the sweep needs; see ARCHITECTURE/insn.c. */
#ifndef SWEEP_INSN_ARCH_H
#define SWEEP_INSN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in bytes of the instruction at code, of which n bytes are readable; 0: no instruction. */
uint8_t insn_len(const uint8_t *code, size_t n, uint64_t addr);

/* Is it filler between functions, which is never executed? */
bool insn_is_filler(const uint8_t *code);

/* Code that the kernel itself patches in, and the lengths of such code (0 ends the list). */
extern const uint8_t insn_form_lens[];
bool insn_is_form(const uint8_t *code, uint8_t len);

/* The DWARF number of the stack pointer. */
extern const uint32_t insn_reg_sp;

#endif
