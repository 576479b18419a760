// SPDX-License-Identifier: GPL-2.0-or-later
/* packet_io.c - packets in the files of a saved trace.  See packet_io.h. */
#include "ctl/trace/saved/packet_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/ring.h"
#include "ctl/base/memory.h"
#include "ctl/trace/saved/save_dir.h"

/* The fastest of zstd's usual levels: the recorder runs beside what it records. */
#define LEVEL		1

#define MOST_BYTES	(KT_SUBBUF_MAX + sizeof(struct kt_packet))

/* The skippable frame before the frame of a packet. */
struct packed_head {
	uint32_t magic;
	uint32_t length;	/* of the rest */
	uint32_t frame;		/* bytes of the next frame */
	uint32_t zero;
	struct kt_packet packet;
};

#define HEAD_LENGTH	(sizeof(struct packed_head) - offsetof(struct packed_head, frame))

_Static_assert(sizeof(struct packed_head) == 104, "the head of a compressed packet has no gap");

/* ------------------------------------------------------------------- writing */

struct packet_writer {
	bool compress;
	ZSTD_CCtx *zstd;	/* NULL: not compressed, or there was no memory for it */
	uint8_t *buf;		/* a head and a frame */
	size_t room;
};

struct packet_writer *packet_writer_create(bool compress)
{
	struct packet_writer *writer = mem_zalloc(1, sizeof(*writer));

	writer->compress = compress;
	writer->zstd = compress ? ZSTD_createCCtx() : NULL;
	if (writer->zstd) {
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
	}
	return writer;
}

void packet_writer_free(struct packet_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->zstd);
	free(writer->buf);
	free(writer);
}

static void make_room(struct packet_writer *writer, size_t bytes)
{
	const size_t room = sizeof(struct packed_head) + ZSTD_compressBound(bytes);

	if (room <= writer->room)
		return;
	writer->buf = mem_grow(writer->buf, room, 1);
	writer->room = room;
}

static bool write_packed(struct packet_writer *writer, int fd, const void *packet, size_t bytes, uint64_t *stored)
{
	struct packed_head head = { .magic = PACKED_MAGIC, .length = HEAD_LENGTH };
	size_t frame;

	make_room(writer, bytes);
	frame = writer->zstd ? ZSTD_compress2(writer->zstd, writer->buf + sizeof(head), writer->room - sizeof(head), packet,
					      bytes)
			     : 0;
	/* The room is sufficient: only memory can be missing. */
	if (!writer->zstd || ZSTD_isError(frame)) {
		errno = ENOMEM;
		return false;
	}
	head.frame = frame;
	memcpy(&head.packet, packet, sizeof(head.packet));
	memcpy(writer->buf, &head, sizeof(head));
	*stored += sizeof(head) + frame;
	return save_dir_write(fd, writer->buf, sizeof(head) + frame);
}

bool packet_write(struct packet_writer *writer, int fd, const void *packets, size_t bytes, size_t nr, uint64_t *stored)
{
	uint64_t sum = writer->compress ? 0 : nr * bytes;

	if (!writer->compress && !save_dir_write(fd, packets, sum))
		return false;
	for (size_t i = 0; writer->compress && i < nr; i++)
		if (!write_packed(writer, fd, (const uint8_t *)packets + i * bytes, bytes, &sum))
			return false;
	*stored += sum;
	return true;
}

/* ------------------------------------------------------------------- reading */

static bool read_at(int fd, uint64_t at, void *out, size_t len)
{
	return pread(fd, out, len, (off_t)at) == (ssize_t)len;
}

static bool packed_header(int fd, struct packet_extent *extent, struct kt_packet *out)
{
	struct packed_head head;

	if (!read_at(fd, extent->at, &head, sizeof(head)))
		return false;
	*out = head.packet;
	extent->stored = sizeof(head) + head.frame;
	if (head.magic != PACKED_MAGIC || head.length != HEAD_LENGTH || head.zero ||
	    head.frame > ZSTD_compressBound(MOST_BYTES))
		out->magic = 0;
	return true;
}

bool packet_header(int fd, bool compressed, struct packet_extent *extent, struct kt_packet *out)
{
	if (compressed)
		return packed_header(fd, extent, out);
	if (!read_at(fd, extent->at, out, sizeof(*out)))
		return false;
	extent->stored = out->packet_bits / 8;
	return true;
}

static bool read_packed(int fd, const struct packet_extent *extent, void *out, size_t bytes)
{
	AUTO_FREE uint8_t *stored = mem_zalloc(1, extent->stored);
	const struct packed_head *head = (const void *)stored;
	const size_t frame = extent->stored - sizeof(*head);

	/* The checksum of the frame is compared, too. */
	return read_at(fd, extent->at, stored, extent->stored) && head->frame == frame &&
	       ZSTD_decompress(out, bytes, stored + sizeof(*head), frame) == bytes &&
	       !memcmp(out, &head->packet, sizeof(head->packet));
}

bool packet_read(int fd, bool compressed, const struct packet_extent *extent, void *out, size_t bytes)
{
	return compressed ? read_packed(fd, extent, out, bytes) : read_at(fd, extent->at, out, bytes);
}
