// SPDX-License-Identifier: GPL-2.0-or-later
/* prologue.c - the bytes before a function's first own instruction. */
#include <string.h>

#include "user.h"

struct bytes {
	uint8_t len;
	uint8_t code[5];
};

/* endbr64, and the nops that a kernel with IBT writes in its place if no code calls through a pointer. */
static const struct bytes endbrs[] = {
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ 4, { 0x66, 0x0f, 0x1f, 0x00 } },
	{ 4, { 0x0f, 0x1f, 0x40, 0xd6 } },
};

/* ftrace's place: nops of five bytes, or the first byte of an active call. */
static const struct bytes hooks[] = {
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ 5, { 0x66, 0x66, 0x66, 0x66, 0x90 } },
	{ 1, { 0xe8 } },
};

#define HOOK_LEN	5

static bool matches(const struct bytes *rows, size_t nr, const uint8_t *code, size_t n)
{
	for (size_t i = 0; i < nr; i++)
		if (n >= rows[i].len && !memcmp(code, rows[i].code, rows[i].len))
			return true;
	return false;
}

size_t arch_user_prologue(const uint8_t *code, size_t n, uint64_t addr)
{
	size_t len = 0;

	(void)addr;
	if (matches(endbrs, sizeof(endbrs) / sizeof(endbrs[0]), code, n))
		len = endbrs[0].len;
	if (n >= len + HOOK_LEN &&
	    matches(hooks, sizeof(hooks) / sizeof(hooks[0]), code + len, n - len))
		len += HOOK_LEN;
	return len;
}
