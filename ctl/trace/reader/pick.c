// SPDX-License-Identifier: GPL-2.0-or-later
/* pick.c - single values of a record, by the names of their fields.  See pick.h. */
#include "ctl/trace/reader/pick.h"

#include <string.h>

#include "ctl/base/device/desc.h"

static struct picked read_text(const struct field *field, const uint8_t *at, size_t len)
{
	const size_t shown = field->most ? field->most : field->limit, most = shown && shown < len ? shown : len;

	return (struct picked){ .is_known = true, .text = (const char *)at, .length = strnlen((const char *)at, most) };
}

static struct picked read_number(const struct field *field, const uint8_t *at, size_t len)
{
	const unsigned int width = field->bytes && field->bytes < len ? field->bytes : len, unused = 64 - 8 * width;
	uint64_t value = 0;

	memcpy(&value, at, len);
	value <<= unused;
	value = field_layout(field).is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
	return (struct picked){ .is_known = true, .number = (int64_t)value };
}

static struct picked read_field(const struct field *field, const uint8_t *at, size_t len, uint32_t faults)
{
	if (field->fault_bit >= 0 && faults >> field->fault_bit & 1)
		return (struct picked){ 0 };
	if (field->kind == FIELD_STRING)
		return read_text(field, at, len);
	if (field->kind == FIELD_CONST)
		return (struct picked){ .is_known = true, .number = (int64_t)field->value };
	return len && len <= sizeof(uint64_t) && field_layout(field).form != FORM_OBJECT ? read_number(field, at, len) : (struct picked){ 0 };
}

void pick(const struct record *record, const char *const *names, size_t n, struct picked *out)
{
	const struct desc *desc = record->desc;
	size_t at = desc_mask(desc), len;
	uint32_t faults = 0;

	memset(out, 0, n * sizeof(*out));
	if (at > record->payload_len)
		return;
	memcpy(&faults, record->payload, at);
	for (size_t i = 0; i < desc->nr_fields; i++, at += len) {
		const struct field *field = &desc->fields[i];

		len = field_length(field, record->payload + at, record->payload_len - at);
		for (size_t k = 0; k < n && !field_is_hidden(field); k++)
			if (!out[k].is_known && !strcmp(names[k], field->name))
				out[k] = read_field(field, record->payload + at, len, faults);
	}
}
