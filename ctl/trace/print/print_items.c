// SPDX-License-Identifier: GPL-2.0-or-later
/* print_items.c - the values of a record, for all output formats.  See print_int.h. */
#include "ctl/trace/print/print_int.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "ctl/ask/resolve/user_code.h"
#include "ctl/base/device/show_object.h"
#include "ctl/base/load.h"
#include "ctl/trace/print/show_number.h"

static bool is_pointer(enum field_kind kind, uint8_t bytes)
{
	return bytes == 8 && (kind == FIELD_REG || kind == FIELD_WORD || kind == FIELD_ALLREGS ||
			      kind == FIELD_POINTER || kind == FIELD_INT);
}

bool desc_wants_symbols(const struct desc *desc)
{
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		if (!field_is_hidden(field) &&
		    (is_pointer(field->kind, field->bytes) || field->kind == FIELD_BACKTRACE))
			return true;
	}
	return false;
}

bool snapshot_wants_symbols(const struct snapshot *snap)
{
	for (size_t i = 0; i < snapshot_count(snap); i++) {
		const struct record *record = snapshot_at(snap, i);

		if (record->type == RECORD_HIT && !record->desc->is_hidden && desc_wants_symbols(record->desc))
			return true;
	}
	return false;
}

static uint64_t take(const uint8_t **at, size_t bytes)
{
	const uint64_t value = load_number(*at, bytes);

	*at += bytes;
	return value;
}

static void give(struct printer *printer, struct item *item, item_fn *each, void *arg)
{
	const unsigned int unused = 64 - 8 * item->bytes;

	item->value <<= unused;
	item->value = item->is_signed ? (uint64_t)((int64_t)item->value >> unused) :
					item->value >> unused;
	if (!*item->symbol && printer->tab && !item->unreadable && !item->is_shown && is_pointer(item->kind, item->bytes) &&
	    !item->is_signed)
		symtab_describe(printer->tab, item->value, item->symbol, sizeof(item->symbol));
	each(printer, item, arg);
}

static void give_registers(struct printer *printer, const uint8_t **at, item_fn *each, void *arg)
{
	for (size_t i = 0; i < arch_native.nr_all_regs; i++) {
		struct item item;

		item_begin(&item, FIELD_ALLREGS, arch_reg_name(&arch_native, arch_native.all_regs[i]));
		item.bytes = 8;
		item.value = take(at, 8);
		give(printer, &item, each, arg);
	}
}

/* Count elements up to the first 0; a text that fills its array has none. */
static void count_elements(struct item *item, const struct field *field)
{
	static const uint8_t end[8];
	const struct field_layout layout = field_layout(field);

	while (item->length < layout.count &&
	       memcmp(item->raw + item->length * layout.bytes, end, layout.bytes))
		item->length++;
	/* One that varies always has its 0. */
	item->is_cut = item->length == (field->varies ? layout.count - 1U : layout.count);
	if (field->limit) {
		item->is_cut = item->length > field->limit;
		item->length = item->is_cut ? field->limit : item->length;
	}
	if (field->most && item->length >= field->most) {
		item->length = field->most;
		item->is_cut = false;
	}
}

static void give_elements(struct item *item, const struct field *field, const uint8_t **at, const uint8_t *end_of)
{
	item->raw = *at;
	if (show_is_of_bytes(field->show)) {
		item->length = field->most;
		item->is_cut = field->elements > field->most;
	} else {
		count_elements(item, field);
	}
	item->bytes = 8;
	*at += field_length(field, *at, end_of - *at);
}

const char *item_cut(const struct item *item)
{
	if (item->kind != FIELD_STRING || item->unreadable || !item->is_cut)
		return "";
	return item->breaks_off ? "...?" : "...";
}

static const char *word_of(const struct field *field, int64_t value)
{
	for (size_t i = 0; i < field->nr_names; i++)
		if (field->names[i].value == value)
			return field->names[i].name;
	return field->kind == FIELD_TEXT ? field->text : NULL;
}

