// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_range.c - read ranges and location lists of DWARF 5 (sections 2.17.3 and 2.6.2) and DWARF 4 (2.17.3 and
 * 2.6.2).
 */
#include <stdlib.h>

#include "symbols/build/build.h"

#define ADDRESS		8

static struct cursor at(struct die_bytes section, uint64_t offset)
{
	return cursor_at(section.data, section.len, offset);
}

/* An index refers to a table of offsets at base; the offsets are relative to base. */
static uint64_t offset_of(const struct worker *w, struct die_bytes section, uint64_t base, uint64_t value, bool is_index)
{
	struct cursor c;

	if (!is_index)
		return value;
	c = at(section, base + value * w->unit->offset_size);
	return base + cursor_uint(&c, w->unit->offset_size);
}

uint64_t build_indexed(const struct worker *w, uint64_t index)
{
	return entry_address(&w->b->dwarf, w->unit_entry.unit, index);
}

static void add_range(struct ranges *out, uint64_t low, uint64_t high)
{
	if (low < high)
		*ARRAY_ADD(out->v, out->n, out->room) = (struct range){ low, high };
}

/* The forms of a row in a DWARF 5 list; range lists and location lists number them differently. */
enum form {
	FORM_END, FORM_OFFSET_PAIR, FORM_DEFAULT, FORM_BASE, FORM_START_END, FORM_START_LENGTH,
	FORM_INDEXED_BASE, FORM_INDEXED_START_END, FORM_INDEXED_START_LENGTH, FORM_VIEWS, FORM_UNKNOWN,
};

static const uint8_t range_forms[] = {
	[DW_RLE_end_of_list] = FORM_END,
	[DW_RLE_base_addressx] = FORM_INDEXED_BASE,
	[DW_RLE_startx_endx] = FORM_INDEXED_START_END,
	[DW_RLE_startx_length] = FORM_INDEXED_START_LENGTH,
	[DW_RLE_offset_pair] = FORM_OFFSET_PAIR,
	[DW_RLE_base_address] = FORM_BASE,
	[DW_RLE_start_end] = FORM_START_END,
	[DW_RLE_start_length] = FORM_START_LENGTH,
};

#define LLE_VIEW_PAIR	9	/* a GNU extension */

static const uint8_t location_forms[] = {
	[DW_LLE_end_of_list] = FORM_END,
	[DW_LLE_base_addressx] = FORM_INDEXED_BASE,
	[DW_LLE_startx_endx] = FORM_INDEXED_START_END,
	[DW_LLE_startx_length] = FORM_INDEXED_START_LENGTH,
	[DW_LLE_offset_pair] = FORM_OFFSET_PAIR,
	[DW_LLE_default_location] = FORM_DEFAULT,
	[DW_LLE_base_address] = FORM_BASE,
	[DW_LLE_start_end] = FORM_START_END,
	[DW_LLE_start_length] = FORM_START_LENGTH,
	[LLE_VIEW_PAIR] = FORM_VIEWS,
};

static void read_bounds(const struct worker *w, struct cursor *c, enum form form, uint64_t base, uint64_t *low,
			uint64_t *high)
{
	if (form == FORM_DEFAULT) {
		*low = 0;
		*high = UINT64_MAX;
	} else if (form == FORM_INDEXED_START_END || form == FORM_INDEXED_START_LENGTH) {
		*low = build_indexed(w, cursor_uleb(c));
		*high = form == FORM_INDEXED_START_END ? build_indexed(w, cursor_uleb(c)) : *low + cursor_uleb(c);
	} else if (form == FORM_OFFSET_PAIR) {
		*low = base + cursor_uleb(c);
		*high = base + cursor_uleb(c);
	} else {
		*low = cursor_uint(c, ADDRESS);
		*high = form == FORM_START_END ? cursor_uint(c, ADDRESS) : *low + cursor_uleb(c);
	}
}

static uint64_t read_base(const struct worker *w, struct cursor *c, enum form form)
{
	return form == FORM_BASE ? cursor_uint(c, ADDRESS) : build_indexed(w, cursor_uleb(c));
}

static enum form read_form(struct cursor *c, const uint8_t *forms, size_t nr)
{
	uint64_t kind = cursor_uint(c, 1);

