/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - read bytes that may be damaged, and write bytes to buffers that grow.  A cursor that would leave
 * its bytes becomes bad and then returns zeros.  Numbers without a fixed size are LEB128, as in DWARF.
 */
#ifndef KTRACE_BYTES_H
#define KTRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct cursor cursor_of(const void *data, size_t len)
{
	const uint8_t *at = data;

	return (struct cursor){ at, len ? at + len : at, false };
}

/* A cursor at an offset into len bytes. */
static inline struct cursor cursor_at(const uint8_t *data, size_t len, uint64_t offset)
{
	if (!data || offset > len)
		return (struct cursor){ NULL, NULL, true };
	return cursor_of(data + offset, len - offset);
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->bad ? 0 : c->end - c->at;
}

static inline const uint8_t *cursor_take(struct cursor *c, uint64_t len)
{
	const uint8_t *at = c->at;

	if (len > cursor_left(c)) {
		c->bad = true;
		return NULL;
	}
	c->at += len;
	return at;
}

static inline uint64_t cursor_uint(struct cursor *c, size_t bytes)
{
	const uint8_t *at = cursor_take(c, bytes);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, bytes);
	return v;
}

static inline int64_t cursor_sint(struct cursor *c, size_t bytes)
{
	unsigned int shift = 64 - 8 * bytes;

	return (int64_t)(cursor_uint(c, bytes) << shift) >> shift;
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	unsigned int shift = 0;
	uint64_t v = 0;

	for (;;) {
		const uint8_t *at = cursor_take(c, 1);

		if (!at)
			return 0;
		if (shift < 64)
			v |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
		if (!(*at & 0x80))
			return v;
	}
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	unsigned int shift = 0;
	uint64_t v = 0;

	for (;;) {
		const uint8_t *at = cursor_take(c, 1);

		if (!at)
			return 0;
		if (shift < 64)
			v |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
		if (*at & 0x80)
			continue;
		return shift < 64 && *at & 0x40 ? (int64_t)(v | -(1ULL << shift)) : (int64_t)v;
	}
}

/* A buffer that grows; without memory the process ends (see build.h). */
struct bytes {
	uint8_t *v;
	size_t n, room;
};

void bytes_put(struct bytes *b, const void *data, size_t len);
void bytes_uleb(struct bytes *b, uint64_t v);
void bytes_sleb(struct bytes *b, int64_t v);
void bytes_free(struct bytes *b);

/* Make room for one more element; the room doubles.  Without memory the process ends (see build.h). */
void *array_more(void *v, size_t n, size_t *room, size_t size);
void *must_alloc(size_t n, size_t size);
#define ARRAY_ADD(array, nr, room) ((array) = array_more(array, nr, &(room), sizeof(*(array))), &(array)[(nr)++])

#define EXIT_NO_MEMORY	77

#endif
