// SPDX-License-Identifier: GPL-2.0-or-later
/* entry_attr.c - read the attributes of an entry.  See entry_int.h. */
#include "symbols/build/entry_int.h"

#define ADDRESS	8

/* -------------------------------------------------------------------- forms */

/* A form whose value is a number by itself; not a reference, an address or a flag. */
static bool is_number(uint16_t form)
{
	switch (form) {
	case DW_FORM_data1: case DW_FORM_data2: case DW_FORM_data4: case DW_FORM_data8: case DW_FORM_udata: case DW_FORM_sdata:
	case DW_FORM_implicit_const: case DW_FORM_sec_offset: case DW_FORM_loclistx: case DW_FORM_rnglistx:
		return true;
	default:
		return false;
	}
}

static bool is_block(uint16_t form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 ||
	       form == DW_FORM_block2 || form == DW_FORM_block4;
}

static bool is_indexed_address(uint16_t form)
{
	return form == DW_FORM_addrx || form == DW_FORM_addrx1 || form == DW_FORM_addrx2 || form == DW_FORM_addrx3 ||
	       form == DW_FORM_addrx4 || form == DW_FORM_GNU_addr_index;
}

static bool is_address(uint16_t form)
{
	return form == DW_FORM_addr || is_indexed_address(form);
}

uint64_t entry_address(const struct dwarf *dwarf, const struct dwarf_unit *unit, uint64_t number)
{
	struct cursor c = cursor_at(dwarf->addr.data, dwarf->addr.len, unit->addr_base + number * ADDRESS);

	return number > UINT32_MAX ? 0 : cursor_uint(&c, ADDRESS);
}

/* --------------------------------------------------------------- attributes */

/* One attribute that is read. */
struct attribute {
	const struct dwarf *dwarf;
	const struct dwarf_unit *unit;
	struct die_value value;
};

static uint64_t address_of(const struct attribute *attr)
{
	if (!is_indexed_address(attr->value.form))
		return attr->value.number;
	return entry_address(attr->dwarf, attr->unit, attr->value.number);
}

static void take_low(const struct attribute *attr, struct entry *e)
{
	if (!is_address(attr->value.form))
		return;
	e->low = address_of(attr);
	e->has |= HAS_LOW;
}

/* An address, or a distance from DW_AT_low_pc. */
static void take_distance(const struct attribute *attr, struct entry *e, uint64_t *to, unsigned int has, unsigned int is_distance)
{
	const bool is_whole = is_address(attr->value.form);

	if (!is_whole && !is_number(attr->value.form))
		return;
	*to = address_of(attr);
	e->has |= is_whole ? has : has | is_distance;
}

static void take_high(const struct attribute *attr, struct entry *e)
{
	take_distance(attr, e, &e->high, HAS_HIGH, HIGH_IS_SIZE);
}

static void take_entry_pc(const struct attribute *attr, struct entry *e)
{
	take_distance(attr, e, &e->entry, HAS_ENTRY, ENTRY_IS_OFFSET);
}

static void take_ranges(const struct attribute *attr, struct entry *e)
{
	e->ranges = attr->value.number;
	e->has |= is_number(attr->value.form) ? HAS_RANGES : 0;
	e->has |= attr->value.form == DW_FORM_rnglistx ? RANGES_IS_INDEX : 0;
}

static void take_constant(const struct attribute *attr, struct entry *e)
{
	const char *text = die_text(&attr->unit->texts, &attr->unit->head, &attr->value);

	if (is_number(attr->value.form)) {
		e->constant = attr->value.number;
		e->has |= HAS_CONSTANT;
	} else if (is_block(attr->value.form)) {
		e->block = attr->value.block;
		e->block_len = attr->value.len;
	} else if (text) {
		e->block = (const uint8_t *)text;
		e->block_len = strlen(text) + 1;
	}
}

static void take_location(const struct attribute *attr, struct entry *e)
{
	if (is_block(attr->value.form)) {
		e->expr = attr->value.block;
		e->expr_len = attr->value.len;
	} else if (is_number(attr->value.form)) {
		e->loclist = attr->value.number;
		e->has |= HAS_LOCLIST | (attr->value.form == DW_FORM_loclistx ? LOCLIST_IS_INDEX : 0);
	} else {
		e->has |= HAS_UNREADABLE;
	}
}

