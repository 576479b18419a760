// SPDX-License-Identifier: GPL-2.0-or-later
/* die.c - see die.h. */
#include "symbols/join/die.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- sections */

struct die_bytes die_section(const struct image *image, const char *name)
{
	const struct image_section *section = image ? image_section(image, name) : NULL;

	return section ? (struct die_bytes){ section->data, section->data_size } : (struct die_bytes){ NULL, 0 };
}

const char *die_text_at(struct die_bytes section, uint64_t offset)
{
	if (offset >= section.len)
		return NULL;
	/* Usually the last byte of the section is the end of a text. */
	if (section.data[section.len - 1] && !memchr(section.data + offset, 0, section.len - offset))
		return NULL;
	return (const char *)section.data + offset;
}

/* ------------------------------------------------------------------- units */

bool unit_is_type(const struct unit_head *unit)
{
	return unit->kind == DW_UT_type || unit->kind == DW_UT_split_type;
}

static void read_id(struct cursor *c, bool in_types, struct unit_head *out)
{
	if (in_types)
		out->kind = DW_UT_type;
	if (unit_is_type(out) || out->kind == DW_UT_skeleton || out->kind == DW_UT_split_compile)
		out->id = cursor_uint(c, 8);
	if (unit_is_type(out))
		out->type = cursor_uint(c, out->offset_size);
}

bool unit_head_read(struct die_bytes section, uint64_t offset, bool in_types, struct unit_head *out)
{
	struct cursor c = cursor_at(section.data, section.len, offset);
	uint64_t len = cursor_uint(&c, 4);

	*out = (struct unit_head){ .offset = offset, .offset_size = 4, .kind = DW_UT_compile };
	if (len == UINT32_MAX) {
		len = cursor_uint(&c, 8);
		out->offset_size = 8;
	}
	if (c.bad || !len || len > cursor_left(&c))
		return false;
	out->end = c.at - section.data + len;
	out->version = cursor_uint(&c, 2);
	if (out->version < 2 || out->version > 5)
		return false;
	if (out->version == 5) {
		out->kind = cursor_uint(&c, 1);
		out->address_size = cursor_uint(&c, 1);
		out->abbrev = cursor_uint(&c, out->offset_size);
	} else {
		out->abbrev = cursor_uint(&c, out->offset_size);
		out->address_size = cursor_uint(&c, 1);
	}
	read_id(&c, in_types, out);
	out->first = c.bad ? 0 : c.at - section.data;
	return !c.bad && out->first <= out->end && out->address_size == 8;
}

/* ----------------------------------------------------------- abbreviations */

static bool read_attrs(struct cursor *c, struct abbrevs *out, struct abbrev *abbrev)
{
	for (;;) {
		struct abbrev_attr attr = { 0 };
		const uint64_t at = cursor_uleb(c), form = cursor_uleb(c);

		if (form == DW_FORM_implicit_const)
			attr.constant = cursor_sleb(c);
		if (c->bad || at > UINT16_MAX || form > UINT16_MAX)
			return false;
		if (!at && !form)
			return true;
		attr.at = at;
		attr.form = form;
		*ARRAY_ADD(out->attrs, out->nr_attrs, out->attrs_room) = attr;
		abbrev->nr_attrs++;
	}
}

static int by_code(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	return (x->code > y->code) - (x->code < y->code);
}

bool abbrevs_read(struct die_bytes section, uint64_t offset, struct abbrevs *out)
{
	struct cursor c = cursor_at(section.data, section.len, offset);
	bool in_order = true;
	uint64_t code;

	out->n = out->nr_attrs = 0;
	while ((code = cursor_uleb(&c))) {
		struct abbrev abbrev = { .code = code, .first = out->nr_attrs };

		abbrev.tag = cursor_uleb(&c);
		abbrev.has_children = cursor_uint(&c, 1);
		if (!read_attrs(&c, out, &abbrev))
			return false;
		in_order &= !out->n || out->v[out->n - 1].code < code;
		*ARRAY_ADD(out->v, out->n, out->room) = abbrev;
	}
	if (!in_order)
		qsort(out->v, out->n, sizeof(*out->v), by_code);
	return !c.bad;
}

void abbrevs_free(struct abbrevs *abbrevs)
{
	free(abbrevs->v);
	free(abbrevs->attrs);
	*abbrevs = (struct abbrevs){ 0 };
}

