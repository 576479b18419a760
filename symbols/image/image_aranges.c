// SPDX-License-Identifier: GPL-2.0-or-later
/* image_aranges.c - find the unit of an address in .debug_aranges (DWARF 5, section 6.1.2). */
#include "symbols/base/bytes.h"
#include "symbols/image/image.h"

static bool in_set(struct cursor set, unsigned int offset_size, uint64_t linked, uint64_t *unit)
{
	uint64_t start, version = cursor_uint(&set, 2), info = cursor_uint(&set, offset_size);
	uint64_t header = (offset_size == 8 ? 12 : 4) + 2 + offset_size + 2, address = cursor_uint(&set, 1);

	cursor_uint(&set, 1);
	if (version != 2 || address != 8)
		return false;
	/* The pairs are aligned to twice their size, counted from the start of the set. */
	cursor_take(&set, (16 - header % 16) % 16);
	while (cursor_left(&set) >= 16) {
		start = cursor_uint(&set, 8);
		if (linked - start < cursor_uint(&set, 8)) {
			*unit = info;
			return true;
		}
	}
	return false;
}

bool image_unit_at(const struct image *image, uint64_t linked, uint64_t *unit)
{
	const struct image_section *section = image_section(image, ".debug_aranges");
	struct cursor c;

	if (!section)
		return false;
	c = cursor_of(section->data, section->data_size);
	while (cursor_left(&c)) {
		uint64_t len = cursor_uint(&c, 4);
		unsigned int offset_size = len == UINT32_MAX ? 8 : 4;
		const uint8_t *at;

		if (offset_size == 8)
			len = cursor_uint(&c, 8);
		at = cursor_take(&c, len);
		if (!at)
			return false;
		if (in_set(cursor_of(at, len), offset_size, linked, unit))
			return true;
	}
	return false;
}
