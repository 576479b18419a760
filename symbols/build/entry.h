/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.h - the units and entries of .debug_info, in the plain form that join.h makes.
 *
 * The builder reads them itself, by join/die.h: libdwarf allocates and frees memory for each entry and each attribute,
 * which takes longer than all other work on an index.  The bytes may be damaged.
 */
#ifndef KTRACE_ENTRY_H
#define KTRACE_ENTRY_H

#include "symbols/base/map.h"
#include "symbols/join/die.h"

/* The sections, and the heads of all units.  Threads share it. */
struct dwarf {
	const struct image *image;
	struct die_bytes info, abbrev, str, line_str, str_offsets, addr, line, loc, loclists, ranges, rnglists;
	struct unit_head *units;
	size_t nr_units, units_room;
};

void dwarf_open(struct dwarf *dwarf, const struct image *image);
void dwarf_close(struct dwarf *dwarf);

/* A unit whose entries are read. */
struct dwarf_unit {
	struct unit_head head;
	struct abbrevs abbrevs;
	struct plan *plans;		/* of attributes, in the order of abbrevs.attrs */
	size_t nr_plans, plans_room;
	struct die_texts texts;
	uint64_t addr_base;
};

/* What a thread reads with. */
struct reader {
	const struct dwarf *dwarf;
	struct dwarf_unit *present, **units;
	size_t nr_units, nr_made, units_room;
	struct map unit_of;		/* offset of a head + 1 -> number in units + 1 */
	uint64_t left;			/* entries that may still be visited: see entry_children() */
	uint64_t ended, end;		/* the last entry whose children were visited, and what is behind them */
};

void reader_open(struct reader *reader, const struct dwarf *dwarf);
void reader_close(struct reader *reader);

/* One entry with its attributes.  Offsets are into .debug_info; 0: none. */
struct entry {
	const struct dwarf_unit *unit;
	uint16_t tag;
	bool has_children;
	uint64_t offset, inside;	/* of itself, and of what follows its attributes */
	uint64_t sibling;
	uint32_t has;		/* HAS_* */
	const char *name;
	const char *dir;
	uint64_t low, high, entry, ranges, stmt_list;
	uint64_t rnglists_base, loclists_base;
	uint64_t type, origin, specification, signature;
	uint64_t decl_file, decl_line, decl_column, call_file, call_line;
	uint64_t byte_size, bit_size, bit_offset, data_bit_offset, member, count, upper, encoding;
	uint64_t language, convention;
	int64_t constant;
	uint64_t discr_value;
	const uint8_t *block;		/* of DW_AT_const_value */
	uint64_t block_len;
	const uint8_t *expr;		/* of DW_AT_location; NULL: see loclist */
	uint64_t expr_len, loclist;
	const uint8_t *frame;		/* of DW_AT_frame_base */
	uint64_t frame_len;
	bool declaration, external, artificial, prototyped, is_virtual, is_vector;
	bool is_result;			/* of a parameter: what a function of Go returns */
};

enum {
	HAS_LOW = 1 << 0, HAS_HIGH = 1 << 1, HIGH_IS_SIZE = 1 << 2, HAS_RANGES = 1 << 3, RANGES_IS_INDEX = 1 << 4,
	HAS_ENTRY = 1 << 5, ENTRY_IS_OFFSET = 1 << 6, HAS_CONSTANT = 1 << 7, HAS_LOCLIST = 1 << 8,
	LOCLIST_IS_INDEX = 1 << 9, HAS_COUNT = 1 << 10, HAS_UPPER = 1 << 11, HAS_DATA_BIT = 1 << 12,
	HAS_BIT_OFFSET = 1 << 13, HAS_STMT_LIST = 1 << 14, HAS_SIZE = 1 << 15, HAS_UNREADABLE = 1 << 16, HAS_DISCR_VALUE = 1 << 17,
	HAS_DECL_FILE = 1 << 18,
};

/* Go to the unit with that number, and read its own entry.  False: it is damaged. */
bool entry_of_unit(struct reader *reader, size_t number, struct entry *out);
/* The entry at an offset, in any unit.  False: there is none. */
bool entry_at(struct reader *reader, uint64_t offset, struct entry *out);
/* The unit that an offset is in.  NULL: it is in none. */
const struct unit_head *entry_unit(const struct reader *reader, uint64_t offset);

/*
 * Call `each` for every child whose tag the index knows.  In a damaged file an entry may be its own sibling, or a sibling
 * of its children: so children must have rising offsets, and the number of visits is limited.
 */
void entry_children(struct reader *reader, const struct entry *e,
		    void (*each)(const struct entry *child, void *arg), void *arg);

/* The address with that number in the table of the unit; 0: the table has none. */
uint64_t entry_address(const struct dwarf *dwarf, const struct dwarf_unit *unit, uint64_t number);

#endif
