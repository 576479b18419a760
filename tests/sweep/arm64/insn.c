// SPDX-License-Identifier: GPL-2.0-or-later
/* insn.c - see insn_arch.h. */
#include "insn_arch.h"

#include <string.h>

static uint32_t word(const uint8_t *code)
{
	uint32_t w;

	memcpy(&w, code, sizeof(w));
	return w;
}

uint8_t insn_len(const uint8_t *code, size_t n, uint64_t addr)
{
	return n >= 4 && addr % 4 == 0 ? 4 : 0;
}

/* Filler between functions, other than nop. */
bool insn_is_filler(const uint8_t *code)
{
	return word(code) == 0;
}

const uint32_t insn_reg_sp = 31;
const uint8_t insn_form_lens[] = { 4, 0 };

/* Code of jump labels and ftrace: nop, b, bl. */
bool insn_is_form(const uint8_t *code, uint8_t len)
{
	return len == 4 && (word(code) == 0xd503201f || (word(code) & 0x7c000000) == 0x14000000);
}
