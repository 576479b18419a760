// SPDX-License-Identifier: GPL-2.0-or-later
/* frame.c - where the frame base of a function is, without debug information. */
#include "user.h"
#include "word.h"

/* add x29, sp, #n; mov x29, sp */
static bool makes_frame(uint32_t word)
{
	return (word & 0xffc003ff) == 0x910003fd;
}

/* ldp x29, x30, [sp], .. */
static bool leaves_frame(uint32_t word)
{
	return (word & 0xfe407fff) == 0xa8407bfd;
}

/* b, ret */
static bool leads_away(uint32_t word)
{
	return (word & 0xfc000000) == 0x14000000 || (word & 0xfffffc1f) == 0xd65f0000;
}

bool arch_user_frame_is_set(const uint8_t *code, size_t n)
{
	bool is_made = false, is_set = false;

	for (size_t at = 0; at + 4 <= n; at += 4) {
		const uint32_t word = word_at(code + at);

		is_made |= makes_frame(word);
		if (leaves_frame(word))
			is_set = false;
		else if (makes_frame(word) || leads_away(word))
			is_set = is_made;
	}
	return is_set;
}
