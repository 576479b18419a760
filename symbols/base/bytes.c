// SPDX-License-Identifier: GPL-2.0-or-later
/* bytes.c - bytes and arrays that grow.  See bytes.h. */
#include "symbols/base/bytes.h"

#include <stdlib.h>
#include <unistd.h>

/* An index is built by a process of its own, which may end here. */
static void *must(void *p)
{
	if (!p)
		_exit(EXIT_NO_MEMORY);
	return p;
}

void *must_alloc(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size));
}

void *array_more(void *v, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return v;
	*room = *room ? *room * 2 : 16;
	return must(reallocarray(v, *room, size));
}

void bytes_put(struct bytes *b, const void *data, size_t len)
{
	if (b->room - b->n < len) {
		b->room = 2 * b->room + len + 64;
		b->v = must(realloc(b->v, b->room));
	}
	if (len)
		memcpy(b->v + b->n, data, len);
	b->n += len;
}

void bytes_uleb(struct bytes *b, uint64_t v)
{
	uint8_t out[10];
	size_t n = 0;

	do {
		out[n] = v & 0x7f;
		v >>= 7;
		out[n++] |= v ? 0x80 : 0;
	} while (v);
	bytes_put(b, out, n);
}

void bytes_sleb(struct bytes *b, int64_t v)
{
	uint8_t out[10];
	bool more;
	size_t n = 0;

	do {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && byte & 0x40));
		out[n++] = byte | (more ? 0x80 : 0);
	} while (more);
	bytes_put(b, out, n);
}

void bytes_free(struct bytes *b)
{
	free(b->v);
	*b = (struct bytes){ 0 };
}
