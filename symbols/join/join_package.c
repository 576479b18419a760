// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * join_package.c - the units of a .dwp file, by its indexes (DWARF 5, section 7.3.5.3; the version 2 of GNU).
 *
 * An index has a header, a hash table of ids, the row of each (from 1), the kinds of sections, and for each row the
 * offsets, then the sizes of its parts of them.
 */
#include "symbols/join/join_int.h"

struct index {
	struct die_bytes section;
	uint32_t version, columns, rows, slots;
};

enum { COLUMN_INFO = 1, COLUMN_TYPES, COLUMN_ABBREV, COLUMN_LINE, COLUMN_LOC, COLUMN_STR_OFFSETS, COLUMN_MACRO,
       COLUMN_RNGLISTS };

#define HEADER	16

static bool read_index(const struct image *package, const char *name, struct index *out)
{
	struct cursor c;

	out->section = die_section(package, name);
	c = cursor_of(out->section.data, out->section.len);
	out->version = cursor_uint(&c, 4) & 0xffff;
	out->columns = cursor_uint(&c, 4);
	out->rows = cursor_uint(&c, 4);
	out->slots = cursor_uint(&c, 4);
	return !c.bad && (out->version == 2 || out->version == 5) && out->columns <= 16 &&
	       (uint64_t)out->slots * 12 + (1 + 2 * (uint64_t)out->rows) * out->columns * 4 + HEADER <=
		       out->section.len;
}

static uint64_t number_at(const struct index *index, uint64_t offset, size_t bytes)
{
	struct cursor c = cursor_at(index->section.data, index->section.len, offset);

	return cursor_uint(&c, bytes);
}

static struct die_bytes part(const struct index *index, uint32_t row, uint32_t column, struct die_bytes whole)
{
	const uint64_t tables = HEADER + (uint64_t)index->slots * 12, width = (uint64_t)index->columns * 4;
	const uint64_t offset = number_at(index, tables + width * row + 4 * (uint64_t)column, 4);
	const uint64_t size = number_at(index, tables + width * (index->rows + row) + 4 * (uint64_t)column, 4);

	if (offset > whole.len || size > whole.len - offset)
		return (struct die_bytes){ 0 };
	return (struct die_bytes){ whole.data + offset, size };
}

static void take_part(const struct image *package, const struct index *index, uint32_t row, uint32_t column,
		      struct package_unit *out)
{
	const uint64_t kind = number_at(index, HEADER + (uint64_t)index->slots * 12 + 4 * (uint64_t)column, 4);
	struct unit_sections *s = &out->sections;

	if (kind == COLUMN_INFO || (kind == COLUMN_TYPES && index->version == 2)) {
		out->in_types = kind == COLUMN_TYPES;
		out->info = part(index, row, column, die_section(package, kind == COLUMN_INFO ? ".debug_info.dwo" :
												   ".debug_types.dwo"));
	} else if (kind == COLUMN_ABBREV) {
		s->abbrev = part(index, row, column, die_section(package, ".debug_abbrev.dwo"));
	} else if (kind == COLUMN_LINE) {
		s->line = part(index, row, column, die_section(package, ".debug_line.dwo"));
	} else if (kind == COLUMN_LOC && index->version == 2) {
		s->loc = part(index, row, column, die_section(package, ".debug_loc.dwo"));
	} else if (kind == COLUMN_LOC) {
		s->loclists = part(index, row, column, die_section(package, ".debug_loclists.dwo"));
	} else if (kind == COLUMN_STR_OFFSETS) {
		s->str_offsets = part(index, row, column, die_section(package, ".debug_str_offsets.dwo"));
	} else if (kind == COLUMN_RNGLISTS && index->version == 5) {
		s->rnglists = part(index, row, column, die_section(package, ".debug_rnglists.dwo"));
	}
}

static void take_row(const struct image *package, const struct index *index, uint32_t row, struct package_unit *out)
{
	*out = (struct package_unit){
		.sections = { .line_at = NOT_YET, .loclists_at = NOT_YET, .rnglists_at = NOT_YET },
	};
	out->sections.str = die_section(package, ".debug_str.dwo");
	for (uint32_t i = 0; i < index->columns; i++)
		take_part(package, index, row, i, out);
}

bool package_split(const struct image *package, uint64_t id, struct package_unit *out)
{
	struct index index;

	if (!read_index(package, ".debug_cu_index", &index))
		return false;
	for (uint32_t i = 0; i < index.slots; i++) {
		const uint64_t row = number_at(&index, HEADER + 8 * (uint64_t)index.slots + 4 * (uint64_t)i, 4);

		if (!row || row > index.rows || number_at(&index, HEADER + 8 * (uint64_t)i, 8) != id)
			continue;
		take_row(package, &index, row, out);
		return out->info.len;
	}
	return false;
}

void package_types(const struct image *package, void (*each)(const struct package_unit *unit, void *arg), void *arg)
{
	struct index index;

	if (!read_index(package, ".debug_tu_index", &index))
		return;
	for (uint32_t row = 1; row <= index.rows; row++) {
		struct package_unit unit;

		take_row(package, &index, row, &unit);
		if (unit.info.len)
			each(&unit, arg);
	}
}
