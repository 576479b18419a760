// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c - see scratch.h. */
#include "ctl/base/scratch.h"

#include <string.h>

#include "ctl/base/memory.h"

static FILE *stream;
static char *text;
static size_t length;

FILE *scratch_open(void)
{
	if (!stream)
		stream = mem_stream(&text, &length);
	rewind(stream);
	return stream;
}

char *scratch_close(size_t *len)
{
	char *copy;

	fflush(stream);
	copy = mem_grow(NULL, length + 1, 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (len)
		*len = length;
	return copy;
}