static void take_frame(const struct attribute *attr, struct entry *e)
{
	if (!is_block(attr->value.form))
		return;
	e->frame = attr->value.block;
	e->frame_len = attr->value.len;
}

/* In old versions the offset of a member is an expression: DW_OP_plus_uconst N. */
static void take_member(const struct attribute *attr, struct entry *e)
{
	struct cursor c = cursor_of(attr->value.block, attr->value.block ? attr->value.len : 0);

	if (is_number(attr->value.form))
		e->member = attr->value.number;
	else if (is_block(attr->value.form) && attr->value.len > 1 && cursor_uint(&c, 1) == DW_OP_plus_uconst)
		e->member = cursor_uleb(&c);
	else
		e->has |= HAS_UNREADABLE;
}

/* 0: it is in another file, or none. */
static uint64_t target_of(const struct attribute *attr)
{
	switch (attr->value.form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		return attr->unit->head.offset + attr->value.number;
	case DW_FORM_ref_addr:
		return attr->value.number;
	default:
		return 0;
	}
}

enum how { NUMBER, REFERENCE, FLAG, STRING, PRESENCE, SPECIAL };

/* A row for each attribute that is used. */
static const struct row {
	uint16_t at;
	uint8_t how;
	uint16_t offset;
	uint32_t has;
	void (*special)(const struct attribute *attr, struct entry *e);
} rows[] = {
	{ DW_AT_sibling, REFERENCE, offsetof(struct entry, sibling), 0, NULL },
	{ DW_AT_name, STRING, offsetof(struct entry, name), 0, NULL },
	{ DW_AT_comp_dir, STRING, offsetof(struct entry, dir), 0, NULL },
	{ DW_AT_low_pc, SPECIAL, 0, 0, take_low },
	{ DW_AT_high_pc, SPECIAL, 0, 0, take_high },
	{ DW_AT_entry_pc, SPECIAL, 0, 0, take_entry_pc },
	{ DW_AT_ranges, SPECIAL, 0, 0, take_ranges },
	{ DW_AT_const_value, SPECIAL, 0, 0, take_constant },
	{ DW_AT_location, SPECIAL, 0, 0, take_location },
	{ DW_AT_frame_base, SPECIAL, 0, 0, take_frame },
	{ DW_AT_data_member_location, SPECIAL, 0, 0, take_member },
	{ DW_AT_discr_value, NUMBER, offsetof(struct entry, discr_value), HAS_DISCR_VALUE, NULL },
	{ DW_AT_stmt_list, NUMBER, offsetof(struct entry, stmt_list), HAS_STMT_LIST, NULL },
	{ DW_AT_rnglists_base, NUMBER, offsetof(struct entry, rnglists_base), 0, NULL },
	{ DW_AT_loclists_base, NUMBER, offsetof(struct entry, loclists_base), 0, NULL },
	{ DW_AT_type, REFERENCE, offsetof(struct entry, type), 0, NULL },
	{ DW_AT_abstract_origin, REFERENCE, offsetof(struct entry, origin), 0, NULL },
	{ DW_AT_specification, REFERENCE, offsetof(struct entry, specification), 0, NULL },
	{ DW_AT_signature, REFERENCE, offsetof(struct entry, signature), 0, NULL },
	{ DW_AT_decl_file, NUMBER, offsetof(struct entry, decl_file), HAS_DECL_FILE, NULL },
	{ DW_AT_decl_line, NUMBER, offsetof(struct entry, decl_line), 0, NULL },
	{ DW_AT_decl_column, NUMBER, offsetof(struct entry, decl_column), 0, NULL },
	{ DW_AT_call_file, NUMBER, offsetof(struct entry, call_file), 0, NULL },
	{ DW_AT_call_line, NUMBER, offsetof(struct entry, call_line), 0, NULL },
	{ DW_AT_byte_size, NUMBER, offsetof(struct entry, byte_size), HAS_SIZE, NULL },
	{ DW_AT_bit_size, NUMBER, offsetof(struct entry, bit_size), 0, NULL },
	{ DW_AT_bit_offset, NUMBER, offsetof(struct entry, bit_offset), HAS_BIT_OFFSET, NULL },
	{ DW_AT_data_bit_offset, NUMBER, offsetof(struct entry, data_bit_offset), HAS_DATA_BIT, NULL },
	{ DW_AT_count, NUMBER, offsetof(struct entry, count), HAS_COUNT, NULL },
	{ DW_AT_upper_bound, NUMBER, offsetof(struct entry, upper), HAS_UPPER, NULL },
	{ DW_AT_encoding, NUMBER, offsetof(struct entry, encoding), 0, NULL },
	{ DW_AT_language, NUMBER, offsetof(struct entry, language), 0, NULL },
	{ DW_AT_calling_convention, NUMBER, offsetof(struct entry, convention), 0, NULL },
	{ DW_AT_declaration, FLAG, offsetof(struct entry, declaration), 0, NULL },
	{ DW_AT_external, FLAG, offsetof(struct entry, external), 0, NULL },
	{ DW_AT_artificial, FLAG, offsetof(struct entry, artificial), 0, NULL },
	{ DW_AT_prototyped, FLAG, offsetof(struct entry, prototyped), 0, NULL },
	{ DW_AT_variable_parameter, FLAG, offsetof(struct entry, is_result), 0, NULL },
	{ DW_AT_virtuality, PRESENCE, offsetof(struct entry, is_virtual), 0, NULL },
	{ DW_AT_GNU_vector, PRESENCE, offsetof(struct entry, is_vector), 0, NULL },
};

