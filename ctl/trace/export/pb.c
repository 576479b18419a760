// SPDX-License-Identifier: GPL-2.0-or-later
/* pb.c - write messages in the encoding of protocol buffers.  See pb.h. */
#include "ctl/trace/export/pb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/escape.h"
#include "ctl/base/memory.h"

/* How the value of a field is encoded. */
enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

#define MAX_VARINT	10	/* bytes of 64 bits, 7 in each byte */
#define FIRST_ROOM	256

void pb_free(struct pb *pb)
{
	free(pb->bytes);
	*pb = (struct pb){ 0 };
}

uint8_t *pb_room(struct pb *pb, size_t n)
{
	while (pb->room - pb->len < n) {
		pb->room = pb->room ? 2 * pb->room : FIRST_ROOM;
		pb->bytes = mem_grow(pb->bytes, pb->room, 1);
	}
	return pb->bytes + pb->len;
}

static size_t encode(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = value | 0x80;
	to[n++] = value;
	return n;
}

static void put_varint(struct pb *pb, uint64_t value)
{
	uint8_t *to = pb_room(pb, MAX_VARINT);

	pb->len += encode(to, value);
}

static void put_raw(struct pb *pb, const void *bytes, size_t len)
{
	uint8_t *to = pb_room(pb, len);

	if (len)
		memcpy(to, bytes, len);
	pb->len += len;
}

static void put_tag(struct pb *pb, uint32_t field, enum wire wire)
{
	put_varint(pb, (uint64_t)field << 3 | wire);
}

void pb_number(struct pb *pb, uint32_t field, uint64_t value)
{
	put_tag(pb, field, WIRE_VARINT);
	put_varint(pb, value);
}

void pb_bytes(struct pb *pb, uint32_t field, const void *bytes, size_t len)
{
	put_tag(pb, field, WIRE_BYTES);
	put_varint(pb, len);
	put_raw(pb, bytes, len);
}

static void put_escaped(struct pb *pb, uint8_t byte)
{
	char escaped[8];

	put_raw(pb, escaped, snprintf(escaped, sizeof(escaped), "\\x%02x", byte));
}

void pb_text(struct pb *pb, uint32_t field, const void *text, size_t len)
{
	const size_t at = pb_open(pb, field);
	const uint8_t *from = text;
	size_t good = 0, n;

	for (; good < len; good += n) {
		n = escape_utf8_length(from + good, len - good);
		if (n)
			continue;
		put_raw(pb, from, good);
		put_escaped(pb, from[good]);
		from += good + 1;
		len -= good + 1;
		good = 0;
	}
	put_raw(pb, from, len);
	pb_close(pb, at);
}

void pb_string(struct pb *pb, uint32_t field, const char *text)
{
	pb_text(pb, field, text, strlen(text));
}

/* ---------------------------------------------------------------------- messages */

/* The length stands before the message: keep one byte for it, which is enough for most. */
size_t pb_open(struct pb *pb, uint32_t field)
{
	put_tag(pb, field, WIRE_BYTES);
	pb_room(pb, 1);
	return ++pb->len;
}

void pb_close(struct pb *pb, size_t at)
{
	const size_t len = pb->len - at;
	uint8_t length[MAX_VARINT];
	const size_t n = encode(length, len);

	pb_room(pb, n - 1);
	if (n > 1)
		memmove(pb->bytes + at + n - 1, pb->bytes + at, len);
	memcpy(pb->bytes + at - 1, length, n);
	pb->len += n - 1;
}
