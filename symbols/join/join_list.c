// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * join_list.c - lists of locations and ranges of split units.  Those of DWARF 5 are taken as they are; the location
 * lists that GNU made of DWARF 4 are written anew in the usual form, with addresses in place of their numbers.
 */
#include "symbols/join/join_int.h"

uint64_t take_section(struct bytes *to, struct die_bytes section, uint64_t *at)
{
	if (*at == NOT_YET) {
		*at = to->n;
		if (section.len)
			bytes_put(to, section.data, section.len);
	}
	return *at;
}

#define LISTS_HEADER	12	/* of .debug_loclists.dwo and .debug_rnglists.dwo; the table of offsets is behind it */

/* Offset of a list in its section, by the form of the attribute. */
static bool offset_in(const struct unit *unit, struct die_bytes section, const struct die_value *value, uint64_t *out)
{
	struct cursor c;

	*out = value->number;
	if (value->form != DW_FORM_loclistx && value->form != DW_FORM_rnglistx)
		return value->number < section.len;
	if (value->number > UINT32_MAX)
		return false;
	c = cursor_at(section.data, section.len, LISTS_HEADER + value->number * unit->head.offset_size);
	*out = LISTS_HEADER + cursor_uint(&c, unit->head.offset_size);
	return !c.bad;
}

static void put_number(struct bytes *out, uint64_t v, size_t bytes)
{
	bytes_put(out, &v, bytes);
}

/* The kinds of rows in .debug_loc.dwo. */
enum { ROW_END, ROW_BASE, ROW_START_END, ROW_START_LENGTH };

/* Returns false at the end, and for what is damaged or unknown. */
static bool put_row(struct joiner *j, const struct unit *unit, struct cursor *c)
{
	const uint64_t kind = cursor_uint(c, 1);
	uint64_t low, high, len;
	const uint8_t *expr;

	if (c->bad || (kind != ROW_START_END && kind != ROW_START_LENGTH) || !unit_address(unit, cursor_uleb(c), &low))
		return false;
	if (kind == ROW_START_LENGTH)
		high = low + cursor_uint(c, 4);
	else if (!unit_address(unit, cursor_uleb(c), &high))
		return false;
	len = cursor_uint(c, 2);
	expr = cursor_take(c, len);
	if (!expr)
		return false;
	put_number(&j->loc, low, 8);
	put_number(&j->loc, high, 8);
	put_number(&j->loc, len, 2);
	bytes_put(&j->loc, expr, len);
	return true;
}

static bool write_list(struct joiner *j, const struct unit *unit, uint64_t offset, uint64_t *out)
{
	struct cursor c = cursor_at(unit->sections->loc.data, unit->sections->loc.len, offset);

	*out = j->loc.n;
	if (j->loc.n - j->first_loc > j->limit)
		return false;
	/* The rows have addresses, not distances from the unit's base. */
	put_number(&j->loc, UINT64_MAX, 8);
	put_number(&j->loc, 0, 8);
	while (put_row(j, unit, &c))
		;
	put_number(&j->loc, 0, 8);
	put_number(&j->loc, 0, 8);
	return true;
}

bool list_location(struct joiner *j, const struct unit *unit, const struct die_value *value, uint64_t *out)
{
	struct unit_sections *s = unit->sections;
	uint64_t offset;

	if (unit->head.version < 5)
		return offset_in(unit, s->loc, value, &offset) && write_list(j, unit, offset, out);
	if (!offset_in(unit, s->loclists, value, &offset))
		return false;
	*out = take_section(&j->loclists, s->loclists, &s->loclists_at) + offset;
	return true;
}

bool list_ranges(struct joiner *j, const struct unit *unit, const struct die_value *value, uint64_t *out)
{
	struct unit_sections *s = unit->sections;
	uint64_t offset;

	/* They stay in the program. */
	if (unit->head.version < 5) {
		*out = unit->ranges_base + value->number;
		return true;
	}
	if (!offset_in(unit, s->rnglists, value, &offset))
		return false;
	*out = take_section(&j->rnglists, s->rnglists, &s->rnglists_at) + offset;
	return true;
}