static void take(const struct attribute *attr, const struct row *row, struct entry *out)
{
	void *field = (char *)out + row->offset;

	switch (row->how) {
	case NUMBER:
		if (!is_number(attr->value.form))
			break;
		*(uint64_t *)field = attr->value.number;
		out->has |= row->has;
		break;
	case REFERENCE:
		*(uint64_t *)field = target_of(attr);
		break;
	case FLAG:
		*(bool *)field = attr->value.number;
		break;
	case STRING:
		*(const char **)field = die_text(&attr->unit->texts, &attr->unit->head, &attr->value);
		break;
	case PRESENCE:
		*(bool *)field = true;
		break;
	default:
		row->special(attr, out);
	}
}

/* -------------------------------------------------------------------- plans */

/* How to read an attribute of an abbreviation. */
struct plan {
	uint16_t form;
	uint8_t size;		/* bytes of the value; 0: they must be counted */
	uint8_t row;		/* + 1; 0: it is not used */
};

static const uint16_t used_tags[] = {
	DW_TAG_compile_unit, DW_TAG_partial_unit, DW_TAG_skeleton_unit, DW_TAG_namespace, DW_TAG_module,
	DW_TAG_subprogram, DW_TAG_formal_parameter, DW_TAG_variable, DW_TAG_lexical_block, DW_TAG_inlined_subroutine,
	DW_TAG_base_type, DW_TAG_unspecified_type, DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type,
	DW_TAG_ptr_to_member_type, DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type,
	DW_TAG_typedef, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type, DW_TAG_enumeration_type,
	DW_TAG_array_type, DW_TAG_subroutine_type, DW_TAG_subrange_type, DW_TAG_unspecified_parameters, DW_TAG_member,
	DW_TAG_inheritance, DW_TAG_variant_part, DW_TAG_variant, DW_TAG_enumerator, DW_TAG_template_type_parameter,
};

#define MOST_TAG	0x50
#define MOST_AT		0x90

static bool is_used_tag[MOST_TAG];
static uint8_t row_of[MOST_AT], row_of_vector;

__attribute__((constructor)) static void sort_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*(rows[i].at < MOST_AT ? &row_of[rows[i].at] : &row_of_vector) = i + 1;
	for (size_t i = 0; i < sizeof(used_tags) / sizeof(used_tags[0]); i++)
		is_used_tag[used_tags[i]] = true;
}

bool entry_is_used(uint16_t tag)
{
	return tag < MOST_TAG && is_used_tag[tag];
}

/* What dwz has put into another file is not read. */
static bool is_in_other_file(uint16_t form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt || form == DW_FORM_ref_sup4 ||
	       form == DW_FORM_ref_sup8 || form == DW_FORM_strp_sup;
}

static uint8_t row_for(uint16_t tag, const struct abbrev_attr *attr)
{
	if (is_in_other_file(attr->form) || (!entry_is_used(tag) && attr->at != DW_AT_sibling))
		return 0;
	return attr->at < MOST_AT ? row_of[attr->at] : attr->at == DW_AT_GNU_vector ? row_of_vector : 0;
}

