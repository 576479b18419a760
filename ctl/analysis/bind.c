// SPDX-License-Identifier: GPL-2.0-or-later
/* bind.c - see bind.h. */
#include "ctl/analysis/bind.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/base/memory.h"
#include "ctl/device/desc.h"

/* Where the value of a slot is in the payload. */
struct location {
	uint8_t slot;
	bool is_text, is_const, is_signed;
	uint8_t bytes;		/* of a number in the payload */
	uint8_t width;		/* of its value */
	uint16_t count, most;	/* of a text: see struct field */
	int8_t fault_bit;
	size_t offset;
	int64_t constant;
};

struct binding {
	const struct desc *desc;
	struct event_type type;
	size_t payload;		/* bytes of a record */
	unsigned int nr;
	struct location locations[EVENT_SLOTS];
};

struct binder {
	struct analysis *a;
	struct binding *bindings;
	size_t nr;
	struct keymap by_id;
};

struct binder *binder_create(struct analysis *a)
{
	struct binder *binder = mem_zalloc(1, sizeof(*binder));

	binder->a = a;
	return binder;
}

void binder_reset(struct binder *binder)
{
	free(binder->bindings);
	binder->bindings = NULL;
	binder->nr = 0;
	keymap_free(&binder->by_id);
}

void binder_free(struct binder *binder)
{
	if (!binder)
		return;
	binder_reset(binder);
	free(binder);
}

/* ------------------------------------------------------------------ descriptors */

/* Can the analysis use a field of this kind?  FIELD_TEXT says why there is no value. */
static bool is_usable(const struct field *field)
{
	static const bool usable[NR_FIELD_KINDS] = {
		[FIELD_NUMBER] = true, [FIELD_REG] = true, [FIELD_WORD] = true, [FIELD_CONST] = true,
		[FIELD_INT] = true, [FIELD_POINTER] = true, [FIELD_STRING] = true,
	};

	return usable[field->kind] && !field->is_address;
}

static bool is_taken(const struct binding *binding, int slot)
{
	for (unsigned int i = 0; i < binding->nr; i++)
		if (binding->locations[i].slot == slot)
			return true;
	return false;
}

static void add_location(struct binding *binding, const struct field *field, int slot, size_t offset)
{
	const struct field_layout layout = field_layout(field);

	binding->locations[binding->nr++] = (struct location){
		.slot = slot, .is_text = field->kind == FIELD_STRING, .is_const = field->kind == FIELD_CONST,
		.is_signed = layout.is_signed, .bytes = layout.bytes,
		.width = field->bytes && field->bytes < layout.bytes ? field->bytes : layout.bytes,
		.count = layout.count, .most = field->most, .fault_bit = field->fault_bit, .offset = offset,
		.constant = field->value,
	};
}

static void bind(struct binder *binder, struct binding *binding, const struct desc *desc)
{
	size_t offset = desc->has_faults ? 4 : 0;
	int slot;

	*binding = (struct binding){
		.desc = desc, .type = analysis_type(binder->a, desc->name), .payload = desc_payload(desc),
	};
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		slot = is_usable(field) ? event_slot(binding->type.id, field->name) : -1;
		if (slot >= 0 && !is_taken(binding, slot))
			add_location(binding, field, slot, offset);
		offset += field_payload(field);
	}
}

static const struct binding *binding_of(struct binder *binder, const struct desc *desc)
{
	uint32_t at = keymap_find(&binder->by_id, desc->id);

	if (at && binder->bindings[at - 1].desc == desc)
		return &binder->bindings[at - 1];
	binder->bindings = MEM_MORE(binder->bindings, binder->nr);
	bind(binder, &binder->bindings[binder->nr++], desc);
	keymap_set(&binder->by_id, desc->id, binder->nr);
	return &binder->bindings[binder->nr - 1];
}

/* -------------------------------------------------------------------- values */

static void read_text(const struct location *location, const uint8_t *at, struct event_value *out)
{
	const size_t most = location->most && location->most < location->count ? location->most : location->count;

	*out = (struct event_value){ .text = at, .length = strnlen((const char *)at, most) };
	out->is_cut = out->length == location->count && !location->most;
}

static void read_number(const struct location *location, const uint8_t *at, struct event_value *out)
{
	const unsigned int unused = 64 - 8 * location->width;
	uint64_t value = 0;

	memcpy(&value, at, location->bytes);
	value <<= unused;
	value = location->is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
	*out = (struct event_value){ .number = (int64_t)value };
}

static void read_location(const struct location *location, const uint8_t *payload, struct event_value *out)
{
	if (location->is_const)
		*out = (struct event_value){ .number = location->constant };
	else if (location->is_text)
		read_text(location, payload + location->offset, out);
	else
		read_number(location, payload + location->offset, out);
}

bool binder_event(struct binder *binder, const struct record *record, struct analysis_event *out)
{
	const struct binding *binding;
	uint32_t faults = 0;

	if (record->desc->is_hidden)
		return false;
	binding = binding_of(binder, record->desc);
	out->type = binding->type;
	out->cpu = record->cpu;
	out->ticks = record->ticks;
	out->known = 0;
	if (record->payload_len < binding->payload)
		return true;
	if (record->desc->has_faults)
		memcpy(&faults, record->payload, sizeof(faults));
	for (unsigned int i = 0; i < binding->nr; i++) {
		const struct location *location = &binding->locations[i];

		if (location->fault_bit >= 0 && faults >> location->fault_bit & 1)
			continue;
		out->known |= 1U << location->slot;
		read_location(location, record->payload, &out->value[location->slot]);
	}
	return true;
}
