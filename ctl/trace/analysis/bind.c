// SPDX-License-Identifier: GPL-2.0-or-later
/* bind.c - see bind.h. */
#include "ctl/trace/analysis/bind.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/ask/events/calls.h"
#include "ctl/base/device/desc.h"
#include "ctl/base/load.h"
#include "ctl/base/memory.h"

/* Where the value of a slot is in the payload. */
struct location {
	uint8_t slot;
	bool is_text, is_const, is_signed;
	bool is_fixed;		/* it has the same offset in each record */
	uint8_t bytes;		/* of a number in the payload */
	uint8_t width;		/* of its value */
	uint16_t count, most, limit;	/* of a text: see struct field */
	int8_t fault_bit;
	size_t field;		/* its number in the descriptor */
	size_t offset;		/* if is_fixed */
	int64_t constant;
};

struct binding {
	const struct desc *desc;
	struct event_type type;
	size_t payload;		/* bytes of a record, at least */
	bool varies;		/* the offsets are different in each record */
	int all_calls;		/* it is for all system calls: 0: their entry, 1: their exit; -1: it is not */
	unsigned int nr;
	struct location locations[EVENT_SLOTS];
};

struct binder {
	struct analysis *a;
	/* Kinds of the system calls that came with their number, one more than the index; entries first, then exits. */
	struct event_type *calls;
	size_t nr_calls;
	struct keymap calls_by_number[2];
	struct binding *bindings;
	size_t nr;
	uint32_t *by_id;	/* [nr_ids]: one more than the index of its binding; 0: none */
	size_t nr_ids;
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
	free(binder->by_id);
	binder->by_id = NULL;
	binder->nr_ids = 0;
}

void binder_free(struct binder *binder)
{
	if (!binder)
		return;
	binder_reset(binder);
	free(binder->calls);
	keymap_free(&binder->calls_by_number[0]);
	keymap_free(&binder->calls_by_number[1]);
	free(binder);
}

/* ------------------------------------------------------------- calls by number */

/*
 * Events of calls that have no event of their own: the number is in the field `id`.  Where there are such events, the
 * recording has all calls.
 */
static const char *const all_calls[] = { "syscall_entry", "syscall_exit" };
#define UNKNOWN	"_unknown"

static bool is_for_all(const char *name, const char *all)
{
	const size_t len = strlen(all);

	return !strncmp(name, all, len) && (!name[len] || !strcmp(name + len, UNKNOWN));
}

static int which_of_all(const struct desc *desc)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_calls); i++)
		if (is_for_all(desc->name, all_calls[i]))
			return (int)i;
	return -1;
}

void binder_declare(struct binder *binder, const struct desc *desc)
{
	if (which_of_all(desc) >= 0)
		binder->a->all_calls = true;
	else
		analysis_type(binder->a, desc->name);
}

/* Of the number of a call that a 32-bit program has made. */
#define CALL_IS_COMPAT	(1LL << 40)

static struct event_type make_call(struct binder *binder, int which, int64_t number)
{
	const bool compat = number & CALL_IS_COMPAT;
	const int64_t call = number & ~CALL_IS_COMPAT;
	const bool fits = number >= 0 && call <= UINT32_MAX;
	const char *known = !fits ? NULL : compat ? call_compat_name(call) : call_name(call);
	AUTO_FREE char *name = known ? mem_printf("%s_%s", all_calls[which], known) :
				       mem_printf("%s_%lld", all_calls[which], (long long)(fits ? call : number));

	return analysis_type(binder->a, name);
}

/* The kind of a call with this number, as if its event had its name. */
static struct event_type call_type(struct binder *binder, int which, int64_t number)
{
	struct keymap *map = &binder->calls_by_number[which];
	const uint32_t at = keymap_find(map, (uint64_t)number);

	if (at)
		return binder->calls[at - 1];
	binder->calls = MEM_MORE(binder->calls, binder->nr_calls);
	binder->calls[binder->nr_calls++] = make_call(binder, which, number);
	keymap_set(map, (uint64_t)number, binder->nr_calls);
	return binder->calls[binder->nr_calls - 1];
}

/* ------------------------------------------------------------------ descriptors */

/* Can the analysis use a field of this kind?  FIELD_TEXT says why there is no value. */
static bool is_usable(const struct field *field)
{
	static const bool usable[NR_FIELD_KINDS] = {
		[FIELD_NUMBER] = true, [FIELD_REG] = true, [FIELD_WORD] = true, [FIELD_CONST] = true,
		[FIELD_INT] = true, [FIELD_POINTER] = true, [FIELD_STRING] = true,
	};

	return usable[field->kind] && !field_is_hidden(field);
}

static bool is_taken(const struct binding *binding, int slot)
{
	for (unsigned int i = 0; i < binding->nr; i++)
		if (binding->locations[i].slot == slot)
			return true;
	return false;
}

