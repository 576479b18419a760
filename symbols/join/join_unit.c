// SPDX-License-Identifier: GPL-2.0-or-later
/* join_unit.c - read a unit and write it anew, with forms that every reader knows.  See join.h. */
#include "symbols/join/join_int.h"

#include <stdlib.h>

#include "symbols/base/hash.h"

/* --------------------------------------------------------------- own entry */

static bool is_index_of_address(uint16_t form)
{
	return form == DW_FORM_addrx || form == DW_FORM_addrx1 || form == DW_FORM_addrx2 || form == DW_FORM_addrx3 ||
	       form == DW_FORM_addrx4 || form == DW_FORM_GNU_addr_index;
}

/* NULL: it is in another file, or damaged. */
const char *unit_text(const struct unit *unit, const struct die_value *value)
{
	const struct unit_sections *s = unit->sections;
	const struct die_texts texts = { s->str, s->line_str, s->str_offsets, unit->str_offsets_base };

	return die_text(&texts, &unit->head, value);
}

bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out)
{
	struct cursor c = index > UINT32_MAX ? (struct cursor){ .bad = true } :
			  cursor_at(unit->addr.data, unit->addr.len, unit->addr_base + 8 * index);

	*out = cursor_uint(&c, 8);
	return !c.bad;
}

/* The bases of the forms, before the values of these forms. */
static void take_base(struct unit *unit, uint16_t at, const struct die_value *value)
{
	if (at == DW_AT_str_offsets_base)
		unit->str_offsets_base = value->number;
	else if (at == DW_AT_addr_base || at == DW_AT_GNU_addr_base)
		unit->addr_base = value->number;
	else if (at == DW_AT_GNU_ranges_base)
		unit->ranges_base = value->number;
	else if (at == DW_AT_GNU_dwo_id)
		unit->id = value->number;
}

static void take_name(struct unit *unit, uint16_t at, const struct die_value *value)
{
	if (at == DW_AT_dwo_name || at == DW_AT_GNU_dwo_name)
		unit->split_name = unit_text(unit, value);
	else if (at == DW_AT_comp_dir)
		unit->split_dir = unit_text(unit, value);
}

typedef void take_fn(struct unit *unit, uint16_t at, const struct die_value *value);

static bool read_own(struct unit *unit, struct die_bytes info, take_fn *take)
{
	struct cursor c = cursor_of(info.data + unit->head.first, unit->head.end - unit->head.first);
	const struct abbrev *abbrev = abbrevs_find(unit->abbrevs, cursor_uleb(&c));
	struct die_value value;

	for (uint32_t i = 0; abbrev && i < abbrev->nr_attrs; i++) {
		const struct abbrev_attr *attr = &unit->abbrevs->attrs[abbrev->first + i];

		if (!die_value(&c, &unit->head, attr, &value))
			return false;
		take(unit, attr->at, &value);
	}
	return abbrev;
}

bool unit_open(const struct image *image, struct die_bytes info, uint64_t offset, bool in_types, enum file_kind kind,
	       struct unit_sections *sections, struct abbrevs *abbrevs, struct unit *out)
{
	*out = (struct unit){ .kind = kind, .sections = sections, .abbrevs = abbrevs };
	if (!unit_head_read(info, offset, in_types, &out->head) ||
	    !abbrevs_read(sections->abbrev, out->head.abbrev, abbrevs))
		return false;
	out->addr = die_section(image, ".debug_addr");
	out->id = out->head.id;
	/* In a split unit there is no base: the table begins behind its header. */
	out->str_offsets_base = out->head.version == 5 ? 8 : 0;
	if (!read_own(out, info, take_base) || !read_own(out, info, take_name))
		return false;
	if (out->head.kind != DW_UT_skeleton && (out->head.kind != DW_UT_compile || kind != FILE_MAIN))
		out->split_name = NULL;
	return true;
}

/* ------------------------------------------------------------------- write */

static void add_spec(struct joiner *j, uint16_t at, uint16_t form)
{
	bytes_uleb(&j->specs, at);
	bytes_uleb(&j->specs, form);
}

