// SPDX-License-Identifier: GPL-2.0-or-later
/* spool.c - see spool.h. */
#include "ctl/records/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define BUFFER	(1 << 20)	/* our own writes are rare, they may be what is traced */

struct spool {
	FILE *file;
	char *buffer;
	uint8_t payload[KT_MAX_PAYLOAD + 8];
};

/* What goes in front of each payload. */
struct head {
	uint32_t which, cpu;
	uint64_t ticks, count, lost;
	uint16_t payload_len;
	uint8_t type, discarded;
};

static bool failed(struct error *err)
{
	return error_set(err, STATUS_FAILURE, "the records cannot be kept in a file in /tmp: %s: make room there",
			 strerror(errno));
}

struct spool *spool_create(struct error *err)
{
	struct spool *spool = mem_zalloc(1, sizeof(*spool));

	spool->file = tmpfile();
	if (!spool->file) {
		failed(err);
		free(spool);
		return NULL;
	}
	spool->buffer = mem_zalloc(BUFFER, 1);
	setvbuf(spool->file, spool->buffer, _IOFBF, BUFFER);
	return spool;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	fclose(spool->file);
	free(spool->buffer);
	free(spool);
}

bool spool_add(struct spool *spool, const struct record *record, uint32_t which, struct error *err)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.which = which;
	head.cpu = record->cpu;
	head.ticks = record->ticks;
	head.type = record->type;
	if (record->type == RECORD_HIT) {
		head.count = record->count;
		head.payload_len = record->payload_len;
	} else {
		head.lost = record->lost;
		head.discarded = record->discarded;
	}
	if (fwrite(&head, sizeof(head), 1, spool->file) == 1 &&
	    fwrite(record->payload, 1, head.payload_len, spool->file) == head.payload_len)
		return true;
	return failed(err);
}

bool spool_rewind(struct spool *spool, struct error *err)
{
	if (fflush(spool->file) || fseeko(spool->file, 0, SEEK_SET))
		return failed(err);
	return true;
}

bool spool_next(struct spool *spool, struct record *out, uint32_t *which)
{
	struct head head;

	if (fread(&head, sizeof(head), 1, spool->file) != 1 ||
	    fread(spool->payload, 1, head.payload_len, spool->file) != head.payload_len)
		return false;
	*which = head.which;
	*out = (struct record){
		.type = head.type, .cpu = head.cpu, .ticks = head.ticks, .payload = spool->payload,
		.payload_len = head.payload_len, .count = head.count, .lost = head.lost, .discarded = head.discarded,
	};
	return true;
}
