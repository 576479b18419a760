/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_io.h - packets in the files of a saved trace: as the rings have them, or compressed.
 *
 * A compressed packet is two frames of zstd (RFC 8878):
 *
 *   skippable frame   4 bytes: PACKED_MAGIC; 4 bytes: 96, the length of what follows;
 *                     4 bytes: the length of the next frame; 4 bytes: 0; the 88 bytes of struct kt_packet
 *   zstd frame        the packet, header included, with its length and a checksum
 *
 * So a reader finds all packets without expanding them, and `zstd -dc FILE` prints the packets as they were.
 */
#ifndef KTRACE_PACKET_IO_H
#define KTRACE_PACKET_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ktrace_abi.h"

#define PACKED_MAGIC	0x184d2a5bU

/* ---------------------------------------------------------------- writing */

struct packet_writer;

/* compress: every packet; else they are written as they are.  Never NULL. */
struct packet_writer *packet_writer_create(bool compress);
void packet_writer_free(struct packet_writer *writer);	/* NULL is allowed */

/*
 * Write `nr` packets of `bytes` bytes each that lie behind each other.  *stored rises by the bytes written to the file.
 * False: errno is set, a part may be written, and *stored has not changed.
 */
bool packet_write(struct packet_writer *writer, int fd, const void *packets, size_t bytes, size_t nr, uint64_t *stored);

/* ---------------------------------------------------------------- reading */

/* A packet in a file.  Nothing of it is checked. */
struct packet_extent {
	uint64_t at;		/* where it begins */
	uint64_t stored;	/* bytes that it takes there */
};

/*
 * Read the header of the packet at extent->at, and set extent->stored.  False: the file ends before the end of the header.
 * Where no compressed packet begins, out->magic is 0.
 */
bool packet_header(int fd, bool compressed, struct packet_extent *extent, struct kt_packet *out);

/*
 * Read the whole packet into `out`, which has room for its `bytes` bytes.  False: the file is damaged, or has changed
 * since packet_header(); what is in `out` is then undefined.
 */
bool packet_read(int fd, bool compressed, const struct packet_extent *extent, void *out, size_t bytes);

#endif
