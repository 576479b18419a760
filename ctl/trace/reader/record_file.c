// SPDX-License-Identifier: GPL-2.0-or-later
/* record_file.c - see record_file.h. */
#include "ctl/trace/reader/record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"

#define BUFFER	(1 << 20)	/* few writes of our own, because they may be what is traced */

struct record_file {
	FILE *file;
	char *buffer;
	uint8_t payload[KT_MAX_PAYLOAD + 8];
};

/* The header of each payload. */
struct head {
	uint32_t which, cpu;
	uint64_t ticks, count, lost;
	uint16_t payload_len;
	uint8_t type, discarded;
};

static bool failed(struct error *err)
{
	return error_set(err, STATUS_FAILURE, "the records cannot be stored in /tmp: %s: make room there",
			 strerror(errno));
}

struct record_file *record_file_create(struct error *err)
{
	struct record_file *kept = mem_zalloc(1, sizeof(*kept));

	kept->file = tmpfile();
	if (!kept->file) {
		failed(err);
		free(kept);
		return NULL;
	}
	kept->buffer = mem_zalloc(BUFFER, 1);
	setvbuf(kept->file, kept->buffer, _IOFBF, BUFFER);
	return kept;
}

void record_file_free(struct record_file *kept)
{
	if (!kept)
		return;
	fclose(kept->file);
	free(kept->buffer);
	free(kept);
}

bool record_file_add(struct record_file *kept, const struct record *record, uint32_t which, struct error *err)
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
	if (fwrite(&head, sizeof(head), 1, kept->file) == 1 &&
	    fwrite(record->payload, 1, head.payload_len, kept->file) == head.payload_len)
		return true;
	return failed(err);
}

bool record_file_rewind(struct record_file *kept, struct error *err)
{
	if (fflush(kept->file) || fseeko(kept->file, 0, SEEK_SET))
		return failed(err);
	return true;
}

bool record_file_next(struct record_file *kept, struct record *out, uint32_t *which)
{
	struct head head;

	if (fread(&head, sizeof(head), 1, kept->file) != 1 ||
	    fread(kept->payload, 1, head.payload_len, kept->file) != head.payload_len)
		return false;
	*which = head.which;
	*out = (struct record){
		.type = head.type, .cpu = head.cpu, .ticks = head.ticks, .payload = kept->payload,
		.payload_len = head.payload_len, .count = head.count, .lost = head.lost, .discarded = head.discarded,
	};
	return true;
}
