// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.c - see memory.h. */
#include "ctl/base/memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/error.h"

static void *have(void *p)
{
	if (p)
		return p;
	fputs("ktrace: out of memory: set fewer tracepoints at once\n", stderr);
	_Exit(STATUS_FAILURE);
}

void *mem_zalloc(size_t n, size_t size)
{
	return have(calloc(n ? n : 1, size));
}

void *mem_grow(void *p, size_t n, size_t size)
{
	return have(reallocarray(p, n ? n : 1, size));
}

#define LARGE_BLOCK	(32 << 20)	/* the most that the C library allows */

void mem_keep_freed(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

void *mem_reach(void *p, size_t *nr, size_t i, size_t size)
{
	char *grown = mem_grow(p, i + 1, size);

	memset(grown + *nr * size, 0, (i + 1 - *nr) * size);
	*nr = i + 1;
	return grown;
}

void *mem_copy(const void *bytes, size_t n)
{
	void *copy = mem_grow(NULL, n, 1);

	return n ? memcpy(copy, bytes, n) : copy;
}

FILE *mem_stream(char **text, size_t *len)
{
	return have(open_memstream(text, len));
}

char *mem_strdup(const char *s)
{
	return have(strdup(s));
}

char *mem_strndup(const char *s, size_t n)
{
	return have(strndup(s, n));
}

char *mem_vprintf(const char *fmt, va_list args)
{
	char *s;

	return have(vasprintf(&s, fmt, args) < 0 ? NULL : s);
}

char *mem_printf(const char *fmt, ...)
{
	va_list args;
	char *s;

	va_start(args, fmt);
	s = mem_vprintf(fmt, args);
	va_end(args);
	return s;
}

char *mem_join(const char *first, ...)
{
	size_t len = 0, at = 0, n;
	va_list args;
	char *s;

	va_start(args, first);
	for (const char *text = first; text; text = va_arg(args, const char *))
		len += strlen(text);
	va_end(args);
	s = mem_grow(NULL, len + 1, 1);
	va_start(args, first);
	for (const char *text = first; text; text = va_arg(args, const char *), at += n) {
		n = strlen(text);
		memcpy(s + at, text, n);
	}
	va_end(args);
	s[len] = '\0';
	return s;
}

void mem_cleanup_free(void *p)
{
	free(*(void **)p);
}

void mem_cleanup_file(FILE **p)
{
	if (*p)
		fclose(*p);
}