	return c->bad || kind >= nr ? FORM_UNKNOWN : forms[kind];
}

static bool ranges_v5(const struct worker *w, struct cursor c, struct ranges *out)
{
	uint64_t base = w->base, low, high;

	for (;;) {
		enum form form = read_form(&c, range_forms, sizeof(range_forms));

		if (form == FORM_END || form == FORM_UNKNOWN)
			return form == FORM_END;
		if (form == FORM_BASE || form == FORM_INDEXED_BASE) {
			base = read_base(w, &c, form);
			continue;
		}
		read_bounds(w, &c, form, base, &low, &high);
		add_range(out, low, high);
	}
}

static bool ranges_v4(const struct worker *w, struct cursor c, struct ranges *out)
{
	uint64_t base = w->base;

	for (;;) {
		uint64_t low = cursor_uint(&c, ADDRESS), high = cursor_uint(&c, ADDRESS);

		if (c.bad || (!low && !high))
			return !c.bad;
		if (low == UINT64_MAX)
			base = high;
		else
			add_range(out, base + low, base + high);
	}
}

bool build_ranges(struct worker *w, const struct entry *e, struct ranges *out)
{
	out->n = 0;
	if (!(e->has & HAS_RANGES)) {
		if ((e->has & (HAS_LOW | HAS_HIGH)) == (HAS_LOW | HAS_HIGH))
			add_range(out, e->low, e->has & HIGH_IS_SIZE ? e->low + e->high : e->high);
		return true;
	}
	if (w->unit->version < 5)
		return ranges_v4(w, at(w->b->dwarf.ranges, e->ranges), out);
	return ranges_v5(w, at(w->b->dwarf.rnglists,
			       offset_of(w, w->b->dwarf.rnglists, w->unit_entry.rnglists_base, e->ranges,
					 e->has & RANGES_IS_INDEX)), out);
}

/* --------------------------------------------------------------- locations */

#define ENTRY_BYTES	32	/* more than the instructions that every call begins with */

/* An empty range at the function's entry has the place in which the caller passes a parameter. */
static void add_location(const struct worker *w, struct location_parts *out, uint64_t low, uint64_t high, struct cursor *c,
			 uint64_t len)
{
	const uint8_t *expr = cursor_take(c, len);

	if (expr && (low < high || (low == high && low - w->func_low < ENTRY_BYTES)))
		*ARRAY_ADD(out->v, out->n, out->room) = (struct location_part){ low, high, expr, len };
}

static bool locations_v5(const struct worker *w, struct cursor c, struct location_parts *out)
{
	uint64_t base = w->base, low, high;

	for (;;) {
		enum form form = read_form(&c, location_forms, sizeof(location_forms));

		if (form == FORM_END || form == FORM_UNKNOWN)
			return form == FORM_END;
		if (form == FORM_BASE || form == FORM_INDEXED_BASE) {
			base = read_base(w, &c, form);
		} else if (form == FORM_VIEWS) {
			cursor_uleb(&c);
			cursor_uleb(&c);
		} else {
			read_bounds(w, &c, form, base, &low, &high);
			add_location(w, out, low, high, &c, cursor_uleb(&c));
		}
	}
}

static bool locations_v4(const struct worker *w, struct cursor c, struct location_parts *out)
{
	uint64_t base = w->base;

	for (;;) {
		uint64_t low = cursor_uint(&c, ADDRESS), high = cursor_uint(&c, ADDRESS);

		if (c.bad || (!low && !high))
			return !c.bad;
		if (low == UINT64_MAX)
			base = high;
		else
			add_location(w, out, base + low, base + high, &c, cursor_uint(&c, 2));
	}
}

bool build_locations(struct worker *w, const struct entry *e, struct location_parts *out)
{
	out->n = 0;
	if (w->unit->version < 5)
		return locations_v4(w, at(w->b->dwarf.loc, e->loclist), out);
	return locations_v5(w, at(w->b->dwarf.loclists,
				  offset_of(w, w->b->dwarf.loclists, w->unit_entry.loclists_base, e->loclist,
					    e->has & LOCLIST_IS_INDEX)), out);
}
