/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pb.h - write messages in the encoding of protocol buffers into memory.
 *
 * The caller names fields by their numbers: there is no schema here.
 */
#ifndef KTRACE_PB_H
#define KTRACE_PB_H

#include <stddef.h>
#include <stdint.h>

/* What is written so far.  An empty one is { 0 }. */
struct pb {
	uint8_t *bytes;
	size_t len, room;
};

void pb_free(struct pb *pb);

/* Of the types uint32, uint64, bool and enum; and int32 and int64, converted to uint64_t with their sign. */
void pb_number(struct pb *pb, uint32_t field, uint64_t value);
void pb_bytes(struct pb *pb, uint32_t field, const void *bytes, size_t len);
/* Of the type string, which must be UTF-8: a byte that is not becomes \xNN. */
void pb_text(struct pb *pb, uint32_t field, const void *text, size_t len);
void pb_string(struct pb *pb, uint32_t field, const char *text);

/* Room for n more bytes that are already encoded; the caller writes them and adds n to len. */
uint8_t *pb_room(struct pb *pb, size_t n);

/* A message in the message: write its fields between these two.  Returns what pb_close() needs. */
size_t pb_open(struct pb *pb, uint32_t field);
void pb_close(struct pb *pb, size_t at);

#endif
