// SPDX-License-Identifier: GPL-2.0-or-later
/* entry.c - go over the units and entries of .debug_info.  See entry.h. */
#include "symbols/build/entry.h"

#include <stdlib.h>

#include "symbols/build/entry_int.h"

#define VISITS		16	/* for each byte of .debug_info; an entry has several bytes and is visited a few times */
#define MOST_UNITS	64	/* open from one unit to the next */

/* -------------------------------------------------------------------- units */

/* Units of other versions, or with addresses of another size, are left out. */
static void find_units(struct dwarf *dwarf)
{
	struct unit_head head;

	for (uint64_t at = 0; at < dwarf->info.len; at = head.end) {
		if (unit_head_read(dwarf->info, at, false, &head))
			*ARRAY_ADD(dwarf->units, dwarf->nr_units, dwarf->units_room) = head;
		if (head.end <= at)
			return;
	}
}

void dwarf_open(struct dwarf *dwarf, const struct image *image)
{
	*dwarf = (struct dwarf){
		.image = image,
		.info = die_section(image, ".debug_info"), .abbrev = die_section(image, ".debug_abbrev"),
		.str = die_section(image, ".debug_str"), .line_str = die_section(image, ".debug_line_str"),
		.str_offsets = die_section(image, ".debug_str_offsets"), .addr = die_section(image, ".debug_addr"),
		.line = die_section(image, ".debug_line"), .loc = die_section(image, ".debug_loc"),
		.loclists = die_section(image, ".debug_loclists"), .ranges = die_section(image, ".debug_ranges"),
		.rnglists = die_section(image, ".debug_rnglists"),
	};
	find_units(dwarf);
}

void dwarf_close(struct dwarf *dwarf)
{
	free(dwarf->units);
}

void reader_open(struct reader *reader, const struct dwarf *dwarf)
{
	*reader = (struct reader){ .dwarf = dwarf, .left = VISITS * (uint64_t)dwarf->info.len };
}

void reader_close(struct reader *reader)
{
	for (size_t i = 0; i < reader->nr_made; i++) {
		abbrevs_free(&reader->units[i]->abbrevs);
		free(reader->units[i]->plans);
		free(reader->units[i]);
	}
	free(reader->units);
	map_free(&reader->unit_of);
}

static int by_offset(const void *key, const void *unit)
{
	const uint64_t offset = *(const uint64_t *)key;
	const struct unit_head *head = unit;

	return offset < head->offset ? -1 : offset >= head->end;
}

const struct unit_head *entry_unit(const struct reader *reader, uint64_t offset)
{
	const struct dwarf *dwarf = reader->dwarf;

	if (!dwarf->nr_units)
		return NULL;
	return bsearch(&offset, dwarf->units, dwarf->nr_units, sizeof(*dwarf->units), by_offset);
}

/* One that was used before and is free now, or a new one. */
static struct dwarf_unit *free_unit(struct reader *reader)
{
	if (reader->nr_units == reader->nr_made)
		*ARRAY_ADD(reader->units, reader->nr_made, reader->units_room) = must_alloc(1, sizeof(struct dwarf_unit));
	return reader->units[reader->nr_units];
}

static struct dwarf_unit *open_unit(struct reader *reader, const struct unit_head *head)
{
	uint64_t *known = map_at(&reader->unit_of, head->offset + 1);
	struct dwarf_unit *unit;

	if (*known)
		return reader->units[*known - 1];
	unit = free_unit(reader);
	if (!unit_read(reader->dwarf, head, unit))
		return NULL;
	*known = ++reader->nr_units;
	return unit;
}

/* Entries that are still used point to their units: so units are closed only between two of them. */
static void close_units(struct reader *reader)
{
	if (reader->nr_units != 1 && reader->nr_units < MOST_UNITS)
		return;
	map_clear(&reader->unit_of);
	reader->nr_units = 0;
}

/* ------------------------------------------------------------------ entries */

static struct cursor cursor_in(const struct reader *reader, const struct dwarf_unit *unit, uint64_t offset)
{
	if (offset < unit->head.first || offset >= unit->head.end)
		return (struct cursor){ NULL, NULL, true };
	return cursor_of(reader->dwarf->info.data + offset, unit->head.end - offset);
}

bool entry_of_unit(struct reader *reader, size_t number, struct entry *out)
{
	const struct unit_head *head = &reader->dwarf->units[number];
	struct cursor c;

	close_units(reader);
	reader->present = open_unit(reader, head);
	if (!reader->present)
		return false;
	c = cursor_in(reader, reader->present, head->first);
	return entry_read(reader->dwarf, reader->present, &c, out);
}

bool entry_at(struct reader *reader, uint64_t offset, struct entry *out)
{
	struct dwarf_unit *unit = reader->present;
	const struct unit_head *head;
	struct cursor c;

	if (!unit || offset < unit->head.offset || offset >= unit->head.end) {
		head = entry_unit(reader, offset);
		unit = head ? open_unit(reader, head) : NULL;
	}
	if (!unit)
		return false;
	c = cursor_in(reader, unit, offset);
	return entry_read(reader->dwarf, unit, &c, out);
}

/* Go over the children of an entry, whose attributes were read. */
static void skip_children(struct reader *reader, const struct dwarf_unit *unit, struct cursor *c)
{
	unsigned int depth = 1;
	struct entry e;

	while (depth && reader->left && reader->left--) {
		if (!entry_read(reader->dwarf, unit, c, &e)) {
			if (c->bad)
				return;
			depth--;
		} else if (e.has_children && e.sibling > e.inside) {
			*c = cursor_in(reader, unit, e.sibling);
		} else {
			depth += e.has_children;
		}
	}
	c->bad |= depth;
}

/* Go to the entry behind this one and its children. */
static void go_behind(struct reader *reader, const struct entry *e, struct cursor *c)
{
	if (!e->has_children)
		return;
	if (e->sibling > e->inside)
		*c = cursor_in(reader, e->unit, e->sibling);
	else if (reader->ended == e->offset)
		*c = cursor_in(reader, e->unit, reader->end);
	else
		skip_children(reader, e->unit, c);
}

void entry_children(struct reader *reader, const struct entry *e,
		    void (*each)(const struct entry *child, void *arg), void *arg)
{
	struct cursor c = e->has_children ? cursor_in(reader, e->unit, e->inside) : (struct cursor){ .bad = true };
	struct entry child;

	while (reader->left && reader->left-- && entry_read(reader->dwarf, e->unit, &c, &child)) {
		if (entry_is_used(child.tag))
			each(&child, arg);
		go_behind(reader, &child, &c);
	}
	if (c.bad || !reader->left)
		return;
	reader->ended = e->offset;
	reader->end = c.at - reader->dwarf->info.data;
}
