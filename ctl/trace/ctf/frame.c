// SPDX-License-Identifier: GPL-2.0-or-later
/* frame.c - see frame.h. */
#include "ctl/trace/ctf/frame.h"

#include <stdlib.h>
#include <zstd.h>

#include "ctl/base/memory.h"

bool frame_pack(char **bytes, size_t *len, enum frame_level level)
{
	const size_t room = ZSTD_compressBound(*len);
	char *packed = mem_grow(NULL, 1, room);
	const size_t n = ZSTD_compress(packed, room, *bytes, *len, level);

	if (ZSTD_isError(n)) {
		free(packed);
		return false;
	}
	free(*bytes);
	*bytes = packed;
	*len = n;
	return true;
}

bool frame_is(const char *bytes, size_t len)
{
	return ZSTD_getFrameContentSize(bytes, len) != ZSTD_CONTENTSIZE_ERROR;
}
