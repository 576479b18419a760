/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * die.h - read units, abbreviations and attributes of DWARF 2 to 5 from bytes, in every form of the standard and of
 * GNU.  Nothing is looked up elsewhere: a reference stays a number.  The bytes may be damaged.
 */
#ifndef KTRACE_DIE_H
#define KTRACE_DIE_H

#include <libdwarf/dwarf.h>

#include "symbols/base/bytes.h"
#include "symbols/image/image.h"

struct die_bytes {
	const uint8_t *data;
	size_t len;
};

/* The bytes of a section; none without the image or the section. */
struct die_bytes die_section(const struct image *image, const char *name);
/* The text at an offset.  NULL: it does not end in the section. */
const char *die_text_at(struct die_bytes section, uint64_t offset);

struct unit_head {
	uint64_t offset, end;		/* in its section */
	uint64_t first;			/* offset of its first entry */
	uint64_t abbrev;		/* offset of its table */
	uint16_t version;
	uint8_t kind;			/* DW_UT_* */
	uint8_t offset_size, address_size;
	uint64_t id;			/* of a type, or of a split unit; 0: none here */
	uint64_t type;			/* offset of the type within a type unit */
};

/* in_types: the section is .debug_types, of DWARF 4.  False: there is no readable unit. */
bool unit_head_read(struct die_bytes section, uint64_t offset, bool in_types, struct unit_head *out);
bool unit_is_type(const struct unit_head *unit);

struct abbrev_attr {
	uint16_t at, form;
	int64_t constant;		/* of DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	uint32_t nr_attrs;
	size_t first;			/* in attrs of the table */
};

struct abbrevs {
	struct abbrev *v;
	size_t n, room;
	struct abbrev_attr *attrs;
	size_t nr_attrs, attrs_room;
};

/* Read the table at an offset into .debug_abbrev.  False: it is damaged. */
bool abbrevs_read(struct die_bytes section, uint64_t offset, struct abbrevs *out);
void abbrevs_free(struct abbrevs *abbrevs);
/* NULL: there is no such code. */
const struct abbrev *abbrevs_find(const struct abbrevs *abbrevs, uint64_t code);

struct die_value {
	uint16_t form;			/* never DW_FORM_indirect */
	uint64_t number;		/* of all forms with a number */
	const uint8_t *at;		/* the bytes as they are in the section */
	size_t size;
	const uint8_t *block;		/* of a block or expression, or a string with its 0 */
	size_t len;
};

/* Bytes of a form of fixed size; 0: it has another one. */
unsigned int die_form_size(const struct unit_head *unit, uint16_t form);
/* Read a value and go on behind it.  False: the form is unknown, or the bytes end. */
bool die_value(struct cursor *c, const struct unit_head *unit, const struct abbrev_attr *attr, struct die_value *out);

/* Where the texts of a unit are. */
struct die_texts {
	struct die_bytes str, line_str, offsets;
	uint64_t base;			/* of the unit's numbers, in `offsets` */
};

/* Is the value of this form the number of a text? */
bool die_is_index_of_text(uint16_t form);
/* The text that a value is.  NULL: it is none, in another file, or damaged. */
const char *die_text(const struct die_texts *texts, const struct unit_head *unit, const struct die_value *value);

#endif
