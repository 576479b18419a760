/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word.h - an instruction as a number. */
#ifndef KTRACE_ARM64_WORD_H
#define KTRACE_ARM64_WORD_H

#include <stdint.h>

#define INSN_BYTES	4

static inline uint32_t word_at(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

#endif