const struct abbrev *abbrevs_find(const struct abbrevs *abbrevs, uint64_t code)
{
	const struct abbrev key = { .code = code };

	/* Usually they are numbered from 1. */
	if (code - 1 < abbrevs->n && abbrevs->v[code - 1].code == code)
		return &abbrevs->v[code - 1];
	return abbrevs->n ? bsearch(&key, abbrevs->v, abbrevs->n, sizeof(key), by_code) : NULL;
}

/* ------------------------------------------------------------------ values */

static bool take_block(struct cursor *c, uint64_t len, struct die_value *out)
{
	out->block = cursor_take(c, len);
	out->len = len;
	return !c->bad;
}

static bool take_string(struct cursor *c, struct die_value *out)
{
	const uint8_t *end = cursor_left(c) ? memchr(c->at, 0, cursor_left(c)) : NULL;

	return end && take_block(c, end + 1 - c->at, out);
}

unsigned int die_form_size(const struct unit_head *unit, uint16_t form)
{
	switch (form) {
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1: case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4: case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return unit->address_size;
	case DW_FORM_ref_addr:
		return unit->version == 2 ? unit->address_size : unit->offset_size;
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset: case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt:
		return unit->offset_size;
	default:
		return 0;
	}
}

static bool read_value(struct cursor *c, const struct unit_head *unit, const struct abbrev_attr *attr,
		       struct die_value *out)
{
	const unsigned int size = die_form_size(unit, out->form);

	if (size) {
		out->number = cursor_uint(c, size);
		return !c->bad;
	}
	switch (out->form) {
	case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx: case DW_FORM_addrx: case DW_FORM_loclistx:
	case DW_FORM_rnglistx: case DW_FORM_GNU_addr_index: case DW_FORM_GNU_str_index:
		out->number = cursor_uleb(c);
		return !c->bad;
	case DW_FORM_sdata:
		out->number = cursor_sleb(c);
		return !c->bad;
	case DW_FORM_implicit_const:
		out->number = attr->constant;
		return true;
	case DW_FORM_flag_present:
		out->number = 1;
		return true;
	case DW_FORM_string:
		return take_string(c, out);
	case DW_FORM_data16:
		return take_block(c, 16, out);
	case DW_FORM_block1:
		return take_block(c, cursor_uint(c, 1), out);
	case DW_FORM_block2:
		return take_block(c, cursor_uint(c, 2), out);
	case DW_FORM_block4:
		return take_block(c, cursor_uint(c, 4), out);
	case DW_FORM_block: case DW_FORM_exprloc:
		return take_block(c, cursor_uleb(c), out);
	default:
		return false;
	}
}

bool die_value(struct cursor *c, const struct unit_head *unit, const struct abbrev_attr *attr, struct die_value *out)
{
	bool ok;

	*out = (struct die_value){ .form = attr->form };
	if (attr->form == DW_FORM_indirect)
		out->form = cursor_uleb(c);
	out->at = c->at;
	ok = !c->bad && out->form != DW_FORM_indirect && read_value(c, unit, attr, out);
	out->size = ok ? c->at - out->at : 0;
	return ok;
}

bool die_is_index_of_text(uint16_t form)
{
	return form == DW_FORM_strx || form == DW_FORM_strx1 || form == DW_FORM_strx2 || form == DW_FORM_strx3 ||
	       form == DW_FORM_strx4 || form == DW_FORM_GNU_str_index;
}

const char *die_text(const struct die_texts *texts, const struct unit_head *unit, const struct die_value *value)
{
	struct cursor c;
	uint64_t offset;

	if (value->form == DW_FORM_string)
		return (const char *)value->block;
	if (value->form == DW_FORM_strp)
		return die_text_at(texts->str, value->number);
	if (value->form == DW_FORM_line_strp)
		return die_text_at(texts->line_str, value->number);
	if (!die_is_index_of_text(value->form) || value->number > UINT32_MAX)
		return NULL;
	c = cursor_at(texts->offsets.data, texts->offsets.len, texts->base + value->number * unit->offset_size);
	offset = cursor_uint(&c, unit->offset_size);
	return c.bad ? NULL : die_text_at(texts->str, offset);
}
