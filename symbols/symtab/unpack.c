// SPDX-License-Identifier: GPL-2.0-or-later
/* unpack.c - symbols compressed by zstd (RFC 8878).  See symtab.h. */
#include <stdlib.h>
#include <zstd.h>

#include "symbols/symtab/symtab.h"

#define MOST_BYTES	(256U << 20)

/* The frame is complete in memory, and says how long its content is. */
static enum symtab_status expand(const char *packed, size_t len, char **out, size_t *out_len)
{
	const unsigned long long bytes = ZSTD_getFrameContentSize(packed, len);
	char *text;

	/* The value for an unknown length is larger. */
	if (bytes > MOST_BYTES)
		return SYMTAB_MALFORMED;
	text = malloc(bytes + 1);
	if (!text)
		return SYMTAB_NOMEM;
	if (ZSTD_decompress(text, bytes, packed, len) != bytes) {
		free(text);
		return SYMTAB_MALFORMED;
	}
	text[bytes] = '\0';
	*out = text;
	*out_len = bytes;
	return SYMTAB_OK;
}

enum symtab_status symtab_unpack(char **text, size_t *len)
{
	char *packed = *text;
	enum symtab_status status;

	if (ZSTD_getFrameContentSize(packed, *len) == ZSTD_CONTENTSIZE_ERROR)
		return SYMTAB_OK;
	status = expand(packed, *len, text, len);
	if (status == SYMTAB_OK)
		free(packed);
	return status;
}
