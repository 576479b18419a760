// SPDX-License-Identifier: GPL-2.0-or-later
/* prologue.c - the bytes before a function's first own instruction. */
#include "user.h"
#include "word.h"

#define NOP		0xd503201fU
#define SAVE_RETURN	0xaa1e03e9U	/* mov x9, x30 */

/* Indirect branch targets: bti c, bti jc, or an instruction that signs the return address. */
static bool is_bti(uint32_t word)
{
	return word == 0xd503245f || word == 0xd50324df || word == 0xd503233f || word == 0xd503237f;
}

static bool is_breakpoint(uint32_t word)
{
	return (word & 0xffe0001f) == 0xd4200000;
}

/*
 * ftrace's place: two nops.  The first becomes the save of the return address when the second is, or has been,
 * a call.  The first may have a kprobe.
 */
static bool is_hook(uint32_t first, uint32_t second)
{
	if (first == SAVE_RETURN || is_breakpoint(first))
		return second == NOP || (second & 0xfc000000) == 0x94000000;
	return first == NOP && second == NOP;
}

size_t arch_user_prologue(const uint8_t *code, size_t n, uint64_t addr)
{
	size_t len = 0;

	(void)addr;
	if (n >= INSN_BYTES && is_bti(word_at(code)))
		len += INSN_BYTES;
	if (n >= len + 2 * INSN_BYTES && is_hook(word_at(code + len), word_at(code + len + INSN_BYTES)))
		len += 2 * INSN_BYTES;
	return len;
}
