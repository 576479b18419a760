// SPDX-License-Identifier: GPL-2.0-or-later
/* layout.c - kinds of fields, and how many bytes they take in a record.  See desc.h. */
#include <string.h>

#include "arch/arch.h"
#include "ctl/base/device/desc_int.h"
#include "ctl/base/device/headers.h"

const struct kind_row field_kinds[NR_FIELD_KINDS] = {
	[FIELD_NUMBER]	  = { "number", FORM_DECIMAL, 4, false, 1 },
	[FIELD_REG]	  = { "reg", FORM_ADDRESS, 8, false, 1 },
	[FIELD_WORD]	  = { "word", FORM_ADDRESS, 8, false, 1 },
	[FIELD_PSR]	  = { "psr", FORM_HEX, 8, false, 1 },
	[FIELD_ALLREGS]	  = { "allregs", FORM_ADDRESS, 8, false, 1 },
	[FIELD_CONST]	  = { "const", FORM_DECIMAL, 0, true, 1 },
	[FIELD_INT]	  = { "int", FORM_DECIMAL, 8, false, 1 },
	[FIELD_POINTER]	  = { "pointer", FORM_ADDRESS, 8, false, 1 },
	[FIELD_STRING]	  = { "string", FORM_TEXT, 1, false, BY_LENGTH },
	[FIELD_BACKTRACE] = { "backtrace", FORM_ADDRESS, 8, false, BY_LENGTH },
	[FIELD_TEXT]	  = { "text", FORM_TEXT, 0, false, 1 },
	[FIELD_ELAPSED]	  = { "elapsed", FORM_DECIMAL, 8, false, 1 },
	[FIELD_FLOAT]	  = { "float", FORM_FLOAT, 8, true, 1 },
	[FIELD_PACKET]	  = { "packet", FORM_OBJECT, 1, false, BY_LENGTH },
	[FIELD_NUMBERS]	  = { "numbers", FORM_OBJECT, 1, false, BY_LENGTH },
	[FIELD_RAW]	  = { NULL, FORM_HEX, 4, false, 1 },
};

struct field_layout field_layout(const struct field *field)
{
	const struct kind_row *kind = &field_kinds[field->kind];
	struct field_layout layout = {
		.form = kind->form, .bytes = kind->bytes, .is_signed = kind->is_signed,
		.count = kind->count == BY_LENGTH ? field->length : kind->count,
	};

	if (field->kind == FIELD_ALLREGS)
		layout.count = arch_native.nr_all_regs;
	if (field->kind == FIELD_INT)
		layout.bytes = field->bytes == 8 ? 8 : field->is_half ? 2 : 4;
	if (field->kind == FIELD_FLOAT)
		layout.bytes = field->bytes;
	if (has_sign(field->kind))
		layout.is_signed = field->is_signed;
	return layout;
}

size_t field_payload(const struct field *field)
{
	struct field_layout layout = field_layout(field);

	return (size_t)layout.bytes * layout.count;
}

size_t desc_mask(const struct desc *desc)
{
	return desc->has_faults ? desc->is_packed ? 2 : 4 : 0;
}

/* A text that varies, with its 0. */
static size_t text_length(const struct field *field, const uint8_t *at, size_t room)
{
	const uint8_t *end = memchr(at, 0, room < field->length ? room : field->length);

	return end ? end - at + 1 : 0;
}

static size_t packet_length(const struct field *field, const uint8_t *at, size_t room)
{
	struct packet_headers packet;

	return headers_read(at, room, &packet) && packet.bytes <= field->length ? packet.bytes : 0;
}

static size_t numbers_length(const struct field *field, const uint8_t *at, size_t room)
{
	const size_t len = room ? 1 + *at * sizeof(uint32_t) : 0;

	return len <= field->length ? len : 0;
}

static size_t varying_length(const struct field *field, const uint8_t *at, size_t room)
{
	return field->kind == FIELD_PACKET  ? packet_length(field, at, room) :
	       field->kind == FIELD_NUMBERS ? numbers_length(field, at, room) : text_length(field, at, room);
}

size_t field_length(const struct field *field, const uint8_t *at, size_t room)
{
	const size_t len = field->varies ? varying_length(field, at, room) : field_payload(field);

	return len <= room ? len : 0;
}

void desc_find_fixed(struct desc *desc)
{
	desc->nr_fixed = desc->fixed_bytes = 0;
	while (desc->nr_fixed < desc->nr_fields && !desc->fields[desc->nr_fixed].varies)
		desc->fixed_bytes += field_payload(&desc->fields[desc->nr_fixed++]);
}

bool desc_length(const struct desc *desc, const uint8_t *payload, size_t room, size_t *len)
{
	size_t one;

	*len = desc_mask(desc) + desc->fixed_bytes;
	for (size_t i = desc->nr_fixed; i < desc->nr_fields && *len <= room; i++) {
		one = field_length(&desc->fields[i], payload + *len, room - *len);
		if (!one && field_payload(&desc->fields[i]))
			return false;
		*len += one;
	}
	/* A record that varies ends with one more 0 if it has an odd number of bytes. */
	*len += *len % 2;
	return *len <= room;
}

size_t desc_payload(const struct desc *desc)
{
	size_t sum = desc_mask(desc);

	for (size_t i = 0; i < desc->nr_fields; i++)
		sum += field_payload(&desc->fields[i]);
	return sum;
}