static void make_plans(struct dwarf_unit *unit)
{
	unit->nr_plans = 0;
	for (size_t i = 0; i < unit->abbrevs.n; i++) {
		const struct abbrev *abbrev = &unit->abbrevs.v[i];

		for (uint32_t j = 0; j < abbrev->nr_attrs; j++) {
			const struct abbrev_attr *attr = &unit->abbrevs.attrs[abbrev->first + j];

			while (unit->nr_plans <= abbrev->first + j)
				*ARRAY_ADD(unit->plans, unit->nr_plans, unit->plans_room) = (struct plan){ 0 };
			unit->plans[abbrev->first + j] =
				(struct plan){ attr->form, die_form_size(&unit->head, attr->form), row_for(abbrev->tag, attr) };
		}
	}
}

/* -------------------------------------------------------------------- units */

/* Where the tables of the unit begin: its own entry may need them before it says so. */
static bool read_bases(const struct dwarf *dwarf, struct dwarf_unit *unit)
{
	struct cursor c = cursor_of(dwarf->info.data + unit->head.first, unit->head.end - unit->head.first);
	const struct abbrev *abbrev = abbrevs_find(&unit->abbrevs, cursor_uleb(&c));
	struct die_value value;

	for (uint32_t i = 0; abbrev && i < abbrev->nr_attrs; i++) {
		const struct abbrev_attr *attr = &unit->abbrevs.attrs[abbrev->first + i];

		if (!die_value(&c, &unit->head, attr, &value))
			return false;
		if (attr->at == DW_AT_str_offsets_base)
			unit->texts.base = value.number;
		else if (attr->at == DW_AT_addr_base || attr->at == DW_AT_GNU_addr_base)
			unit->addr_base = value.number;
	}
	return abbrev;
}

bool unit_read(const struct dwarf *dwarf, const struct unit_head *head, struct dwarf_unit *out)
{
	out->head = *head;
	out->texts = (struct die_texts){ dwarf->str, dwarf->line_str, dwarf->str_offsets, .base = 2 * head->offset_size };
	out->addr_base = 0;
	if (!abbrevs_read(dwarf->abbrev, head->abbrev, &out->abbrevs))
		return false;
	make_plans(out);
	return read_bases(dwarf, out);
}

/* ------------------------------------------------------------------ entries */

static uint64_t load(const uint8_t *at, unsigned int size)
{
	uint64_t v = 0;

	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&v, at, 2);
		return v;
	case 4:
		memcpy(&v, at, 4);
		return v;
	default:
		memcpy(&v, at, size);
		return v;
	}
}

/* Most values have a fixed size. */
static bool read_value(struct cursor *c, const struct plan *plan, const struct abbrev_attr *spec, struct attribute *attr)
{
	if (!plan->size)
		return die_value(c, &attr->unit->head, spec, &attr->value);
	if (plan->size > cursor_left(c))
		return false;
	attr->value.form = plan->form;
	attr->value.number = load(c->at, plan->size);
	c->at += plan->size;
	return true;
}

static bool read_attributes(const struct dwarf *dwarf, const struct dwarf_unit *unit, const struct abbrev *abbrev,
			    struct cursor *c, struct entry *out)
{
	const struct plan *plan = unit->plans + abbrev->first;
	const struct abbrev_attr *spec = unit->abbrevs.attrs + abbrev->first;
	struct attribute attr = { .dwarf = dwarf, .unit = unit };

	for (uint32_t i = 0; i < abbrev->nr_attrs; i++) {
		if (!read_value(c, &plan[i], &spec[i], &attr))
			return false;
		if (plan[i].row)
			take(&attr, &rows[plan[i].row - 1], out);
	}
	return true;
}

bool entry_read(const struct dwarf *dwarf, const struct dwarf_unit *unit, struct cursor *c, struct entry *out)
{
	const uint64_t offset = c->at - dwarf->info.data, code = cursor_uleb(c);
	const struct abbrev *abbrev = code ? abbrevs_find(&unit->abbrevs, code) : NULL;

	*out = (struct entry){ .unit = unit, .offset = offset };
	if (!code)
		return false;
	if (!abbrev || !read_attributes(dwarf, unit, abbrev, c, out)) {
		c->bad = true;
		return false;
	}
	out->tag = abbrev->tag;
	out->has_children = abbrev->has_children;
	out->inside = c->at - dwarf->info.data;
	return true;
}
