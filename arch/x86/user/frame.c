// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame.c - where the frame base of a function is, without debug information.
 *
 * An entry of the kernel's ORC tables has six bytes (asm/orc_types.h): two offsets; the numbers of two registers; the type, whose
 * numbers and width changed about Linux 6.3.  Its low two bits tell ordinary code from all else in both forms.
 */
#include <string.h>

#include "user.h"

#define PUSH_RBP	0x55
#define POP_RBP		0x5d
#define LEAVE		0xc9

/* mov %rsp, %rbp */
static bool makes_frame(const uint8_t *code, size_t n)
{
	return n >= 3 && (!memcmp(code, "\x48\x89\xe5", 3) || !memcmp(code, "\x48\x8b\xec", 3));
}

bool arch_user_frame_is_set(const uint8_t *code, size_t n)
{
	bool is_pushed = false, is_made = false, is_set = false;
	struct arch_insn insn;

	for (size_t at = 0; at < n; at += insn.len) {
		if (!arch_native.decode(code + at, n - at, at, &insn) || !insn.len || insn.len > n - at)
			return false;
		is_pushed |= code[at] == PUSH_RBP;
		is_made |= is_pushed && makes_frame(code + at, n - at);
		if (code[at] == POP_RBP || code[at] == LEAVE)
			is_set = false;
		else if (makes_frame(code + at, n - at) || insn.is_return || insn.is_jump)
			is_set = is_made;
	}
	return is_set;
}

uint8_t arch_user_orc_type(const uint8_t entry[ARCH_ORC_BYTES])
{
	return entry[5] & 3;
}

bool arch_user_orc_base(const uint8_t entry[ARCH_ORC_BYTES], uint16_t *reg, int32_t *offset)
{
	/* ORC's numbers of the registers, and those of DWARF; the others are memory, or no register. */
	static const int8_t regs[16] = {
		[0] = -1, [1] = -1, [2] = 1, [3] = 5, [4] = 6, [5] = 7, [6] = 10, [7] = 13, [8] = -1, [9] = -1, [10] = -1, [11] = -1,
		[12] = -1, [13] = -1, [14] = -1, [15] = -1,
	};
	int16_t word;

	memcpy(&word, entry, sizeof(word));
	if (regs[entry[4] & 15] < 0)
		return false;
	*reg = regs[entry[4] & 15];
	*offset = word;
	return true;
}
