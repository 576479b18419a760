// SPDX-License-Identifier: GPL-2.0-or-later
/* hash.c - see hash.h. */
#include "symbols/base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	for (const uint8_t *p = data; len--; p++)
		hash = (hash ^ *p) * 0x100000001b3ULL;
	return hash;
}

uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}