static bool is_unreadable(const struct field *field, uint32_t faults)
{
	return field->fault_bit >= 0 && (faults >> field->fault_bit & 1);
}

/* The value of an item that has so many bytes in the record. */
static int64_t signed_value(const struct item *item, uint8_t bytes)
{
	const unsigned int unused = 64 - 8 * bytes;

	if (!item->is_signed || unused >= 64)
		return (int64_t)item->value;
	return (int64_t)(item->value << unused) >> unused;
}

/* Of what functions return, only the numbers of errors have another form than a number or a pointer. */
static bool is_error(const struct item *item, uint8_t bytes)
{
	const int64_t value = signed_value(item, bytes);

	return value < 0 && value_error(-(uint64_t)value);
}

/* What is known of the fields before one. */
struct known_field {
	bool absent, readable;
	int64_t value;
};

/* Has the object this part?  Where that is not known, it may have it. */
static bool is_absent(const struct field *field, const struct known_field *known)
{
	const struct known_field *on = known - field->depends;

	if (!field->depends || on->absent || !on->readable)
		return field->depends && on->absent;
	return field->when_above ? on->value <= field->when : on->value != field->when;
}

/* The fields of a record, from the first on. */
struct walk {
	struct printer *printer;
	const struct desc *desc;
	uint32_t faults;
	const uint8_t *at, *end;	/* the rest of the payload */
	const uint64_t *address;	/* of the string that comes; NULL: unknown */
	bool is_late;			/* it was read at the return */
	const uint64_t *base;	/* of the program; NULL: not known */
	item_fn *each;
	void *arg;
};

static void take_value(struct walk *walk, const struct field *field, struct item *item)
{
	if (field->kind == FIELD_STRING || field->kind == FIELD_BACKTRACE) {
		give_elements(item, field, &walk->at, walk->end);
	} else if (item_is_object(item)) {
		item->raw = walk->at;
		item->length = field_length(field, walk->at, walk->end - walk->at);
		walk->at += item->length;
	} else if (field->kind == FIELD_CONST) {
		item->value = field->value;
		item->bytes = 8;
	} else {
		item->value = take(&walk->at, field_payload(field));
	}
	if (item->kind == FIELD_ELAPSED && walk->printer->map)
		item->value = clockmap_delta_ns(walk->printer->map, 0, item->value);
}

static void mark_unreadable(const struct field *field, const struct known_field *known, struct item *item)
{
	item->absent = known->absent;
	item->unreadable = !known->readable;
	if (item->unreadable && item->length == 1 && item->kind == FIELD_STRING && *item->raw == KT_NO_TEXT)
		item->length = 0;
	/* An unreadable string with some bytes: only its rest is unreadable. */
	item->breaks_off = item->unreadable && item->kind == FIELD_STRING && item->length && !field->show;
	item->unreadable &= !item->breaks_off;
	item->unreadable |= item->absent;
	item->is_cut |= item->breaks_off;
}

/* The word in place of the value. */
static void find_word(const struct desc *desc, const struct field *field, struct item *item, uint8_t bytes)
{
	item->word = word_of(field, signed_value(item, bytes));
	if (item->kind == FIELD_INT && !item->word && value_names(desc->name, field->name, signed_value(item, bytes), item->named))
		item->word = item->named;
	_Static_assert(SHOW_OBJECT_SIZE <= VALUE_NAMES_SIZE, "no room for the text of an object");
	if (item_is_object(item))
		item->word = show_object(item->kind, item->raw, item->length, item->named);
	item->is_shown = field->show && !item->unreadable && (field->show != SHOW_RESULT || is_error(item, bytes));
	if (item->is_shown && show_is_of_bytes(field->show))
		item->word = field->elements ? show_byte_array(item->raw, item->length, item->named) :
					       show_bytes(field->show, item->raw, item->length, item->named);
	else if (item->is_shown && field->show == SHOW_FLAGS)
		item->word = show_flag_names(field, item->value, item->named);
	else if (item->is_shown)
		item->word = show_number(field->show, signed_value(item, bytes), field->bytes, item->is_signed, item->named);
}

