// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader_late.c - records of texts that a hit in a system call could not read, and the module read when the call returned
 * (kmod/hit/late.h).  See reader_int.h.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/base/device/desc.h"
#include "ctl/base/memory.h"
#include "ctl/trace/reader/reader_int.h"

/* The payload, as kmod/records/own_desc.h has it; the rest is the text. */
struct head {
	uint32_t desc, item, time[2];
	int32_t tid;
};

static bool take_head(const struct record *record, struct head *out)
{
	if (record->payload_len <= sizeof(*out))
		return false;
	memcpy(out, record->payload, sizeof(*out));
	return true;
}

bool late_target(const struct record *record, uint32_t *id, u64 *ticks)
{
	struct head head;

	if (strcmp(record->desc->name, LATE_NAME) || !take_head(record, &head))
		return false;
	*id = head.desc;
	*ticks = head.time[0] | (u64)head.time[1] << 32;
	return true;
}

/* The text with this bit in the mask of what could not be read; NULL: there is none. */
static const struct field *field_of(const struct desc *target, uint32_t item)
{
	for (size_t i = 0; i < target->nr_fields; i++)
		if (target->fields[i].kind == FIELD_STRING && target->fields[i].fault_bit == (int64_t)item)
			return &target->fields[i];
	return NULL;
}

static struct desc *make_desc(const struct desc *own, const struct desc *target, const struct field *field)
{
	struct desc *desc = mem_zalloc(1, sizeof(*desc));

	desc->id = own->id;
	desc->addr = target->addr;
	desc->born = own->born;
	desc->name = mem_strdup(target->name);
	desc->typed = mem_strdup(target->typed);
	desc->options = mem_strdup("");
	desc->is_hidden = target->is_hidden;
	desc->late_of = target;
	desc->nr_fields = 2;
	desc->fields = mem_zalloc(2, sizeof(*desc->fields));
	desc->fields[0] = (struct field){ .kind = FIELD_NUMBER, .name = "tid", .bytes = 4, .is_signed = true, .fault_bit = -1 };
	desc->fields[1] = *field;
	desc->fields[1].names = NULL;
	desc->fields[1].nr_names = 0;
	desc->fields[1].fault_bit = -1;
	desc->fields[1].group = 0;
	desc->fields[1].depends = 0;
	return desc;
}

static const struct desc *desc_of(struct snapshot *snap, const struct desc *own, const struct desc *target, const struct field *field)
{
	for (size_t i = 0; i < snap->nr_late; i++)
		if (snap->late_descs[i]->late_of == target && !strcmp(snap->late_descs[i]->fields[1].name, field->name))
			return snap->late_descs[i];
	snap->late_descs = MEM_MORE(snap->late_descs, snap->nr_late);
	snap->late_descs[snap->nr_late] = make_desc(own, target, field);
	return snap->late_descs[snap->nr_late++];
}

void late_record(struct snapshot *snap, struct record *record, const struct desc *target)
{
	const size_t before = offsetof(struct head, tid);
	const struct field *field;
	struct head head;

	if (!take_head(record, &head) || !(field = field_of(target, head.item)))
		return;
	record->desc = desc_of(snap, record->desc, target, field);
	record->payload += before;
	record->payload_len -= before;
}