static void add_number(struct joiner *j, uint16_t at, uint16_t form, uint64_t v, size_t bytes)
{
	add_spec(j, at, form);
	bytes_put(&j->values, &v, bytes);
}

/* A reference whose target is known at the end. */
static void add_reference(struct joiner *j, uint16_t at, uint32_t source, uint64_t target)
{
	*ARRAY_ADD(j->fixes, j->nr_fixes, j->fixes_room) = (struct fix){ j->values.n, source, target };
	add_number(j, at, DW_FORM_ref_addr, 0, 4);
}

static void add_text(struct joiner *j, const struct unit *unit, uint16_t at, const struct die_value *value)
{
	const char *text;

	if (unit->kind == FILE_MAIN && value->form == DW_FORM_strp) {
		add_number(j, at, DW_FORM_strp, value->number, 4);
		return;
	}
	text = value->form == DW_FORM_GNU_strp_alt || value->form == DW_FORM_strp_sup ?
	       die_text_at(j->alt_str, value->number) : unit_text(unit, value);
	if (!text)
		return;
	add_spec(j, at, DW_FORM_string);
	bytes_put(&j->values, text, strlen(text) + 1);
}

static bool is_text(uint16_t form)
{
	return form == DW_FORM_string || form == DW_FORM_strp || form == DW_FORM_line_strp || die_is_index_of_text(form) ||
	       form == DW_FORM_GNU_strp_alt || form == DW_FORM_strp_sup;
}

static void add_address(struct joiner *j, const struct unit *unit, uint16_t at, const struct die_value *value)
{
	uint64_t addr = value->number;

	if (value->form == DW_FORM_addr || unit_address(unit, value->number, &addr))
		add_number(j, at, DW_FORM_addr, addr, 8);
}

/* False: the form is no reference. */
static bool add_any_reference(struct joiner *j, const struct unit *unit, uint16_t at, const struct die_value *value)
{
	switch (value->form) {
	case DW_FORM_ref1: case DW_FORM_ref2: case DW_FORM_ref4: case DW_FORM_ref8: case DW_FORM_ref_udata:
		add_reference(j, at, unit->source, unit->head.offset + value->number);
		return true;
	case DW_FORM_ref_addr:
		add_reference(j, at, j->sources[unit->source].home, value->number);
		return true;
	case DW_FORM_ref_sig8:
		add_reference(j, at, BY_TYPE, value->number);
		return true;
	case DW_FORM_GNU_ref_alt: case DW_FORM_ref_sup4: case DW_FORM_ref_sup8:
		/* Source 0 has no entry at the greatest offset. */
		add_reference(j, at, j->alt ? j->alt - 1 : 0, j->alt ? value->number : UINT64_MAX);
		return true;
	default:
		return false;
	}
}

static bool is_list(uint16_t at)
{
	return at == DW_AT_location || at == DW_AT_frame_base;
}

/* An offset into another section.  In DWARF 2 and 3 it has the form of a number. */
static void add_offset(struct joiner *j, const struct unit *unit, uint16_t at, const struct die_value *value)
{
	struct unit_sections *s = unit->sections;
	uint64_t offset = value->number;

	if (unit->kind == FILE_MAIN) {
		add_spec(j, at, value->form);
		bytes_put(&j->values, value->at, value->size);
	} else if (at == DW_AT_stmt_list) {
		offset += take_section(&j->line, s->line, &s->line_at);
		add_number(j, at, DW_FORM_sec_offset, offset, 4);
	} else if (unit->kind == FILE_SPLIT && is_list(at) && list_location(j, unit, value, &offset)) {
		add_number(j, at, DW_FORM_sec_offset, offset, 4);
	} else if (unit->kind == FILE_SPLIT && at == DW_AT_ranges && list_ranges(j, unit, value, &offset)) {
		add_number(j, at, DW_FORM_sec_offset, offset, 4);
	}
}

static bool is_offset(const struct unit *unit, uint16_t at, uint16_t form)
{
	return form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_rnglistx ||
	       (unit->head.version < 4 && (form == DW_FORM_data4 || form == DW_FORM_data8) &&
		(at == DW_AT_stmt_list || at == DW_AT_ranges || is_list(at)));
}