/* The function that a pointer of a program points at. */
static void name_code(const struct walk *walk, const struct field *field, uint64_t addr, char symbol[SYMBOL_SIZE])
{
	const struct desc *desc = walk->desc;
	struct user_code *code = walk->printer->code;

	if (!code || !addr)
		return;
	if (field->is_linked)
		user_code_name_linked(code, desc->typed, addr, symbol, SYMBOL_SIZE);
	else if (walk->base && KT_FILE_HAS(desc->addr))
		user_code_name_from(code, desc->typed, KT_FILE_OFFSET(desc->addr), *walk->base, addr, symbol, SYMBOL_SIZE);
}

/* known: of this field, behind those before it. */
static void give_field(struct walk *walk, const struct field *field, struct known_field *known)
{
	const struct field_layout layout = field_layout(field);
	struct item item;

	item_begin(&item, field->kind, field->name);
	item.bytes = field->bytes;
	item.is_signed = layout.is_signed;
	item.group = field->group;
	item.desc = walk->desc;
	item.has_address = walk->address;
	item.address = walk->address ? *walk->address : 0;
	take_value(walk, field, &item);
	*known = (struct known_field){ is_absent(field, known), !is_unreadable(field, walk->faults), signed_value(&item, layout.bytes) };
	mark_unreadable(field, known, &item);
	item.is_late = walk->is_late && !item.unreadable;
	item.is_signed |= item.kind == FIELD_INT && item.bytes == 4 && item.value > INT32_MAX &&
			  value_is_descriptor(walk->desc->name, field->name);
	find_word(walk->desc, field, &item, layout.bytes);
	if (field->is_code && !item.unreadable)
		name_code(walk, field, item.value, item.symbol);
	if (walk->printer->has_runners && walk->printer->runner->caller && !item.unreadable && !strcmp(field->name, CALLER_FIELD))
		snprintf(item.symbol, sizeof(item.symbol), "%s", walk->printer->runner->caller);
	give(walk->printer, &item, walk->each, walk->arg);
}

/* Where the program was, see struct field.  False: the record does not have it. */
static bool find_base(const struct walk *walk, uint64_t *base)
{
	const struct desc *desc = walk->desc;
	const uint8_t *at = walk->at;

	if (!desc->nr_fields || !desc->fields[desc->nr_fields - 1].is_base)
		return false;
	for (size_t i = 0; i + 1 < desc->nr_fields; i++)
		at += field_length(&desc->fields[i], at, walk->end - at);
	if (walk->end - at < (ptrdiff_t)sizeof(*base))
		return false;
	memcpy(base, at, sizeof(*base));
	return true;
}

void record_items(struct printer *printer, const struct record *record, item_fn *each, void *arg)
{
	const struct desc *desc = record->desc;
	struct walk walk = { .printer = printer, .desc = desc, .at = record->payload, .end = record->payload + record->payload_len,
			     .each = each, .arg = arg };
	/* A descriptor that cannot be decoded has more fields, which do not depend on each other. */
	struct known_field known[DESC_FIELDS], spare, *now;
	uint64_t address, base;

	walk.faults = take(&walk.at, desc_mask(desc));
	if (find_base(&walk, &base))
		walk.base = &base;
	for (size_t i = 0; i < desc->nr_fields; i++) {
		const struct field *field = &desc->fields[i];

		now = i < DESC_FIELDS ? &known[i] : &spare;
		*now = (struct known_field){ 0 };
		if (field->is_late) {
			walk.is_late = take(&walk.at, field_payload(field)) == 1;
			continue;
		}
		if (field->is_address) {
			address = take(&walk.at, field_payload(field));
			walk.address = is_unreadable(field, walk.faults) ? NULL : &address;
			continue;
		}
		if (field->is_base)
			break;
		if (field->kind == FIELD_ALLREGS)
			give_registers(printer, &walk.at, each, arg);
		else
			give_field(&walk, field, now);
		walk.address = NULL;
		walk.is_late = false;
	}
}
