// SPDX-License-Identifier: GPL-2.0-or-later
/* descriptors.c - see descriptors.h. */
#include "ctl/trace/ctf/descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/trace/ctf/frame.h"

#define ALIGN	8

static size_t padding(size_t bytes)
{
	return -bytes % ALIGN;
}

/* ---------------------------------------------------------------- writing */

static void write_one(const struct trace_event *event, FILE *out)
{
	static const char zeros[ALIGN];
	const struct desc *desc = event->bare;
	const struct saved_descriptor head = {
		.part = event->part, .id = desc->id, .addr = desc->addr, .born = desc->born, .bytes = desc->blob_len,
	};

	fwrite(&head, sizeof(head), 1, out);
	fwrite(desc->blob, 1, desc->blob_len, out);
	fwrite(zeros, 1, padding(desc->blob_len), out);
}

static void write_plain(const struct trace_info *info, FILE *out)
{
	fwrite(DESCRIPTORS_MAGIC, 1, sizeof(DESCRIPTORS_MAGIC), out);
	for (size_t i = 0; i < info->nr_events; i++)
		write_one(&info->events[i], out);
}

/* A recording has hundreds of descriptors, and much in them is the same: where memory allows it, compress them. */
void descriptors_write(const struct trace_info *info, FILE *out)
{
	AUTO_FREE char *bytes = NULL;
	size_t len;
	FILE *memory = info->wide ? open_memstream(&bytes, &len) : NULL;

	if (memory)
		write_plain(info, memory);
	if (!memory || fclose(memory)) {
		write_plain(info, out);
		return;
	}
	frame_pack(&bytes, &len, FRAME_QUICK);
	fwrite(bytes, 1, len, out);
}

/* ---------------------------------------------------------------- reading */

/* Bytes of the descriptor at `bytes`, with what lies between it and the next; 0: it is malformed, or already there. */
static size_t parse_one(struct trace_info *info, const char *bytes, size_t len)
{
	struct saved_descriptor head;
	size_t all;

	if (len < sizeof(head))
		return 0;
	memcpy(&head, bytes, sizeof(head));
	all = sizeof(head) + head.bytes + padding(head.bytes);
	if (len < all || head.part >= info->parts || !head.id || head.id > KT_MAX_ID || trace_info_event(info, head.part, head.id))
		return 0;
	return trace_info_take(info, head.part, &(struct desc){
		.id = head.id, .addr = head.addr, .born = head.born, .blob = (void *)(bytes + sizeof(head)), .blob_len = head.bytes,
	}, NULL) ? all : 0;
}

const char *descriptors_parse(struct trace_info *info, const char *bytes, size_t len, size_t nr)
{
	size_t at = sizeof(DESCRIPTORS_MAGIC);

	if (len < at || memcmp(bytes, DESCRIPTORS_MAGIC, at))
		return "it has no descriptors, or they cannot be expanded";
	for (size_t i = 0; i < nr; i++) {
		const size_t one = parse_one(info, bytes + at, len - at);

		if (!one)
			return "a descriptor is malformed, or missing";
		at += one;
	}
	return NULL;
}