/* What only readers of the original forms need. */
static bool is_dropped(const struct unit *unit, uint16_t at)
{
	return at == DW_AT_sibling || at == DW_AT_GNU_addr_base || at == DW_AT_GNU_ranges_base ||
	       at == DW_AT_GNU_dwo_id || at == DW_AT_str_offsets_base ||
	       (unit->kind != FILE_MAIN &&
		(at == DW_AT_addr_base || at == DW_AT_loclists_base || at == DW_AT_rnglists_base));
}

static void add_attr(struct joiner *j, const struct unit *unit, const struct abbrev_attr *attr,
		     const struct die_value *value)
{
	const uint16_t at = attr->at;

	if (is_dropped(unit, at) || add_any_reference(j, unit, at, value))
		return;
	if (is_text(value->form)) {
		add_text(j, unit, at, value);
	} else if (value->form == DW_FORM_addr || is_index_of_address(value->form)) {
		add_address(j, unit, at, value);
	} else if (is_offset(unit, at, value->form)) {
		add_offset(j, unit, at, value);
	} else {
		add_spec(j, at, value->form);
		if (value->form == DW_FORM_implicit_const)
			bytes_sleb(&j->specs, attr->constant);
		bytes_put(&j->values, value->at, value->size);
	}
}

static uint64_t code_of(struct joiner *j, uint16_t tag, bool has_children)
{
	const uint64_t start = hash_number(hash_number(HASH_START, tag), has_children);
	const uint64_t hash = hash_bytes(start, j->specs.v, j->specs.n);
	uint64_t *code = map_at(&j->codes, hash ? hash : 1);
	const uint8_t children = has_children, end[2] = { 0 };

	if (*code)
		return *code;
	*code = ++j->nr_codes;
	bytes_uleb(&j->abbrev, *code);
	bytes_uleb(&j->abbrev, tag);
	bytes_put(&j->abbrev, &children, 1);
	if (j->specs.n)
		bytes_put(&j->abbrev, j->specs.v, j->specs.n);
	bytes_put(&j->abbrev, end, sizeof(end));
	return *code;
}

static void begin_entry(struct joiner *j)
{
	j->specs.n = j->values.n = 0;
	j->first_fix = j->nr_fixes;
}

static void end_entry(struct joiner *j, uint16_t tag, bool has_children)
{
	bytes_uleb(&j->info, code_of(j, tag, has_children));
	for (size_t i = j->first_fix; i < j->nr_fixes; i++)
		j->fixes[i].at += j->info.n;
	if (j->values.n)
		bytes_put(&j->info, j->values.v, j->values.n);
}

static bool add_attrs(struct joiner *j, const struct unit *unit, const struct abbrev *abbrev, struct cursor *c,
		      bool (*is_wanted)(uint16_t at))
{
	struct die_value value;

	for (uint32_t i = 0; i < abbrev->nr_attrs; i++) {
		const struct abbrev_attr *attr = &unit->abbrevs->attrs[abbrev->first + i];

		if (!die_value(c, &unit->head, attr, &value))
			return false;
		if (!is_wanted || is_wanted(attr->at))
			add_attr(j, unit, attr, &value);
	}
	return true;
}

/* ------------------------------------------------------------------- units */

/* What the skeleton tells of the unit. */
static bool is_of_skeleton(uint16_t at)
{
	return at == DW_AT_low_pc || at == DW_AT_high_pc || at == DW_AT_ranges || at == DW_AT_stmt_list ||
	       at == DW_AT_comp_dir || at == DW_AT_addr_base || at == DW_AT_rnglists_base;
}

static bool is_of_split(uint16_t at)
{
	return !is_of_skeleton(at) && at != DW_AT_dwo_name && at != DW_AT_GNU_dwo_name;
}

static bool add_skeleton(struct joiner *j, const struct unit *skeleton)
{
	const struct source *source = &j->sources[skeleton->source];
	const struct unit_head *head = &skeleton->head;
	struct cursor c = cursor_of(source->info.data + head->first, head->end - head->first);
	const struct abbrev *abbrev = abbrevs_find(skeleton->abbrevs, cursor_uleb(&c));

	return abbrev && add_attrs(j, skeleton, abbrev, &c, is_of_skeleton);
}