static void add_location(struct binding *binding, size_t number, int slot, size_t offset)
{
	const struct field *field = &binding->desc->fields[number];
	const struct field_layout layout = field_layout(field);

	binding->locations[binding->nr++] = (struct location){
		.slot = slot, .is_text = field->kind == FIELD_STRING, .is_const = field->kind == FIELD_CONST,
		.is_signed = layout.is_signed, .bytes = layout.bytes,
		.width = field->bytes && field->bytes < layout.bytes ? field->bytes : layout.bytes,
		.count = layout.count, .most = field->most, .limit = field->limit, .fault_bit = field->fault_bit,
		.field = number, .offset = offset, .is_fixed = !binding->varies,
		.constant = field->value,
	};
}

static void bind(struct binder *binder, struct binding *binding, const struct desc *desc)
{
	size_t offset = desc_mask(desc);
	int slot;

	*binding = (struct binding){ .desc = desc, .all_calls = which_of_all(desc) };
	binder->a->all_calls |= binding->all_calls >= 0;
	/* The slots are the same for every call. */
	binding->type = binding->all_calls < 0 ? analysis_type(binder->a, desc->name) :
			(struct event_type){ .id = binding->all_calls ? EVENT_CALL_EXIT : EVENT_CALL_ENTRY };
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		slot = is_usable(field) ? event_slot(binding->type.id, field->name) : -1;
		if (slot >= 0 && !is_taken(binding, slot))
			add_location(binding, i, slot, offset);
		offset += field_payload(field);
		binding->varies |= field->varies;
	}
	binding->payload = binding->varies ? 0 : desc_payload(desc);
}

/* Where the fields of this record are that have no fixed offset.  False: the record does not have them all. */
static bool find_fields(const struct binding *binding, const struct record *record, size_t *offsets)
{
	const struct desc *desc = binding->desc;
	size_t at = desc_mask(desc) + desc->fixed_bytes;

	if (at > record->payload_len)
		return false;
	for (size_t i = desc->nr_fixed; i < desc->nr_fields; i++) {
		offsets[i] = at;
		at += field_length(&desc->fields[i], record->payload + at, record->payload_len - at);
	}
	return at <= record->payload_len;
}

static const struct binding *binding_of(struct binder *binder, const struct desc *desc)
{
	const uint32_t at = desc->id < binder->nr_ids ? binder->by_id[desc->id] : 0;

	if (at && binder->bindings[at - 1].desc == desc)
		return &binder->bindings[at - 1];
	binder->bindings = MEM_MORE(binder->bindings, binder->nr);
	bind(binder, &binder->bindings[binder->nr++], desc);
	binder->by_id = MEM_REACH(binder->by_id, binder->nr_ids, desc->id);
	binder->by_id[desc->id] = binder->nr;
	return &binder->bindings[binder->nr - 1];
}

/* -------------------------------------------------------------------- values */

static void read_text(const struct location *location, const uint8_t *at, struct event_value *out)
{
	const size_t most = location->most && location->most < location->count ? location->most : location->count;

	*out = (struct event_value){ .text = at, .length = strnlen((const char *)at, most) };
	out->is_cut = location->limit ? out->length > location->limit : out->length == location->count && !location->most;
	if (location->limit && out->is_cut)
		out->length = location->limit;
}

static void read_number(const struct location *location, const uint8_t *at, struct event_value *out)
{
	const unsigned int unused = 64 - 8 * location->width;
	uint64_t value;

	value = load_number(at, location->bytes) << unused;
	value = location->is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
	*out = (struct event_value){ .number = (int64_t)value };
}

static void read_location(const struct location *location, const uint8_t *at, struct event_value *out)
{
	if (location->is_const)
		*out = (struct event_value){ .number = location->constant };
	else if (location->is_text)
		read_text(location, at, out);
	else
		read_number(location, at, out);
}

static int64_t number_of_call(const struct analysis_event *e)
{
	const int64_t number = e->value[CALL_ID].number;

	return event_has(e, CALL_COMPAT) && e->value[CALL_COMPAT].number && number >= 0 ? number | CALL_IS_COMPAT : number;
}

bool binder_event(struct binder *binder, const struct record *record, struct analysis_event *out)
{
	const struct binding *binding;
	size_t offsets[DESC_FIELDS];
	uint32_t faults;

	if (record->desc->is_hidden || record->desc->late_of)
		return false;
	binding = binding_of(binder, record->desc);
	out->type = binding->type;
	out->cpu = record->cpu;
	out->is_state = record->desc->is_state;
	out->ticks = record->ticks;
	out->known = 0;
	if (record->payload_len < binding->payload || (binding->varies && !find_fields(binding, record, offsets)))
		return true;
	faults = load_number(record->payload, desc_mask(record->desc));
	for (unsigned int i = 0; i < binding->nr; i++) {
		const struct location *location = &binding->locations[i];

		if (location->fault_bit >= 0 && faults >> location->fault_bit & 1)
			continue;
		out->known |= 1U << location->slot;
		read_location(location, record->payload + (location->is_fixed ? location->offset : offsets[location->field]),
			      &out->value[location->slot]);
	}
	if (binding->all_calls >= 0 && event_has(out, CALL_ID))
		out->type = call_type(binder, binding->all_calls, number_of_call(out));
	else if (binding->all_calls >= 0)
		out->type = analysis_type(binder->a, record->desc->name);
	return true;
}
