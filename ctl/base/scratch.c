// SPDX-License-Identifier: GPL-2.0-or-later
/* scratch.c - one stream for many short texts.  See scratch.h. */
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
	char *made;

	fflush(stream);
	made = mem_grow(NULL, length + 1, 1);
	memcpy(made, text, length);
	/* The buffer may have a longer text from before: what follows this text is not a 0. */
	made[length] = '\0';
	if (len)
		*len = length;
	return made;
}