/* The own entry of a type unit must not bring the lines of another unit again. */
static uint16_t own_tag(const struct unit *unit, const struct unit *skeleton, uint16_t tag)
{
	if (unit_is_type(&unit->head))
		return DW_TAG_partial_unit;
	return skeleton ? DW_TAG_compile_unit : tag;
}

static bool write_own(struct joiner *j, const struct unit *unit, const struct unit *skeleton,
		      const struct abbrev *abbrev, struct cursor *c)
{
	const struct unit *bases = skeleton ? skeleton : unit;

	if (bases->addr_base && bases->head.version < 5)
		add_number(j, DW_AT_addr_base, DW_FORM_sec_offset, bases->addr_base, 4);
	return (!skeleton || add_skeleton(j, skeleton)) && add_attrs(j, unit, abbrev, c, skeleton ? is_of_split : NULL);
}

/* Returns false at the end, and where the unit is damaged.  depth counts the entries that are open. */
static bool write_entry(struct joiner *j, const struct unit *unit, const struct unit *skeleton, struct cursor *c,
			unsigned int *depth)
{
	struct source *source = &j->sources[unit->source];
	const uint32_t from = c->at - source->info.data, to = j->info.n;
	const uint64_t code = cursor_uleb(c);
	const uint8_t end = 0;
	const struct abbrev *abbrev;

	if (!code) {
		if (*depth)
			bytes_put(&j->info, &end, 1);
		return *depth && --*depth;
	}
	abbrev = abbrevs_find(unit->abbrevs, code);
	begin_entry(j);
	if (!abbrev || !(*depth ? add_attrs(j, unit, abbrev, c, NULL) : write_own(j, unit, skeleton, abbrev, c))) {
		j->nr_fixes = j->first_fix;
		return false;
	}
	*ARRAY_ADD(source->moved, source->nr_moved, source->moved_room) = (struct moved){ from, to };
	end_entry(j, *depth ? abbrev->tag : own_tag(unit, skeleton, abbrev->tag), abbrev->has_children);
	*depth += abbrev->has_children;
	return *depth && j->info.n < j->limit;
}

static size_t begin_unit(struct joiner *j, uint16_t version)
{
	const size_t start = j->info.n;
	const uint8_t head[12] = { 0, 0, 0, 0, version, 0, DW_UT_compile, 8 };
	const uint8_t old[11] = { 0, 0, 0, 0, version, 0, 0, 0, 0, 0, 8 };

	bytes_put(&j->info, version == 5 ? head : old, version == 5 ? sizeof(head) : sizeof(old));
	return start;
}

static void end_unit(struct joiner *j, size_t start, unsigned int depth)
{
	const uint8_t end = 0;
	uint32_t len;

	while (depth--)
		bytes_put(&j->info, &end, 1);
	len = j->info.n - start - sizeof(len);
	memcpy(j->info.v + start, &len, sizeof(len));
}

void unit_write(struct joiner *j, const struct unit *unit, const struct unit *skeleton)
{
	const struct source *source = &j->sources[unit->source];
	struct cursor c = cursor_of(source->info.data + unit->head.first, unit->head.end - unit->head.first);
	const size_t start = begin_unit(j, unit->head.version);
	unsigned int depth = 0;

	while (cursor_left(&c) && write_entry(j, unit, skeleton, &c, &depth))
		;
	end_unit(j, start, depth);
	if (unit_is_type(&unit->head))
		*map_at(&j->types, unit->head.id + 1 ? unit->head.id + 1 : 1) =
			(uint64_t)(unit->source + 1) << 32 | (uint32_t)(unit->head.offset + unit->head.type);
}

void unit_write_unknown(struct joiner *j)
{
	const size_t start = begin_unit(j, 4);

	begin_entry(j);
	end_entry(j, DW_TAG_partial_unit, true);
	j->unknown = j->info.n;
	begin_entry(j);
	add_spec(j, DW_AT_name, DW_FORM_string);
	bytes_put(&j->values, JOIN_UNKNOWN, sizeof(JOIN_UNKNOWN));
	end_entry(j, DW_TAG_unspecified_type, false);
	end_unit(j, start, 1);
}
